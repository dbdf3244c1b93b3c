"""The outcomes of one version of a paradigm, kept in a file to compare the next one with.

The file has JSON lines: what it is, then one case on each.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..protocol.errors import UsageError
from .replaying import FIELDS, CaseOutcome

__all__ = ["load_outcomes", "save_outcomes"]

_FORMAT = "toolproto outcomes"
_VERSION = 1


def save_outcomes(path: Path, outcomes: Mapping[str, CaseOutcome]) -> None:
    """Write *outcomes* to *path*, over what is there if that is such a file, too."""
    if path.exists():
        load_outcomes(path)  # a slip of the pen must not cost anybody another file
    lines = [{"format": _FORMAT, "version": _VERSION}]
    lines += [{"case": case, **outcomes[case]} for case in sorted(outcomes)]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")


def load_outcomes(path: Path) -> dict[str, CaseOutcome]:
    """The outcomes in *path*, by case."""
    try:
        read = [json.loads(line) for line in path.read_text("utf-8").split("\n") if line.strip()]
    except (OSError, ValueError, RecursionError) as error:
        raise UsageError(f"{path} cannot be read: {error}") from None
    if not read or not isinstance(read[0], dict) or read[0].get("format") != _FORMAT:
        raise UsageError(f"{path} has no outcomes; `toolproto replay … --save {path}` writes them")
    if read[0].get("version") != _VERSION:
        raise UsageError(f"{path} was written by another toolproto; save the outcomes again")
    return dict(_case(path, line) for line in read[1:])


def _case(path: Path, line: Any) -> tuple[str, CaseOutcome]:
    if not isinstance(line, dict) or not isinstance(line.get("case"), str):
        raise UsageError(f"{path}: a line is not an outcome; save the outcomes again")
    return line["case"], {field: line.get(field) for field in FIELDS}
