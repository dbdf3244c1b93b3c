"""The grammar of whole replies: what may stand before, between and behind the calls.

*required* and a tool's name mean calls from the first character on; *none* means text in which no
call begins; *auto* means text, and behind it calls or the end. Nothing stands behind the calls:
that is where models make results up.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from ..decoding.reply.thinking_tokens import Reasoning
from ..tools.spec import ToolOffer, ToolSpec
from .draft import CALLS_AT_ONCE, GrammarDraft, plain_name
from .ir import (
    ANYTHING,
    EMPTY,
    NOTHING,
    AsJson,
    Choice,
    Grammar,
    Literal,
    Node,
    Repeat,
    Rule,
    either,
    joined,
    maybe,
    text,
    times,
    without,
)
from .ir import (
    Sequence as Parts,
)

__all__ = ["CallForm", "made_grammar", "made_once"]

_MOST_TRIGGERS = 64
_MOST_KEPT = 64
#: Characters of an offer that is kept: a grammar holds on to its tools, and 64 large ones are many.
_LARGEST_KEPT = 400_000
_LETTER = re.compile(r"[^\W\d_]")
_LAST_WORD = re.compile(r"\w*\Z")
_MISSING: Any = object()
_kept: dict[Any, Any] = {}


@dataclass(frozen=True, slots=True)
class CallForm:
    """How a paradigm writes the calls of a reply.

    *call* gives the texts of one call of a tool. *opening*, *between* and *closing* stand around
    and between all calls, *marker* is the text with which the first one begins; unless
    *means_call*, it begins other things as well, and only more of the call tells. *instead* is what
    else may stand between calls, because models write it and readers understand it. *as_json* is
    for calls without markers that are JSON.
    """

    call: Callable[[ToolSpec, GrammarDraft], Node]
    opening: str = ""
    between: str = "\n"
    closing: str = ""
    marker: str = ""
    means_call: bool = True
    as_json: AsJson | None = None
    instead: tuple[str, ...] = ()


def made_once(
    owner: Hashable, form: CallForm, offer: ToolOffer, reasoning: Reasoning | None
) -> Grammar | None:
    """The grammar of :func:`made_grammar`, kept for the next request with the same offer.

    *owner* decides the *form*: the class of a paradigm.
    """
    try:
        told = [[tool.name, tool.parameters] for tool in offer.tools]
        key = (owner, json.dumps([told, offer.choice, offer.parallel]), reasoning)
    except (TypeError, ValueError, RecursionError):  # a schema that nobody checked
        return made_grammar(form, offer, reasoning)
    if len(key[1]) > _LARGEST_KEPT:
        return made_grammar(form, offer, reasoning)
    # Threads share it; each step is one that no other can interrupt.
    made: Grammar | None = _kept.get(key, _MISSING)
    if made is _MISSING:
        made = made_grammar(form, offer, reasoning)
        # The oldest only: to let go of all at once takes longer than to make one.
        for oldest in list(_kept)[: max(len(_kept) + 1 - _MOST_KEPT, 0)]:
            _kept.pop(oldest, None)
        _kept[key] = made
    return made


def made_grammar(form: CallForm, offer: ToolOffer, reasoning: Reasoning | None) -> Grammar | None:
    """The grammar of replies to *offer*; None if a call is demanded and none can be right.

    *reasoning* is how the model thinks, if it does.
    """
    offered = _demanded(offer)
    draft = GrammarDraft(offered)
    each = [(tool, _one_call(form, tool, draft)) for tool in offered]
    sayable = [(tool, node) for tool, node in each if node is not NOTHING]
    calls = _calls(form, [node for _, node in sayable], offer.parallel)
    free = offer.choice in ("auto", "none")
    heads = [(tool.name, _expanded(node, draft)) for tool, node in sayable]
    triggers = _triggers(form, heads, by_name=offer.choice == "auto")
    for name, call in heads if len(triggers) == _MOST_TRIGGERS else ():
        if not f"{form.opening}{_head(call)}".startswith(triggers):
            draft.leave_out(name, "the beginning", "too many tools to wait for each of them")
    if not free and calls is NOTHING:
        return None
    thoughts = _thoughts(reasoning)
    root = _reply(offer.choice, calls, triggers, thoughts)
    return Grammar(
        root,
        draft.rules,
        NOTHING if offer.choice == "none" else calls,
        triggers,
        free,
        thoughts,
        draft.left_out,
        offer,
        tuple(sayable),
        form.as_json,
    )


def _demanded(offer: ToolOffer) -> Sequence[ToolSpec]:
    if offer.choice in ("auto", "required", "none"):
        return offer.tools
    return [tool for tool in offer.tools if tool.name == offer.choice]


def _one_call(form: CallForm, tool: ToolSpec, draft: GrammarDraft) -> Node:
    made = form.call(tool, draft)
    if made is NOTHING:
        draft.leave_out(tool.name, "the tool", "no call of this tool can be valid")
    return draft.rule(f"call-{plain_name(tool)}", made)


def _calls(form: CallForm, calls: list[Node], parallel: bool) -> Node:
    if not calls:
        return NOTHING
    one = either(calls)
    between = either(map(text, (form.between, *form.instead)))
    more = times(joined(between, one), 0, CALLS_AT_ONCE - 1) if parallel else EMPTY
    return joined(text(form.opening), one, more, text(form.closing))


def _reply(choice: str, calls: Node, triggers: tuple[str, ...], thoughts: Node) -> Node:
    if choice not in ("auto", "none"):
        return joined(thoughts, calls)
    words = without(ANYTHING, either(map(text, triggers))) if triggers else ANYTHING
    if choice == "none" or calls is NOTHING:
        return joined(thoughts, words)
    return joined(thoughts, words, maybe(calls))


def _thoughts(reasoning: Reasoning | None) -> Node:
    """What a model that thinks writes first."""
    if reasoning is None or not reasoning.tags:
        return EMPTY
    space = times(text("\n"), 0, 2)
    if reasoning.starts_inside:
        closer = reasoning.tags[0][1]
        return joined(without(ANYTHING, text(closer)), text(closer), space)
    blocks = (
        joined(text(opener), without(ANYTHING, text(closer)), text(closer), space)
        for opener, closer in reasoning.tags
    )
    return maybe(either(blocks))


# -- where a call begins ---------------------------------------------------------------------


def _triggers(form: CallForm, calls: list[tuple[str, Node]], by_name: bool) -> tuple[str, ...]:
    """The texts at which calls begin: as short as can be without beginning anything else.

    *by_name*: they end behind the name of an offered tool, where the form has it early enough. A
    model that begins to call a tool that does not exist is then let finish, and told so. Held to
    the offered names it calls one of them instead: where no tool fits, Qwen2.5-Coder then ran a
    call in 75 of 100 replies instead of 26 (1.5 B) and in 73 instead of 25 (0.5 B), and by name in
    29 and 27.
    """
    if not calls:
        begun = (form.marker or form.opening).strip()
        return (begun,) if begun else ()
    heads = [(name, f"{form.opening}{_head(call)}") for name, call in calls]
    at = _place_of_name(form) if by_name else None
    if at is not None and all(head.startswith(name, at) for name, head in heads):
        return _distinct(_with_delimiter(head, at + len(name)) for name, head in heads)
    marker = form.marker.strip()
    if marker and form.means_call and all(head.startswith(marker) for _, head in heads):
        if not marker[-1].isalnum():
            return (marker,)
        return _distinct(head[: _word_end(head, len(marker))] for _, head in heads)
    shared = _shared(head for _, head in heads)
    begun = shared[: len(shared) - len(_LAST_WORD.findall(shared)[0])]
    if _LETTER.search(begun):
        return (begun.rstrip(),)
    return _distinct(head[: _word_end(head, head.find(name))] for name, head in heads)


@lru_cache(maxsize=256)
def _place_of_name(form: CallForm) -> int | None:
    """Behind how many characters the name stands in calls; None if that is not the same in all.

    Looking for a name in its own call would find it in the marker of the form, if the tool is
    called ``json`` or ``name``.
    """
    tool = ToolSpec("zqxjkvb", "", {})
    at = f"{form.opening}{_head(form.call(tool, GrammarDraft([tool])))}".find(tool.name)
    return at if at >= 0 else None


def _with_delimiter(head: str, end: int) -> str:
    """*head* up to *end*, and what stands there, so that longer names are not held to it.

    Not if another call could begin with that very character: in xgrammar both then begin.
    """
    return head[:end] if head[end : end + 1] == head[0] else head[: end + 1]


def _distinct(heads: Iterable[str]) -> tuple[str, ...]:
    """*heads* without those that begin with another: xgrammar takes no trigger twice."""
    kept: list[str] = []
    for head in sorted(dict.fromkeys(heads)):
        if not (kept and head.startswith(kept[-1])):
            kept.append(head)
    return tuple(kept[:_MOST_TRIGGERS])


def _word_end(head: str, at: int) -> int:
    while at < len(head) and (head[at].isalnum() or head[at] in "_-."):
        at += 1
    return min(at + 1, len(head))


def _shared(heads: Iterable[str]) -> str:
    ordered = sorted(heads)
    first, last = ordered[0], ordered[-1]
    at = 0
    while at < min(len(first), len(last)) and first[at] == last[at]:
        at += 1
    return first[:at]


def _head(node: Node) -> str:
    """The text with which every text of *node* begins."""
    if isinstance(node, Literal):
        return node.text
    if isinstance(node, Parts) and node.parts:
        return _head(node.parts[0])
    if isinstance(node, Choice) and node.options:
        return _shared(map(_head, node.options))
    if isinstance(node, Repeat) and node.least:
        return _head(node.part)
    return ""


def _expanded(node: Node, draft: GrammarDraft) -> Node:
    return draft.rules[node.name] if isinstance(node, Rule) else node
