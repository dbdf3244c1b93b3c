"""The law of grammars: what a grammar lets a model write is a call that may run.

Tried without any engine: replies are drawn from the grammar itself, as a model writes that knows
nothing else, and calls from the tools' schemas alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from random import Random

from ...protocol.grammar import Grammar, GrammarWalk, sample_reply
from ...protocol.messages import CallProblem, ToolCall
from ...protocol.paradigms.base import ToolContextDef
from ...protocol.schemas.validate import find_faults
from ...protocol.schemas.work import Work
from ...protocol.tools.check import check_call
from ...protocol.tools.coerce import coerce
from ...protocol.tools.spec import ToolOffer
from ..marks import MARKS, marks_of
from .asking import asked, read_whole
from .broken import LawBroken, shown

__all__ = ["grammar_accepts", "grammar_allows", "reads_as_calls"]

__tracebackhide__ = True  # a reader wants to see the test, not how the law looks at it

_WORDS = "Let me see.\nI will look it up"
#: Sampled objects may say a key twice; only the reader of a reply can tell.
_TWICE = "given twice"
#: Raw text that its reader may take for more than text is not offered, and ``left_out`` says so.
_LIKE_JSON = "text like JSON"


def grammar_allows(paradigm: ToolContextDef, offer: ToolOffer, seed: int) -> None:
    """Law 9, one way: what the grammar accepts reads as calls of offered tools that may run.

    And no beginning of it is a dead end. What ``left_out`` names may still be wrong with a call.
    A paradigm without a grammar keeps the law.
    """
    offer = offer if offer.choice != "auto" else replace(offer, choice="required")
    grammar = asked("grammar", paradigm, "grammar", offer)
    if grammar is None or not grammar.parts:
        return
    random, walk = Random(seed), _walk(grammar)
    pieces = [*marks_of(paradigm, offer), *MARKS]
    written = sample_reply(walk, random, pieces, random.choice((20, 120, 400)))
    _leads_on(walk, written, random)
    reads_as_calls(paradigm, grammar, offer, written)


def grammar_accepts(paradigm: ToolContextDef, calls: Sequence[ToolCall], offer: ToolOffer) -> bool:
    """Law 9, the other way: what ``encode_calls`` writes is accepted, with words before it or not.

    *calls* have the arguments that their schemas name, in that order. What a reader takes for
    another call than was meant, or may take for JSON, need not be accepted: False, if that is so.
    """
    written = asked("grammar", paradigm, "encode_calls", calls)
    read = read_whole(paradigm, written, offer)
    if [*map(_said, read.calls)] != [*map(_said, calls)] or len(calls) > 8:
        return False
    for choice, before in (("required", ""), ("auto", ""), ("auto", f"{_WORDS}: ")):
        grammar = asked("grammar", paradigm, "grammar", replace(offer, choice=choice))
        if grammar is None:
            return False
        departs = _walk(grammar).departure(before + written)
        if departs is not None and any(each.what == _LIKE_JSON for each in grammar.left_out):
            return False
        if departs is not None:
            raise LawBroken(
                "grammar",
                f"{shown(before + written)} is not accepted from character {departs.at} on;"
                f" the grammar allows only {shown(departs.expected[:8])} there",
                "make the codec's grammar describe what its encode writes",
            )
    return True


def _said(call: ToolCall) -> tuple[str, str]:
    return call.name, repr(call.arguments)


_walks: list[tuple[Grammar, GrammarWalk]] = []


def _walk(grammar: Grammar) -> GrammarWalk:
    """A walk through *grammar*: one that was begun before, for a law is asked many times."""
    for known, walk in _walks:
        if known is grammar:
            return walk
    made = GrammarWalk(grammar)
    _walks.append((grammar, made))
    del _walks[:-3]
    return made


def _leads_on(begun: GrammarWalk, written: str, random: Random) -> None:
    """Every beginning of *written* can be completed to something that is accepted."""
    places = {0, len(written), *(random.randint(0, len(written)) for _ in range(3))}
    walk, at = begun.again(), 0
    for place in sorted(places):
        taken = walk.take(written[at:place])
        ending = walk.ending() if taken == place - at else None
        if ending is None or not _is_whole(walk.fork(), ending):
            raise LawBroken(
                "grammar",
                f"the beginning {shown(written[:place])} of an accepted reply is a dead end",
                "leave alternatives that nothing can follow out of the grammar",
            )
        at = place


def _is_whole(walk: GrammarWalk, ending: str) -> bool:
    return walk.take(ending) == len(ending) and walk.may_end


def reads_as_calls(
    paradigm: ToolContextDef, grammar: Grammar, offer: ToolOffer, written: str
) -> None:
    """Hold that *written*, which *grammar* accepts, is calls of *offer* that may run."""
    read = read_whole(paradigm, written, offer)
    problems = [each for each in read.problems if _TWICE not in each.message]
    if problems or (not read.calls and not read.problems):
        what = f"reads as {shown([*read.calls, *problems])}"
        raise LawBroken("grammar", f"the accepted reply {shown(written)} {what}", _REMEDY)
    for call in read.calls:
        checked = check_call(call, offer)
        if isinstance(checked, CallProblem) and not _is_left_out(call, grammar, offer):
            what = f"calls {call.name!r} wrongly: {checked.message}"
            raise LawBroken("grammar", f"the accepted reply {shown(written)} {what}", _REMEDY)


_REMEDY = "demand it in the grammar, or name it in left_out"


def _is_left_out(call: ToolCall, grammar: Grammar, offer: ToolOffer) -> bool:
    """Whether all that is wrong with *call* is of a kind that the grammar does not demand."""
    tool = offer.get(call.name)
    if tool is None:
        return False
    schema = {**tool.parameters, "type": "object"}
    arguments, _ = coerce(call.arguments, schema)
    kinds = {fault.keyword for fault in find_faults(arguments, schema, schema, Work())}
    named = {each.what for each in grammar.left_out if each.where.startswith(tool.name)}
    loose = {"minContains": "contains", "maxContains": "contains"}
    return "everything" in named or all(loose.get(kind, kind) in named for kind in kinds)
