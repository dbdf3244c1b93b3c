"""The laws of what the model is told: it teaches, it answers, and it runs nothing when quoted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from ...protocol.messages import CallProblem, Grade, ProblemKind, Span, ToolResult
from ...protocol.paradigms.base import ToolContextDef
from ...protocol.tools.spec import ToolOffer
from .asking import asked, read_whole
from .broken import LawBroken, shown
from .comparison import call_line

__all__ = ["inertness", "teaching"]

__tracebackhide__ = True  # a reader wants to see the test, not how the law looks at it

_PROBLEM = CallProblem(ProblemKind.MALFORMED, "there is no JSON in it")
_PROMPT = "Be kind."


def teaching(paradigm: ToolContextDef, offer: ToolOffer, results: Sequence[ToolResult]) -> None:
    """Law 8: instructions name every tool and required argument; results name or order calls.

    The instructions stay the same, splicing again replaces them, a result says what it is and
    whether it failed, and a problem what was wrong.
    """
    _check_instructions(paradigm, offer)
    _check_splicing(paradigm, offer)
    _check_results(paradigm, results)
    advice = asked("teaching", paradigm, "format_problem", _PROBLEM)
    if _PROBLEM.message not in advice:
        raise LawBroken(
            "teaching",
            f"{shown(advice)} does not say {_PROBLEM.message!r}",
            "let format_problem pass the problem's message on: it is the advice",
        )


def _check_instructions(paradigm: ToolContextDef, offer: ToolOffer) -> None:
    instructions = asked("teaching", paradigm, "instructions", offer)
    wanted = [name for tool in offer.tools for name in (tool.name, *tool.required)]
    missing = [name for name in dict.fromkeys(wanted) if name not in instructions]
    if missing:
        raise LawBroken(
            "teaching",
            f"the instructions do not name {missing!r}:\n{shown(instructions)}",
            "show every tool's own call, with each required argument",
        )
    if paradigm.instructions(offer) != instructions:
        raise LawBroken(
            "teaching",
            "the instructions change from call to call",
            "leave out ids, dates and the order of sets: a changed prompt is not cached",
        )


def _check_splicing(paradigm: ToolContextDef, offer: ToolOffer) -> None:
    once = asked("teaching", paradigm, "splice_system_prompt", _PROMPT, offer)
    if _PROMPT not in once:
        raise LawBroken(
            "teaching", f"splicing loses {_PROMPT!r}: {shown(once)}", "keep the prompt around it"
        )
    if paradigm.splice_system_prompt(once, offer) != once:
        raise LawBroken(
            "teaching",
            "splicing twice gives another prompt than splicing once",
            "find the earlier block in the prompt, and put the new one in its place",
        )


def _check_results(paradigm: ToolContextDef, results: Sequence[ToolResult]) -> None:
    body = asked("teaching", paradigm, "encode_results", results)
    for result in results:
        if result.call.name not in body and result.call.id not in body:
            raise LawBroken(
                "teaching",
                f"{shown(body)} does not say which call it answers",
                "name the call of each result",
            )
        plain = replace(result, content="It said so", is_error=False)
        good, bad = (
            asked("teaching", paradigm, "encode_results", [replace(plain, is_error=failed)])
            for failed in (False, True)
        )
        if plain.content not in good or good == bad:
            raise LawBroken(
                "teaching",
                f"{plain.content!r} is shown as {shown(good)}, and an error looks the same",
                "write a result's content, and mark errors",
            )


def inertness(paradigm: ToolContextDef, offer: ToolOffer, results: Sequence[ToolResult]) -> None:
    """Law 10: instructions, results and problems, quoted by the model, run nothing.

    A call that is a guess, by its form or its place, does not run: it is put to the model first.
    """
    for what, text in _texts(paradigm, offer, results):
        for where, quoted in _quotations(text):
            calls = read_whole(paradigm, quoted, offer).calls
            for call in (each for each in calls if each.grade in (None, Grade.LOSSLESS)):
                raise LawBroken(
                    "inertness",
                    f"{what} in {where} run {call_line(call)},"
                    f" which was read from\n  {shown(_around(quoted, call.span))}",
                    "a call in a quotation, a fence or a thought is shown, not meant",
                )


def _texts(
    paradigm: ToolContextDef, offer: ToolOffer, results: Sequence[ToolResult]
) -> Iterator[tuple[str, str]]:
    yield "the instructions", asked("inertness", paradigm, "instructions", offer)
    yield "the results", asked("inertness", paradigm, "encode_results", results)
    yield "the words on a problem", asked("inertness", paradigm, "format_problem", _PROBLEM)
    for message in asked("inertness", paradigm, "examples", offer):
        yield "the examples", message.content


def _quotations(text: str) -> Iterator[tuple[str, str]]:
    fence = "`" * 8
    yield "a block quote", "\n".join(f"> {line}" for line in text.split("\n"))
    yield "a fence", f"{fence}\n{text}\n{fence}\nThat is what I was told."
    yield "a thought", f"<think>\n{text}\n</think>\nNothing to do."


def _around(text: str, span: Span) -> str:
    return text[max(0, span.start - 60) : span.end + 20]
