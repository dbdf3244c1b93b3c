"""An explanation on a terminal.

In colour the reply is shown as it is, with a number behind each call; without, part by part. Every
character that came from the reply is made visible first.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from ..protocol.events import merge
from ..protocol.foreign_text import visible
from ..protocol.repair_words import repair_words
from ..testing.explain import ExplainedStep, Explanation, Finding, PartKind, Verdict
from ..testing.explain.as_json import event_line
from ..testing.explain.words import why

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

__all__ = ["show_explanation"]

_STYLES = {
    PartKind.TEXT: "",
    PartKind.THINKING: "magenta italic",
    PartKind.MARKUP: "bright_black",
    PartKind.CALL: "",
    PartKind.PROBLEM: "",
    PartKind.IGNORED: "",
}
_VERDICTS = {
    Verdict.ACCEPTED: "green",
    Verdict.REPAIRED: "yellow",
    Verdict.DOUBTED: "bright_magenta",
    Verdict.REJECTED: "red",
    Verdict.IGNORED: "cyan underline",
}
_INDENT = 3
_UNSEARCHED = "The reply is too long, so not all of it was searched for ignored calls."


def show_explanation(explanation: Explanation, console: Console) -> None:
    """Print *explanation*."""
    counts = ", ".join(f"{count} {each}" for each, count in explanation.count().items() if count)
    said = f"{explanation.paradigm} reads {len(explanation.reply):,} characters: "
    _line(console, said + (counts or "no calls"), "bold")
    _line(console)
    if console.color_system is None:
        _show_parts(explanation, console)
    else:
        _show_reply(explanation, console)
    for number, finding in enumerate(explanation.findings, 1):
        _line(console)
        _show_finding(number, finding, console)
    if not explanation.searched:
        _line(console)
        _line(console, _UNSEARCHED, "bold")
    if explanation.steps:
        _line(console)
        for step in explanation.steps:
            _show_step(step, console)


def _line(console: Console, text: str = "", style: str = "", *, indent: int = 0) -> None:
    from rich.text import Text

    _print(console, Text(visible(text), style), indent=indent)


def _print(console: Console, text: Text, *, indent: int = 0) -> None:
    """Print *text*; on a terminal its lines are broken where they would leave their indent."""
    from rich.padding import Padding
    from rich.text import Text

    if console.color_system is None:
        lines = Text("\n").join(Text(" " * indent) + line for line in text.split("\n"))
        console.print(lines, soft_wrap=True)
    else:
        text.overflow = "fold"
        console.print(Padding(text, (0, 0, 0, indent)))


# -- the reply ----------------------------------------------------------------------------


def _show_reply(explanation: Explanation, console: Console) -> None:
    from rich.text import Text

    shown = Text()
    for part in explanation.parts:
        if part.finding is None:
            shown.append(visible(part.text), _STYLES[part.kind])
            continue
        finding = explanation.findings[part.finding]
        shown.append(visible(part.text), _VERDICTS[finding.verdict])
        shown.append(f"[{part.finding + 1}]", "bold")
    _print(console, shown)


def _show_parts(explanation: Explanation, console: Console) -> None:
    width = len(f"{len(explanation.reply)}")
    for part in explanation.parts:
        number = "" if part.finding is None else str(part.finding + 1)
        place = f"{part.span.start:>{width}}-{part.span.end:<{width}}"
        note = f"  ({part.note})" if part.note else ""
        _line(console, f"{number:>3} {part.kind.value:<8} {place} {part.text!r}{note}")


# -- the calls ----------------------------------------------------------------------------


def _show_finding(number: int, finding: Finding, console: Console) -> None:
    _print(console, _headline(number, finding))
    _line(console, why(finding), indent=_INDENT)
    for repair in finding.repairs:
        said = f"{repair.grade.value}: {repair_words(repair)} [{repair.name}]"
        _line(console, said, indent=_INDENT)
    if finding.call is not None:
        arguments = json.dumps(dict(finding.call.arguments), ensure_ascii=False)
        _line(console, arguments, indent=_INDENT)
    if finding.told:
        _line(console, f"the model would be told: {finding.told}", indent=_INDENT)


def _headline(number: int, finding: Finding) -> Text:
    from rich.text import Text

    place = f"{finding.span.start}-{finding.span.end}"
    name = f"{finding.name} " if finding.name else ""
    line = Text(f"{number}. ")
    line.append(finding.verdict.value, f"bold {_VERDICTS[finding.verdict]}")
    line.append(visible(f" {name}({place})"))
    return line


# -- the stream ---------------------------------------------------------------------------


def _show_step(step: ExplainedStep, console: Console) -> None:
    heard = repr(step.text) if step.text else "the end"
    _line(console, f"chunk {step.number}: {heard}, {step.held} held back", "bold")
    for event in merge(step.events):
        _line(console, event_line(event), indent=_INDENT)
