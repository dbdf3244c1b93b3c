"""Tests end, and can be interrupted, wherever they run."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from .patience import LONGER, PATIENCE, interrupt, limited

ROOT = Path(__file__).parents[1]
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no such signals")

HANGS_IN_PYTHON = "import time\ndef test_it():\n    time.sleep(600)\n"
HEARS_NOTHING = """
import time
def test_it():
    while True:
        try:
            time.sleep(600)
        except BaseException:
            pass
"""


def run_test(folder, text, limit):
    """What pytest says about a test that may take *limit* seconds."""
    mark = f"import pytest\npytestmark = pytest.mark.time_limit({limit})\n"
    (folder / "test_long.py").write_text(mark + text)
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "tests.conftest",
        "-p",
        "no:cacheprovider",
    ]
    return subprocess.run(
        [*command, "-c", str(ROOT / "pyproject.toml"), "--rootdir", str(folder), str(folder)],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )


def test_a_test_that_hangs_fails_and_says_why(tmp_path):
    # A second, since what is set up before the first test has no more either.
    done = run_test(tmp_path, HANGS_IN_PYTHON + "def test_next(): pass\n", 1)
    assert "took more than 1 seconds" in done.stdout
    assert "1 failed, 1 passed" in done.stdout


def test_a_test_that_takes_no_notice_is_ended_with_its_stack(tmp_path):
    done = run_test(tmp_path, HEARS_NOTHING, 0.5)
    assert done.returncode == 1 and "test_long.py" in done.stderr


def test_what_has_a_limit_of_its_own_is_there():
    assert [place for place in LONGER if not (ROOT / place).exists()] == []


def test_a_limit_inside_another_gives_its_signal_back():
    before = signal.getsignal(signal.SIGALRM)
    with limited(PATIENCE):
        pass
    assert signal.getsignal(signal.SIGALRM) is before


def test_children_are_interrupted_although_the_tests_run_in_the_background():
    waits = "import time; print('there', flush=True); time.sleep(600)"
    child = subprocess.Popen(
        [sys.executable, "-c", waits], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    with child:
        assert child.stdout.readline() == b"there\n"
        interrupt(child)
    assert child.returncode == -signal.SIGINT
