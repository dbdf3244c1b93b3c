"""The grammar of a reply that is no call: one JSON object of which a schema says what it holds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..decoding.reply.thinking_tokens import Reasoning
from ..tools.spec import ToolOffer, ToolSpec
from .ir import AsJson, Grammar
from .reply_grammar import CallForm, made_once
from .values import object_of

__all__ = ["answer_grammar"]


def _schema(tool: ToolSpec) -> dict[str, Any]:
    return dict(tool.parameters)


#: The object stands where the arguments of a call would.
_FORM = CallForm(object_of, as_json=AsJson(_schema))


def answer_grammar(schema: Mapping[str, Any], reasoning: Reasoning | None = None) -> Grammar | None:
    """The objects of *schema*, after the model's thoughts if it has any; None if there are none."""
    answer = ToolSpec("answer", "", schema)
    return made_once(_FORM, _FORM, ToolOffer((answer,), "required", parallel=False), reasoning)
