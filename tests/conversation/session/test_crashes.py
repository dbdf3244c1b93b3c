"""Some of what ``soak.crashes`` does: sessions killed at their writes, and gone on with."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]

pytest.importorskip("sqlalchemy")
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="forks, and kills")


def soak(*options: str) -> str:
    """What the soak says. It forks, so it runs in a process without pytest's threads."""
    command = [sys.executable, "-m", "soak.crashes", "--jobs", "1", *options]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def counted(what: str, line: str) -> int:
    found = re.search(rf"([\d,]+) {what}", line)
    return int(found[1].replace(",", "")) if found else 0


def test_nothing_is_lost_or_done_twice_wherever_a_session_is_killed():
    whole, control = soak(
        "--kills", "0", "--scripts", "1", "--seed", "5", "--stride", "7"
    ).splitlines()
    assert "every write" in whole and "; 0 faults" in whole
    assert counted("kills", whole) >= 10
    assert counted("interrupted calls", whole) >= 1
    assert counted("repeated effects", whole) == 0
    # The same without a record of a call's start shows that this would have been noticed.
    assert counted("repeated effects", control) >= 1
