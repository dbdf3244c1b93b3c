"""How far a run has come, in a small file beside its output.

It says of which inputs and options it is the progress, where in the inputs reading stands, and
how long the output was then. It is written after the output is, and takes the place of the one
before in one step: at any moment the output is at least as long as the journal says, and what is
beyond that can be cut off and made again.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from ...errors import UsageError
from .batches import Position
from .tally import Tally
from .work import Done

__all__ = ["Journal", "Progress"]

_VERSION = 1


class Progress(NamedTuple):
    """Where reading stands, how long the output was then, and what there was so far."""

    position: Position
    length: int
    tally: Tally

    def plus(self, done: Done, after: Position) -> Progress:
        """The progress when *done* was written, too, and reading stands at *after*."""
        return Progress(after, self.length + len(done.data), self.tally + done.tally)


class Journal:
    """The file at *path*, about a run that *about* describes."""

    def __init__(self, path: Path, about: Mapping[str, Any]) -> None:
        self.path = path
        self._about = dict(about)

    def write(self, progress: Progress) -> None:
        """Keep *progress* instead of what was kept before."""
        told = {
            "version": _VERSION,
            "about": self._about,
            "position": progress.position,
            "length": progress.length,
            "tally": progress.tally.told(),
        }
        new = self.path.with_name(f"{self.path.name}.new")
        with open(new, "w", encoding="utf-8") as file:
            json.dump(told, file)
            file.flush()
            os.fsync(file.fileno())
        os.replace(new, self.path)

    def read(self) -> Progress:
        """What was kept; UsageError if that was about another run, or is no journal."""
        try:
            told = json.loads(self.path.read_text(encoding="utf-8"))
            about = told["about"]
            progress = Progress(
                Position(*told["position"]), int(told["length"]), Tally.from_told(told["tally"])
            )
        except (ValueError, KeyError, TypeError):
            raise UsageError(
                f"{str(self.path)!r} is no journal of ours; begin again with --force"
            ) from None
        self._refuse_other(about)
        return progress

    def remove(self) -> None:
        """The run is complete."""
        self.path.unlink(missing_ok=True)

    def _refuse_other(self, about: Mapping[str, Any]) -> None:
        keys = self._about.keys() | about.keys()
        if other := sorted(key for key in keys if self._about.get(key) != about.get(key)):
            raise UsageError(
                f"what {str(self.path)!r} tells of was begun with other {', '.join(other)}; "
                "say the same as then, or begin again with --force"
            )
