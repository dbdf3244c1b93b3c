"""Snapshots of what was read out of replies: one readable file for each, kept by syrupy."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from syrupy.data import Snapshot, SnapshotCollection, SnapshotCollections
from syrupy.extensions.single_file import SingleFileSnapshotExtension, WriteMode
from syrupy.location import PyTestLocation

from ..protocol.messages import is_random_id
from ..protocol.paradigms.parsed import ParsedResponse
from .reading_text import reading_text

__all__ = ["BesideReply", "ReadingSnapshot"]


class ReadingSnapshot(SingleFileSnapshotExtension):
    """``assert parsed == snapshot(extension_class=ReadingSnapshot)``: a ``.snap`` of text each."""

    file_extension = "snap"
    _write_mode = WriteMode.TEXT

    def serialize(self, data: Any, **_: Any) -> str:
        """*data* as text: a ParsedResponse, or text that is kept as it is."""
        if isinstance(data, ParsedResponse):
            return _counted(reading_text(data), data)
        return super().serialize(data)  # type: ignore[return-value]


def _counted(text: str, parsed: ParsedResponse) -> str:
    """*text* with ``call_1``, ``call_2``, … for the ids that were drawn: they differ every time."""
    drawn = [call.id for call in parsed.calls if is_random_id(call.id)]
    for number, id in enumerate(drawn, 1):
        text = text.replace(id, f"call_{number}")
    return text


class BesideReply(ReadingSnapshot):
    """The snapshot of ``<case>.txt`` is ``<case>.snap`` in the same folder.

    One is unused when its reply is gone, and only then: whatever else was not run, by ``-k``,
    ``-x`` or a path, keeps its snapshot.
    """

    @classmethod
    def dirname(cls, *, test_location: PyTestLocation) -> str:
        """The folder of the reply."""
        return str(Path(test_location.filepath).parent)

    @classmethod
    def get_snapshot_name(cls, *, test_location: PyTestLocation, index: Any = 0) -> str:
        """The case, which is the reply's file name."""
        return test_location.basename

    def discover_snapshots(
        self, *, test_location: PyTestLocation, ignore_extensions: list[str] | None = None
    ) -> SnapshotCollections:
        """The snapshot that is a test itself, because it has no reply; see ``recorded.py``."""
        found = SnapshotCollections()
        path = Path(test_location.filepath)
        if path.suffix == ".snap":
            collection = SnapshotCollection(location=str(path))
            collection.add(Snapshot(name=path.stem))
            found.add(collection)
        return found
