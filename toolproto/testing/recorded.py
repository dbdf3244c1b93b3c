"""Recorded replies as test items: how pytest finds, names and runs them."""

from __future__ import annotations

from collections.abc import Collection, Generator, Iterator
from pathlib import Path
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from ..protocol.errors import ToolProtoError
from ..protocol.paradigms.parsed import ParsedResponse
from .fixtures import Fixture, load_fixture
from .laws.broken import LawBroken, shown
from .laws.comparison import same_events, side_by_side
from .snapshot_format import BesideReply

__all__ = ["RecordedReplies"]


#: What could not be read, by its reason: the case that told it.
_FAULTS = pytest.StashKey[dict[str, str]]()


class RecordedReplies:
    """Collects ``<paradigm>/<case>.txt`` below *folders*."""

    def __init__(self, folders: Collection[Path]) -> None:
        self._folders = {folder.resolve() for folder in folders}

    @pytest.hookimpl(wrapper=True)
    def pytest_collect_file(
        self, file_path: Path, parent: pytest.Collector
    ) -> Generator[None, list[Any], list[Any]]:
        """In place of other collectors: pytest takes ``.txt`` files for doctests."""
        others = yield
        if file_path.suffix not in (".txt", ".snap"):
            return others
        if file_path.parent.parent.resolve() not in self._folders:
            return others
        if file_path.suffix == ".txt":
            return [ReplyFile.from_parent(parent, path=file_path)]
        if file_path.with_suffix(".txt").exists():
            return others
        return [LeftOverFile.from_parent(parent, path=file_path)]


class ReplyFile(pytest.File):
    """A reply; its one test is called like the case."""

    def collect(self) -> Iterator[pytest.Item]:
        """The reply's test."""

        def reads_as_its_snapshot(snapshot: SnapshotAssertion) -> None:
            check_reply(self.path, snapshot, self.config)

        yield RecordedItem.from_parent(self, name=self.path.stem, callobj=reads_as_its_snapshot)


class LeftOverFile(pytest.File):
    """A snapshot without a reply; its one test is there so that syrupy asks what became of it."""

    def collect(self) -> Iterator[pytest.Item]:
        """The test that fails until the snapshot is gone."""

        def has_its_reply(snapshot: SnapshotAssertion) -> None:
            snapshot.use_extension(BesideReply)
            asked = self.config.option
            if not asked.update_snapshots and not asked.warn_unused_snapshots:
                pytest.fail(
                    f"{self.path.name} has no {self.path.stem}.txt beside it"
                    "\n→ pytest --snapshot-update deletes it",
                    pytrace=False,
                )

        yield RecordedItem.from_parent(self, name=self.path.stem, callobj=has_its_reply)


class RecordedItem(pytest.Function):
    """A function, because syrupy looks after the snapshots of functions only."""

    def reportinfo(self) -> tuple[Path, int, str]:
        """Where it stands: in the recorded file, not in this one."""
        return self.path, 0, f"{self.path.parent.name}/{self.path.stem}"


def check_reply(path: Path, snapshot: SnapshotAssertion, config: pytest.Config) -> None:
    """The reply in *path* reads as its snapshot says, in one piece and character by character."""
    whole = _read(path)
    if isinstance(whole, str):
        pytest.fail(_told_once(whole, path, config), pytrace=False)
    beside = snapshot.use_extension(BesideReply)
    same = beside == whole
    if not same:
        [difference, *_] = config.hook.pytest_assertrepr_compare(
            config=config, op="==", left=whole, right=beside
        )
        said = "\n".join(difference)
        pytest.fail(f"{said}\n→ {_advice(path)}", pytrace=False)


def _read(path: Path) -> ParsedResponse | str:
    """What the reply in *path* says, or why that is not known."""
    try:
        fixture = load_fixture(path)
        whole = fixture.read()
        _check_pieces(fixture, whole)
        _check_problems(fixture, whole)
    except (ToolProtoError, LawBroken) as error:
        return str(error)
    return whole


def _told_once(fault: str, path: Path, config: pytest.Config) -> str:
    """*fault*, or where it was told already: a broken tools.json concerns every reply."""
    case = f"{path.parent.name}/{path.stem}"
    first = config.stash.setdefault(_FAULTS, {}).setdefault(fault, case)
    return fault if first == case else f"not read, for the reason given for {first}"


def _check_pieces(fixture: Fixture, whole: ParsedResponse) -> None:
    pieces = fixture.read(size=1)
    if not same_events(whole.events, pieces.events):
        titles = ("in one piece", "character by character")
        raise LawBroken(
            "chunking",
            f"{shown(fixture.reply)} is read differently:\n"
            + side_by_side(titles, whole.events, pieces.events),
            "decide by position in the text: hold back what more text could change",
        )


def _check_problems(fixture: Fixture, whole: ParsedResponse) -> None:
    found = tuple(problem.kind.value for problem in whole.problems)
    if fixture.problems is not None and found != fixture.problems:
        pytest.fail(
            f"the problems found are {list(found)!r}, and {fixture.case}.toml expects"
            f" {list(fixture.problems)!r}",
            pytrace=False,
        )


def _advice(path: Path) -> str:
    if path.with_suffix(".snap").exists():
        return "if the new reading is right: pytest --snapshot-update, and review the difference"
    return f"there is no {path.stem}.snap yet: pytest --snapshot-update writes it for review"
