"""A grammar as a structural tag, for vLLM and SGLang: words are free until a call begins.

The form is that of xgrammar since its version 0.1.25: ``triggered_tags`` waits for a trigger, and
holds the model to a grammar from there on.
"""

from __future__ import annotations

from typing import Any

from .behind import behind
from .ebnf import ebnf_of
from .ir import NOTHING, Grammar

__all__ = ["structural_tag"]

#: Every tag holds the grammar of all calls again. Where tags of several triggers would be larger
#: together than this, the whole reply is one grammar, which lets the same words pass: twenty tools
#: with raw text took xgrammar 12 s to compile as tags, and 2 s so.
_LARGEST_TAGS = 64_000


def structural_tag(grammar: Grammar) -> dict[str, Any]:
    """*grammar* as the ``response_format`` of a request."""
    return {"type": "structural_tag", "format": _format(grammar)}


def _format(grammar: Grammar) -> dict[str, Any]:
    if not grammar.is_free or grammar.calls is NOTHING or _are_large(grammar):
        return {"type": "grammar", "grammar": ebnf_of(grammar.root, grammar)}
    tags = [_tag(trigger, grammar) for trigger in grammar.triggers]
    return {
        "type": "triggered_tags",
        "triggers": list(grammar.triggers),
        "tags": tags,
        "at_least_one": False,
        "stop_after_first": True,
    }


def _tag(trigger: str, grammar: Grammar) -> dict[str, Any]:
    rest = behind(grammar.calls, trigger, grammar.rules)
    content = {"type": "grammar", "grammar": ebnf_of(rest, grammar)}
    return {"type": "tag", "begin": trigger, "content": content, "end": ""}


def _are_large(grammar: Grammar) -> bool:
    count = len(grammar.triggers)
    return count > 1 and count * len(ebnf_of(grammar.calls, grammar)) > _LARGEST_TAGS
