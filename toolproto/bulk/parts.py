"""The output while it is made: a folder of parts, one for each piece of the inputs.

A part is written under another name and then renamed, so a part that is there is whole. A run that
was broken off makes the parts that are missing. Beside each part lies its slip, written before it:
of which piece it is, the counts of its rows, and those that could not be read. ``plan.json`` says
of which inputs and options the parts are.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..protocol.errors import ToolProtoError, UsageError
from .formats import Format, written
from .pieces import Piece
from .tally import Tally
from .work import Done

__all__ = ["Parts", "Slip"]

_PLAN = "plan.json"
_OURS = re.compile(r"\.?part-\d{6,}\.|\.?(plan|manifest)\.json")


@dataclass(frozen=True, slots=True)
class Slip:
    """What is in the part at *path*: its rows as *tally* counts them, and the *bad* ones."""

    path: Path
    tally: Tally
    bad: str


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts in *folder*, each a file of *kind*. One process writes them."""

    folder: Path
    kind: Format

    def _part(self, number: int) -> Path:
        return self.folder / f"part-{number:06d}{self.kind.value}"

    def _slip(self, number: int) -> Path:
        return self.folder / f"part-{number:06d}.slip"

    def write(self, piece: Piece, done: Done) -> None:
        """Write what came of *piece*."""
        told = {"piece": piece.told(), "tally": done.tally.told(), "bad": done.bad}
        self._slip(piece.number).write_text(json.dumps(told), encoding="ascii")
        with written(self._part(piece.number)) as file:
            file.write(done.data)

    def has(self, piece: Piece) -> bool:
        """Return True if the part of *piece* is there; one of another piece is not."""
        try:
            told = json.loads(self._slip(piece.number).read_bytes())
            return bool(told["piece"] == piece.told()) and self._part(piece.number).exists()
        except (OSError, ValueError, KeyError, TypeError):
            return False

    def slip(self, number: int) -> Slip:
        """Return what is in part *number*; ToolProtoError if somebody took it away."""
        path = self._part(number)
        try:
            told = json.loads(self._slip(number).read_bytes())
            path.stat()
        except OSError:
            raise ToolProtoError(
                f"a part of {str(self.folder)!r} has disappeared; continue with --resume"
            ) from None
        return Slip(path, Tally.from_told(told["tally"]), told["bad"])

    @property
    def begun(self) -> bool:
        """Whether a run that was broken off left parts to continue from."""
        return (self.folder / _PLAN).exists()

    @contextmanager
    def planned(self, about: Mapping[str, Any], *, anew: bool) -> Iterator[None]:
        """Keep other runs out, and parts of other runs; what is there goes if it is *anew*.

        A run that fails before it has a part leaves nothing behind.
        """
        plan = self.folder / _PLAN
        if anew or not plan.exists():
            self._clear()
            with written(plan) as file:
                file.write(json.dumps(dict(about)).encode())
        with open(plan, "rb") as held:
            _lock(held, self.folder)
            _refuse_other(plan, about)
            try:
                yield
            except UsageError:
                if not any(self.folder.glob("part-*")):
                    self.remove()
                raise

    def _clear(self) -> None:
        """Have the folder, with nothing in it; one with other people's files is left alone."""
        if self.folder.exists():
            others = [path.name for path in self.folder.iterdir() if not _OURS.match(path.name)]
            if others:
                raise UsageError(
                    f"the parts are written to {str(self.folder)!r}, but it contains {others[0]!r},"
                    " which toolproto did not write; move it, or name another --output"
                )
            shutil.rmtree(self.folder)
        self.folder.mkdir()

    def remove(self) -> None:
        """Delete the parts, which are needed no more."""
        shutil.rmtree(self.folder)


def _refuse_other(plan: Path, about: Mapping[str, Any]) -> None:
    try:
        found = json.loads(plan.read_bytes())
        keys = about.keys() | found.keys()
    except (ValueError, AttributeError):
        raise UsageError(
            f"{str(plan)!r} was not written by toolproto; begin again with --force"
        ) from None
    if other := sorted(key for key in keys if about.get(key) != found.get(key)):
        raise UsageError(
            f"the parts in {str(plan.parent)!r} come from a run with other values of "
            f"{', '.join(other)}; give the same ones, or begin again with --force"
        )


def _lock(file: Any, folder: Path) -> None:
    """Keep other runs out of *folder*; where there are no locks, trust that there are none."""
    try:
        import fcntl
    except ImportError:
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        raise UsageError(f"another run writes to {str(folder)!r}; wait for it, or end it") from None
