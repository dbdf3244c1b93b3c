"""The output while it is made: a folder of parts, one for each batch of the inputs.

A part is written under another name and then renamed, so a part that is there is whole, and a run
that was broken off makes the parts that are missing. ``manifest.json`` says of which inputs and
options the parts are; in an output that stays a folder it lists them in the end.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..protocol.errors import UsageError
from .counts import ReplyCounts
from .outputs import RowFormat, rows_in, written
from .work import ParsedRows

__all__ = ["MANIFEST", "PartFolder"]

MANIFEST = "manifest.json"
_OURS = re.compile(r"\.?(part-\d{6,}\.|manifest\.json)")


@dataclass(frozen=True, slots=True)
class PartFolder:
    """The parts in *folder*, each a file of *kind*. One process writes them."""

    folder: Path
    kind: RowFormat

    def part(self, number: int) -> Path:
        """Return where part *number* is, or will be."""
        return self.folder / f"part-{number:06d}{self.kind.value}"

    def write(self, number: int, data: bytes) -> None:
        """Write part *number*; at any moment it is not there, or all of it is."""
        with written(self.part(number)) as file:
            file.write(data)

    def counted(self, number: int) -> ParsedRows:
        """Count the rows of part *number*, which is there already."""
        counts = ReplyCounts()
        for row in rows_in(self.kind, self.part(number)):
            counts.count(row)
        return ParsedRows(None, counts)

    @property
    def is_begun(self) -> bool:
        """Whether a run that was broken off left parts to continue from."""
        return not self.is_complete and any(self.folder.glob("part-*"))

    @property
    def is_complete(self) -> bool:
        """Whether these are all the parts of a run."""
        return "parts" in self._manifest()

    def _manifest(self) -> Mapping[str, Any]:
        try:
            found = json.loads((self.folder / MANIFEST).read_bytes())
        except (OSError, ValueError):
            return {}
        return found if isinstance(found, dict) else {}

    def begin(self, about: Mapping[str, Any], *, anew: bool) -> None:
        """Continue with the parts that are there, unless they are to be made *anew*.

        Raises UsageError if they come from a run about something else.
        """
        if anew or not self.is_begun:
            self.clear()
            self.folder.mkdir(exist_ok=True)
            self.tell(about)
            return
        found = self._manifest()
        if not found:
            raise UsageError(
                f"{str(self.folder / MANIFEST)!r} was not written by toolproto; "
                "begin again with --force"
            )
        keys = about.keys() | found.keys()
        if other := sorted(key for key in keys if about.get(key) != found.get(key)):
            raise UsageError(
                f"the parts in {str(self.folder)!r} come from a run with other values of "
                f"{', '.join(other)}; give the same ones, or begin again with --force"
            )

    def tell(self, about: Mapping[str, Any]) -> None:
        """Write the manifest."""
        with written(self.folder / MANIFEST) as file:
            file.write(json.dumps(dict(about), indent=1).encode())

    def clear(self) -> None:
        """Delete the parts, and the manifest last; files of other people are left alone."""
        for path in sorted(self.folder.glob("*"), reverse=True):
            if _OURS.match(path.name):
                path.unlink()
