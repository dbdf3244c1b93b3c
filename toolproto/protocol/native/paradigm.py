"""Tools in the service's own way, as if that were a paradigm.

Nothing is taught, and calls and results stay values, which the API of the service writes. The loop
and the proxy therefore need no second way through: they are given this in place of a paradigm of
text, and ask :attr:`NativeTools.fallback` where the service refuses tools or loses calls.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..decoding.contract import Decoder
from ..grammar.ir import Grammar
from ..messages import Message, ToolCall, ToolResult
from ..paradigms.base import NO_TOOLS, ToolContextDef
from ..tools.offers import Offerable, as_offer
from ..tools.spec import ToolOffer
from .reader import NativeReader

__all__ = ["NativeTools"]


class NativeTools(ToolContextDef):
    """The tools of a service, with *fallback* as the paradigm that it is taught instead.

    Calls that the service loses are read out of its text in every form, as :func:`parse_any` does.
    """

    name = "native"

    def __init__(self, fallback: ToolContextDef, **options: Any) -> None:
        super().__init__(ids=fallback.ids, limits=fallback.limits, salvage=True, **options)
        self.fallback = fallback
        self.reasoning = fallback.reasoning

    def instructions(self, offer: ToolOffer) -> str:
        """Nothing: the service tells its model."""
        return ""

    def splice_system_prompt(self, prompt: str, offer: Offerable) -> str:
        """*prompt* without instructions that another paradigm put into it."""
        return super().splice_system_prompt(prompt, NO_TOOLS)

    def encode_call(self, call: ToolCall) -> str:
        """*call* as the fallback writes it, where it must be text."""
        return self.fallback.encode_call(call)

    def encode_results(self, results: Sequence[ToolResult]) -> str:
        """*results* as the fallback writes them, where they must be text."""
        return self.fallback.encode_results(results)

    def decoder(self, offer: ToolOffer = NO_TOOLS) -> Decoder:
        """A fresh reader of one answer."""
        return NativeReader(
            as_offer(offer), ids=self.ids, reasoning=self.reasoning, limits=self.limits
        )

    def format_results(self, results: Sequence[ToolResult]) -> list[Message]:
        """One user message with *results* as values."""
        return [Message("user", "", results=tuple(results))] if results else []

    def encode_history(self, messages: Sequence[Message]) -> list[Message]:
        """*messages* as they are: the API of the service writes their calls and results."""
        return list(messages)

    def encode_conversation(
        self, messages: Sequence[Message], offer: Offerable | None = None
    ) -> list[Message]:
        """*messages* as they are: nothing is taught beside them."""
        return list(messages)

    def grammar(self, offer: ToolOffer) -> Grammar | None:
        """None: the service holds its model to its own form."""
        return None
