"""The output while it is made: a folder of parts, one for each piece of the inputs.

A part is written under a name of its own and then renamed, and behind it its *slip*, which says
what is in it. So a part with a slip is whole, and whoever writes it again writes the same bytes. A
run that was broken off, or lost a machine, makes just the parts that have no slip. ``plan.json``
says of which inputs and options the parts are.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any
from uuid import uuid4

from ..errors import UsageError
from .formats import Format
from .tally import Tally

__all__ = ["Parts", "Slip", "write_whole"]

_PLAN = "plan.json"
_OURS = re.compile(r"part-\d{6,}\.|\.part-\d{6,}\.|\.?(plan|manifest)\.json")


@dataclass(frozen=True, slots=True)
class Slip:
    """What is in a part: its *name*, its *size* and *digest*, its rows as *tally* counts them."""

    name: str
    size: int
    digest: str
    tally: Tally

    def told(self) -> dict[str, Any]:
        """All of it, as JSON."""
        return {
            "name": self.name,
            "bytes": self.size,
            "blake2b": self.digest,
            "rows": self.tally.replies,
            "tally": self.tally.told(),
        }


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts in *folder*, each a file of *kind*."""

    folder: Path
    kind: Format

    def part(self, number: int) -> Path:
        """Where part *number* is, or will be."""
        return self.folder / f"part-{number:06d}{self.kind.value}"

    def bad(self, number: int) -> Path:
        """Where the rows of part *number* are told of that could not be read."""
        return self.folder / f"part-{number:06d}.bad"

    def slip(self, number: int) -> Path:
        """Where it is said that part *number* is whole."""
        return self.folder / f"part-{number:06d}.done"

    def write(self, number: int, data: bytes, bad: bytes, tally: Tally) -> None:
        """Let part *number* be *data*; its *bad* rows go beside it."""
        path = self.part(number)
        write_whole(path, data)
        if bad:
            write_whole(self.bad(number), bad)
        slip = Slip(path.name, len(data), blake2b(data, digest_size=16).hexdigest(), tally)
        write_whole(self.slip(number), json.dumps(slip.told()).encode())

    def done(self, number: int) -> Slip | None:
        """What is in part *number*; None if it is not whole."""
        try:
            told = json.loads(self.slip(number).read_bytes())
            slip = Slip(
                told["name"], told["bytes"], told["blake2b"], Tally.from_told(told["tally"])
            )
            return slip if self.part(number).stat().st_size == slip.size else None
        except (OSError, ValueError, KeyError, TypeError):
            return None

    # -- the plan -------------------------------------------------------------------------

    @contextmanager
    def planned(self, about: Mapping[str, Any], *, anew: bool) -> Iterator[None]:
        """Keep other runs out, and parts of other runs; what is there goes if it is *anew*.

        A run that fails before it has a part leaves nothing behind.
        """
        plan = self.folder / _PLAN
        if anew or not plan.exists():
            self._clear()
            write_whole(plan, json.dumps(dict(about)).encode())
        with open(plan, "rb") as file:
            _lock(file, self.folder)
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
        """The parts are needed no more."""
        shutil.rmtree(self.folder)


def write_whole(path: Path, data: bytes) -> None:
    """Let *path* be a file with *data*: at any moment it is not there, or all of it is."""
    # Two machines may have the same piece, when one was taken for dead.
    new = path.with_name(f".{path.name}.{uuid4().hex}")
    with open(new, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    os.replace(new, path)


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
