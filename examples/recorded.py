"""Recorded replies on their way: what a model wrote, what is read, and what is sent back.

    python examples/recorded.py

Text stands as it is; thinking is dim, calls are green, problems red, markup is grey.
"""

from __future__ import annotations

from pathlib import Path

import conversation
from screen import Screen

from toolproto import (
    CallProblem,
    SegmentKind,
    Tool,
    ToolCall,
    ToolContextDef,
    ToolRegistry,
    ToolResult,
    counted_ids,
    get_paradigm,
)
from toolproto.testing import Fixture, load_fixtures

FIXTURES = Path(__file__).parent.parent / "fixtures"
SHOWN = [
    ("xml_tag", "recorded_weather"),
    ("json_strict", "single_quotes"),
    ("xml_tag", "inline_code_in_sentence"),
    ("xml_tag", "unescaped_quotes_in_python"),
    ("json_strict", "truncated_in_string_length"),
]
COLOURS = {
    SegmentKind.TEXT: "0",
    SegmentKind.REASONING: "2;3",
    SegmentKind.CALL: "32",
    SegmentKind.PROBLEM: "31",
    SegmentKind.MARKUP: "90",
}


def run(call: ToolCall) -> ToolResult:
    """Stand in for the tools: say what would be done."""
    told = ", ".join(f"{key}={value!r}"[:60] for key, value in call.arguments.items())
    return ToolResult(call, f"ran {call.name}({told})")


def walk(fixture: Fixture, screen: Screen) -> None:
    """One reply, from its characters to what the model is told next."""
    paradigm = get_paradigm(fixture.paradigm, ids=counted_ids())
    screen.heading(f"{fixture.paradigm} · {fixture.case} · {fixture.note}")
    parsed = paradigm.parse_response(fixture.reply, fixture.offer)
    print("".join(screen.paint(s.text, COLOURS[s.kind]) for s in parsed.segments))
    registry = ToolRegistry(
        Tool.from_schema(spec.name, spec.description, spec.parameters)
        for spec in fixture.offer.tools
    )
    checked = [registry.check(call) for call in parsed.calls]
    for call in checked:
        if isinstance(call, ToolCall):
            repairs = ", ".join(f"{r.name} ({r.grade.value})" for r in call.repairs)
            print(screen.paint(f"  → {call.name} {dict(call.arguments)!r}"[:300], "32"))
            print(f"    {'mended: ' + repairs if repairs else 'written as asked'}")
    answer(paradigm, [*checked, *parsed.problems], screen)


def answer(
    paradigm: ToolContextDef, outcomes: list[ToolCall | CallProblem], screen: Screen
) -> None:
    """What goes back to the model."""
    results = [run(call) for call in outcomes if isinstance(call, ToolCall)]
    advice = [paradigm.format_problem(p) for p in outcomes if isinstance(p, CallProblem)]
    back = [message.content for message in paradigm.format_results(results)] + advice
    print(screen.paint("  ← " + ("\n".join(back) or "nothing: there was no call"), "33"))


def main(screen: Screen) -> None:
    """Walk through the recorded replies, then play a scripted conversation."""
    fixtures = {(f.paradigm, f.case): f for f in load_fixtures(FIXTURES)}
    for key in SHOWN:
        walk(fixtures[key], screen)
    screen.heading("A conversation · file tools, in memory, with somebody who approves writing")
    conversation.main()


if __name__ == "__main__":
    main(Screen())
