"""An explanation as one page that needs nothing else: no script, no picture, no network.

Whatever a reply holds is shown as text: escaped, with its hidden characters spelt out.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from html import escape
from pathlib import Path

from ..cli.visible import visible
from ..events import merge
from ..messages import Repair
from ..repairs import repair_words
from .as_json import event_line
from .values import Explanation, Finding, Part, PartKind, Step, Verdict
from .words import why

__all__ = ["as_html"]

_END_OF_LINE = '<i class="end">↵</i>\n'
_UNSEARCHED = "The reply is too long, so not all of it was searched for ignored calls."


def as_html(explanation: Explanation) -> str:
    """The page."""
    folder = Path(__file__).parent
    page, style = ((folder / name).read_text("utf-8") for name in ("page.html", "page.css"))
    title = f"How {explanation.paradigm} reads a reply"
    body = "\n".join(_body(explanation, title))
    return page.format(title=_text(title), style=style, body=body)


def _body(explanation: Explanation, title: str) -> Iterator[str]:
    yield f"<h1>{_text(title)}</h1>"
    yield f"<p>{len(explanation.reply):,} characters. {' '.join(_counts(explanation))}</p>"
    if explanation.finish_reason:
        yield f"<p>The endpoint stopped: {_text(explanation.finish_reason)}.</p>"
    if not explanation.searched:
        yield f"<p>{_UNSEARCHED}</p>"
    yield "<h2>The reply</h2>"
    parts = "".join(_part(each, explanation.findings) for each in explanation.parts)
    yield f'<pre class="reply">{parts}</pre>'
    yield (
        '<p class="faint">Plain words are text for a person, <i class="thinking">thinking</i>'
        " is set in italics, and markers in grey.</p>"
    )
    if explanation.findings:
        yield "<h2>The calls</h2>"
    for number, finding in enumerate(explanation.findings, 1):
        yield _finding(number, finding)
    if explanation.steps:
        yield _steps(explanation.steps)


def _counts(explanation: Explanation) -> Iterator[str]:
    for verdict, count in explanation.count().items():
        if count:
            yield f'<span class="badge {verdict}">{count} {verdict}</span>'


def _text(text: str) -> str:
    return escape(visible(text))


def _lines(text: str) -> str:
    return _text(text).replace("\n", _END_OF_LINE)


# -- the reply ----------------------------------------------------------------------------


def _part(part: Part, findings: tuple[Finding, ...]) -> str:
    shown = _lines(part.text)
    if part.finding is None:
        title = f' title="{_text(part.note)}"' if part.note else ""
        plain = part.kind is PartKind.TEXT
        return shown if plain else f'<span class="{part.kind.value}"{title}>{shown}</span>'
    finding, number = findings[part.finding], part.finding + 1
    link = f'<a class="number" href="#call-{number}">{number}</a>'
    title = _text(_sentence(finding))
    return f'<span class="{finding.verdict.value}" title="{title}">{shown}</span>{link}'


# -- the calls ----------------------------------------------------------------------------


def _finding(number: int, finding: Finding) -> str:
    return f'<article id="call-{number}">\n{"".join(_said(number, finding))}</article>'


def _said(number: int, finding: Finding) -> Iterator[str]:
    verdict = finding.verdict.value
    name = f" <code>{_text(finding.name)}</code>" if finding.name else ""
    start, end = finding.span
    place = f'<span class="faint">characters {start} to {end}</span>'
    yield f'<p>{number}. <span class="badge {verdict}">{verdict}</span>{name} {place}</p>\n'
    yield f"<p>{_text(_sentence(finding))}</p>\n"
    if finding.repairs:
        yield f"<ul>{''.join(map(_repair, finding.repairs))}</ul>\n"
    if finding.call is not None:
        arguments = json.dumps(dict(finding.call.arguments), ensure_ascii=False, indent=2)
        yield f"<pre>{_text(arguments)}</pre>\n"
    if finding.told:
        yield f"<p>The model would be told:</p><pre>{_text(finding.told)}</pre>\n"


def _sentence(finding: Finding) -> str:
    begins = "not run, because " if finding.verdict is Verdict.IGNORED else ""
    sentence = f"{begins}{why(finding)}."
    return sentence[0].upper() + sentence[1:]


def _repair(repair: Repair) -> str:
    words = _text(repair_words(repair))
    return f"<li><b>{repair.grade.value}</b> {words} <code>{_text(repair.name)}</code></li>"


# -- the stream ---------------------------------------------------------------------------


def _steps(steps: tuple[Step, ...]) -> str:
    rows = "\n".join(map(_step, steps))
    return (
        "<h2>The stream</h2>\n<table>\n<tr><th>chunk</th><th>text</th><th>what came out</th>"
        f"<th>held back</th></tr>\n{rows}\n</table>"
    )


def _step(step: Step) -> str:
    events = "<br>".join(f"<code>{_text(event_line(event))}</code>" for event in merge(step.events))
    text = f"<code>{_text(repr(step.text))}</code>" if step.text else "the end"
    return (
        f'<tr><td class="count">{step.number}</td><td>{text}</td><td>{events}</td>'
        f'<td class="count">{step.held}</td></tr>'
    )
