"""The file that a run writes, and whether it may: is it new, to be gone on with, or done?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...errors import UsageError
from .inputs import Source
from .journal import Journal, Progress
from .opening import arrow
from .writing import BEGINNING

__all__ = ["Destination"]

_NAMES = (".jsonl", ".ndjson", ".jsonl.gz", ".ndjson.gz")


@dataclass(frozen=True, slots=True)
class Destination:
    """The file *path*, and those beside it until it is complete."""

    path: Path

    @property
    def is_packed(self) -> bool:
        return self.path.suffix.lower() == ".gz"

    @property
    def is_parquet(self) -> bool:
        return self.path.suffix.lower() == ".parquet"

    @property
    def is_device(self) -> bool:
        """Whether it is no file that could be cut or gone on with, as ``/dev/null``."""
        return self.path.exists() and not self.path.is_file()

    @property
    def rows(self) -> Path:
        """Where rows are gathered: in the file itself, if it can be left half done."""
        return self.path.with_name(f"{self.path.name}.rows") if self.is_parquet else self.path

    @property
    def journal(self) -> Path:
        """Where it is kept how far the run has come."""
        return self.path.with_name(f"{self.path.name}.progress")

    def check(self, sources: Sequence[Source]) -> None:
        """Raise UsageError if nothing can be written here while *sources* are read."""
        if self.path.is_dir():
            raise UsageError(f"{str(self.path)!r} is a folder; name a file in it")
        if not self.path.parent.is_dir():
            raise UsageError(f"there is no folder {str(self.path.parent)!r} to write to")
        if self.is_parquet:
            arrow("pyarrow", str(self.path))
        elif not self.is_device and not self.path.name.lower().endswith(_NAMES):
            raise UsageError(
                f"cannot tell from its name what {str(self.path)!r} is to be; "
                "call it .jsonl, .jsonl.gz or .parquet"
            )
        ours = {each.resolve() for each in (self.path, self.rows, self.journal)}
        for source in sources:
            if not source.is_stdin and Path(source.path).resolve() in ours:
                raise UsageError(f"{source.path!r} is both input and output; name another --output")

    def begin(
        self, about: Mapping[str, Any], *, resume: bool, force: bool
    ) -> tuple[Journal, Progress | None]:
        """The journal of a run, and where the run begins: None if it has nothing left to do.

        Raises UsageError rather than write over anything, unless *force* says so.
        """
        journal = Journal(self.journal, about)
        if force:
            return journal, BEGINNING
        if self.journal.exists():
            if not resume:
                raise UsageError(
                    f"a run into {str(self.path)!r} was broken off; "
                    "go on with --resume, or begin again with --force"
                )
            return journal, journal.read()
        if not self.path.exists() or not self.path.stat().st_size:
            return journal, BEGINNING
        if not resume:
            raise UsageError(f"{str(self.path)!r} is there already; --force writes it anew")
        return journal, None
