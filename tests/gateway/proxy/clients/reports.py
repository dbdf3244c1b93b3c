"""How the programs fared that use real clients, each run once for a whole run of the tests."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .environments import NotInstalled, command_of, installed, locked

__all__ = ["Report", "report_of"]

#: A program ends in a few seconds; the slowest client takes ten to be imported.
_SECONDS = 300
_LAST_WORDS = 3_000
#: Settings of our own interpreter that are none of theirs.
_OURS = ("PYTHONPATH", "PYTHONDONTWRITEBYTECODE")


@dataclass(frozen=True)
class Report:
    """*problems* by model and scenario, whole and streamed; one that is None went well.

    *trouble* is why the program did not run to its end, or not at all, if *not_installed*.
    """

    problems: Mapping[str, str | None]
    trouble: str = ""
    not_installed: bool = False

    @staticmethod
    def row(model: str, scenario: str, streamed: bool) -> str:
        """The key of a problem."""
        return f"{model} {scenario} {'streamed' if streamed else 'whole'}"


def report_of(requirements: str, program: str, given: Sequence[str], kept: Path) -> Report:
    """The report of *program*, from whichever process ran it first; they share *kept*."""
    trouble = _once(kept / f"{requirements}.json", lambda: _missing(requirements))
    if trouble:
        return Report({}, trouble, not_installed=True)
    return Report(**_once(kept / f"{program}.json", lambda: _ran(requirements, program, given)))


def _once(kept: Path, make: Callable[[], Any]) -> Any:
    with locked(kept.with_suffix(".lock")):
        if not kept.exists():
            kept.write_text(json.dumps(make()))
    return json.loads(kept.read_text())


def _missing(requirements: str) -> str:
    """Why *requirements* cannot be installed; empty if they are."""
    try:
        installed(requirements)
    except NotInstalled as reason:
        return str(reason)
    return ""


def _ran(requirements: str, program: str, given: Sequence[str]) -> dict[str, Any]:
    environment = {name: value for name, value in os.environ.items() if name not in _OURS}
    environment["NO_PROXY"] = "127.0.0.1"
    if "TOOLPROTO_FRAMEWORKS" in environment:
        environment["PYTHONPATH"] = str(Path(__file__).parents[4])  # they import toolproto
    process = subprocess.Popen(
        [*command_of(requirements, program), *given],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )
    try:
        said, complaint = process.communicate(timeout=_SECONDS)
        trouble = complaint[-_LAST_WORDS:] if process.returncode else ""
    except subprocess.TimeoutExpired:
        process.kill()
        said, _ = process.communicate()
        trouble = f"it did not end within {_SECONDS} seconds"
    # Clients print things of their own, too; and U+2028 is not the end of a line.
    rows = [json.loads(line) for line in said.split("\n") if line.startswith('{"model"')]
    return {"problems": {_row(told): told["problem"] for told in rows}, "trouble": trouble}


def _row(told: Mapping[str, Any]) -> str:
    return Report.row(told["model"], told["scenario"], told["streamed"])
