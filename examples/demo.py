"""Recorded replies on their way: what the model is told, what it wrote, what is read and sent back.

    python examples/demo.py [--plain]

Colours: text as it is, thinking dim, calls green, problems red, markup grey. NO_COLOR is heeded.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

import conversation

from toolproto import (
    CallProblem,
    ParsedResponse,
    SegmentKind,
    Tool,
    ToolCall,
    ToolContextDef,
    ToolRegistry,
    ToolResult,
    counted_ids,
    get_paradigm,
)
from toolproto.testing.fixtures import Fixture, load_fixtures

FIXTURES = Path(__file__).parent.parent / "fixtures"
SHOWN = [
    ("xml_tag", "recorded_weather"),
    ("json_strict", "recorded_weather"),
    ("json_strict", "recorded_one_cairo"),
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


class Screen:
    """Prints with or without colour."""

    def __init__(self, colour: bool) -> None:
        self._colour = colour

    def paint(self, text: str, code: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self._colour else text

    def heading(self, text: str) -> None:
        print(f"\n{self.paint(text, '1;36')}")

    def reply(self, parsed: ParsedResponse) -> None:
        print("".join(self.paint(s.text, COLOURS[s.kind]) for s in parsed.segments))


def run(call: ToolCall) -> ToolResult:
    """Stand in for the tools: say what would be done."""
    told = ", ".join(f"{key}={value!r}"[:60] for key, value in call.arguments.items())
    return ToolResult(call, f"ran {call.name}({told})")


def walk(fixture: Fixture, screen: Screen) -> None:
    """One reply, from its characters to what the model is told next."""
    paradigm = get_paradigm(fixture.paradigm, ids=counted_ids())
    screen.heading(f"{fixture.paradigm} · {fixture.case} · {fixture.note}")
    parsed = paradigm.parse_response(fixture.reply, fixture.offer)
    screen.reply(parsed)
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


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--plain", action="store_true", help="no colours")
    colour = sys.stdout.isatty() or "FORCE_COLOR" in os.environ
    plain = options.parse_args().plain or "NO_COLOR" in os.environ or not colour
    screen = Screen(not plain)
    fixtures = {(f.paradigm, f.case): f for f in load_fixtures(FIXTURES)}
    first = fixtures[SHOWN[0]]
    screen.heading("What the model is told (system prompt)")
    print(get_paradigm(first.paradigm).splice_system_prompt("You are helpful.", first.offer))
    for key in SHOWN:
        walk(fixtures[key], screen)
    screen.heading("A conversation · file tools, in memory, with somebody who approves writing")
    conversation.main()
    screen.heading("Next")
    print("  README.md               the same in fifteen lines of your own")
    print("  docs/chat.md            sessions: events, approvals, limits, hooks")
    print("  docs/new-paradigm.md    another form of call, in a dozen lines")
    print("  make test               every check")
    return 0


if __name__ == "__main__":
    sys.exit(main())
