"""The files of a probe, in a folder of its own."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path

from ...protocol.errors import UsageError
from .page import page
from .report import ProbeReport

__all__ = ["ProbeFiles", "folder_of"]


def folder_of(model: str) -> Path:
    """Where a probe of *model* is kept if nobody says: ``probe-qwen2.5-0.5b``."""
    return Path("probe-" + (re.sub(r"[^A-Za-z0-9._-]+", "-", model).strip("-.")[:80] or "model"))


@dataclass(frozen=True, slots=True)
class ProbeFiles:
    """The replies as they come, and the report as JSON and as a page."""

    folder: Path

    def make_folder(self) -> None:
        """Have the folder there; UsageError if it cannot be."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UsageError(f"cannot make {str(self.folder)!r}: {error.strerror}") from None

    @property
    def replies(self) -> Path:
        """What is appended to while a probe runs, and read by the next."""
        return self.folder / "replies.jsonl"

    def write(self, report: ProbeReport) -> list[Path]:
        """Write the report, and return the paths of its files."""
        told = json.dumps(report.to_json(), indent=1, ensure_ascii=True)
        written = [self.folder / "report.json", self.folder / "report.html"]
        written[0].write_text(told + "\n", encoding="utf-8")
        written[1].write_text(page(report), encoding="utf-8")
        return written
