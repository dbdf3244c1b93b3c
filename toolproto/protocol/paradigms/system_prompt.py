"""The system prompt: what never changes first, what changes by the day last.

A service that caches prompts keeps the longest beginning it has seen before. So the head, the tool
block and the rules stand in front, the same byte for byte in every request that offers the same
tools; the date follows, never the time, and behind it whatever else may change.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from fnmatch import fnmatchcase

from ..tools.offers import Offerable, as_offer
from ..tools.spec import ToolOffer
from .base import ToolContextDef
from .splice import neutral

__all__ = ["SystemPrompt", "ToolContextBuilder", "undated"]

# ``Today is 2026-11-19 (Europe/Oslo).``, as :func:`_dated` writes it
_TODAY = re.compile(r"^Today is \d{4}-\d{2}-\d{2}(?=\.| \()", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class SystemPrompt:
    """A system prompt in two parts: *header* is for keeps, *body* may differ tomorrow."""

    header: str = ""
    body: str = ""

    @property
    def text(self) -> str:
        """Both parts; it begins with the header, and is empty if they are."""
        return _paragraphs(self.header, self.body)


@dataclass(frozen=True, slots=True)
class ToolContextBuilder:
    """Makes the system prompts of a session.

    *system* is the program's own prompt. *rules* say, for a group, a tool or a pattern (``fs_*``),
    how to use these tools; they are shown only while one of these tools is offered, in the
    given order. *zone* (``"Europe/Oslo"``) is where the user is: the date is that zone's. *tail* is
    what the program adds after the date, where a change costs the least.
    """

    system: str = ""
    rules: Mapping[str, str] = field(default_factory=dict)
    dated: bool = True
    zone: str = ""
    tail: str = ""

    def build(
        self, paradigm: ToolContextDef, offer: Offerable, today: date | None = None
    ) -> SystemPrompt:
        """The prompt for a request that offers *offer*.

        If its text is spliced with another offer, only the tool block is replaced.
        """
        known = as_offer(offer)
        block = paradigm.splice_system_prompt(self.system.strip(), known)
        header = _paragraphs(block, *self._rules_for(known))
        day = _dated(today, self.zone) if self.dated and today else ""
        return SystemPrompt(header, _paragraphs(day, neutral(self.tail)))

    def _rules_for(self, offer: ToolOffer) -> Iterator[str]:
        for pattern, rule in self.rules.items():
            if pattern in offer.groups or any(fnmatchcase(name, pattern) for name in offer.names):
                # A rule that looked like the end of the tool block would move it.
                yield neutral(rule)


def undated(prompt: str) -> str:
    """*prompt* as it is on any day."""
    return _TODAY.sub("Today", prompt)


def _dated(today: date, zone: str) -> str:
    # A datetime is a date, too, and its own isoformat() would tell the time.
    day = date(today.year, today.month, today.day).isoformat()
    return f"Today is {day} ({zone})." if zone else f"Today is {day}."


def _paragraphs(*parts: str) -> str:
    return "\n\n".join(part for part in map(str.strip, parts) if part)
