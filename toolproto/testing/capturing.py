"""Fixtures out of recorded replies: redacted, and one for each class of malformation."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from pathlib import Path

from ..protocol.finish_reasons import cut_reason
from ..protocol.paradigms.base import NO_TOOLS, ToolContextDef
from ..protocol.tools.spec import ToolOffer, ToolSpec
from .capture_classes import Malformation, malformation
from .capture_redaction import StandIns
from .capture_sources import Recorded
from .explain import explain_reply
from .fixtures import Fixture, ReadingPolicy, load_fixture, load_tools, write_fixture

__all__ = ["CaptureOutcome", "CaptureReport", "Captured", "Skipped", "capture"]


class CaptureOutcome(Enum):
    """What became of a class of replies."""

    WRITTEN = "written"
    UNCHANGED = "unchanged"  # the very same fixture is there
    COVERED = "covered"  # another fixture of this class is there


class Skipped(Enum):
    """Why a reply made no fixture."""

    NOT_FAILED = "not failed"
    OTHER_PARADIGM = "of another paradigm"
    CHANGED = "changed by redaction"


@dataclass(frozen=True, slots=True)
class Captured:
    """A class of replies: its fixture, and how many replies were of it."""

    case: str
    count: int
    outcome: CaptureOutcome


@dataclass(frozen=True, slots=True)
class CaptureReport:
    """What came of capturing. *changed* are the origins of replies that redaction would change."""

    captured: tuple[Captured, ...]
    skipped: dict[Skipped, int]
    changed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Sample:
    """A reply without what was private in it, and where it is from."""

    reply: str
    origin: str
    offer: ToolOffer
    finish_reason: str | None


def capture(
    replies: Iterable[Recorded],
    folder: Path,
    paradigm: ToolContextDef,
    *,
    offer: ToolOffer = NO_TOOLS,
    stand_ins: StandIns | None = None,
    everything: bool = False,
) -> CaptureReport:
    """Write a fixture into *folder* for each class of *replies* that has none there.

    *paradigm* reads them, with the tools each was recorded with, or else with *offer*. Without
    *everything* only those count of which a call was lost, refused or guessed at. Nothing that is
    there is ever changed.
    """
    capturing = _Capturing(folder, paradigm, offer, stand_ins or StandIns(), everything)
    for each in replies:
        capturing.take(each)
    return capturing.report()


@dataclass(slots=True)
class _Capturing:
    folder: Path
    paradigm: ToolContextDef
    offer: ToolOffer
    stand_ins: StandIns
    everything: bool
    _samples: dict[Malformation, list[_Sample]] = field(default_factory=lambda: defaultdict(list))
    _skipped: Counter[Skipped] = field(default_factory=Counter)
    _changed: list[str] = field(default_factory=list)

    def take(self, each: Recorded) -> None:
        """Sort *each* into its class."""
        if each.paradigm not in (None, self.paradigm.name):
            self._skipped[Skipped.OTHER_PARADIGM] += 1
            return
        reason = cut_reason(each.finish_reason)
        sample = _Sample(each.reply, each.origin, each.offer or self.offer, reason)
        shown = self._class(sample)
        if not shown.failed and not self.everything:
            self._skipped[Skipped.NOT_FAILED] += 1
            return
        redacted = self._redacted(sample)
        if self._class(redacted) != shown:
            self._skipped[Skipped.CHANGED] += 1
            self._changed.append(each.origin)
            return
        self._samples[shown].append(redacted)

    def report(self) -> CaptureReport:
        """Write what was taken."""
        covered = {shown.name: case for case, shown in self._there()}
        captured = [
            self._kept(shown, samples, covered)
            for shown, samples in sorted(self._samples.items(), key=lambda item: item[0].name)
        ]
        return CaptureReport(tuple(captured), dict(self._skipped), tuple(self._changed))

    def _class(self, sample: _Sample) -> Malformation:
        return malformation(
            explain_reply(
                sample.reply, self.paradigm, sample.offer, finish_reason=sample.finish_reason
            )
        )

    def _redacted(self, sample: _Sample) -> _Sample:
        parsed = self.paradigm.parse_response(sample.reply, sample.offer)
        stand_ins = self.stand_ins.learnt(*(call.arguments for call in parsed.calls))
        tools = tuple(_redacted_tool(tool, stand_ins) for tool in sample.offer.tools)
        offer = replace(sample.offer, tools=tools)
        return replace(sample, reply=stand_ins(sample.reply), offer=offer)

    def _there(self) -> list[tuple[str, Malformation]]:
        """The fixtures in the folder, and their classes."""
        known = load_tools(self.folder.parent)
        fixtures = [load_fixture(path, known) for path in sorted(self.folder.glob("*.txt"))]
        samples = [_Sample(f.reply, "", f.offer, f.finish_reason) for f in fixtures]
        return [(f.case, self._class(s)) for f, s in zip(fixtures, samples, strict=True)]

    def _kept(
        self, shown: Malformation, samples: Sequence[_Sample], covered: dict[str, str]
    ) -> Captured:
        # The shortest shows it best; the text settles ties, so that the order of a log does not.
        chosen = min(samples, key=lambda sample: (len(sample.reply), sample.reply))
        if shown.name in covered:
            return Captured(covered[shown.name], len(samples), self._compared(shown, chosen))
        write_fixture(self.folder.parent, self._fixture(shown, chosen, len(samples)))
        return Captured(shown.name, len(samples), CaptureOutcome.WRITTEN)

    def _compared(self, shown: Malformation, chosen: _Sample) -> CaptureOutcome:
        path = self.folder / f"{shown.name}.txt"
        same = path.exists() and load_fixture(path).reply == chosen.reply
        return CaptureOutcome.UNCHANGED if same else CaptureOutcome.COVERED

    def _fixture(self, shown: Malformation, chosen: _Sample, count: int) -> Fixture:
        times = "once" if count == 1 else f"{count} times"
        return Fixture(
            self.folder.name,
            shown.name,
            chosen.reply,
            chosen.offer,
            origin=f"captured from {self.stand_ins(chosen.origin)}",
            note=f"Seen {times}.",
            classes=shown.classes,
            finish_reason=chosen.finish_reason,
            policy=ReadingPolicy(
                salvage=self.paradigm.salvage,
                starts_in_thinking=self.paradigm.reasoning.starts_inside,
            ),
        )


def _redacted_tool(tool: ToolSpec, stand_ins: StandIns) -> ToolSpec:
    return ToolSpec(tool.name, stand_ins(tool.description), stand_ins.value(tool.parameters))
