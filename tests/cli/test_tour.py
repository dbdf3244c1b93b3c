"""The tour, with nobody there, and with somebody who leaves."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.patience import PATIENCE
from toolproto.cli.tour import STEPS


@pytest.mark.time_limit(300)
def test_it_runs_to_its_end_with_nobody_there(tmp_path):
    # `make demo` has the model at work; here it would take most of the time.
    command = [sys.executable, "-m", "toolproto", "tour", "--into", str(tmp_path / "tour")]
    done = subprocess.run(
        command,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        env={**os.environ, "TOOLPROTO_MODELS": str(tmp_path / "none")},
        timeout=290,
    )
    seen = done.stdout + done.stderr
    assert done.returncode == 0, seen
    assert [step.title for step in STEPS if step.title not in done.stdout] == []
    assert [step.command for step in STEPS if f"  $ {step.command}\n" not in done.stdout] == []
    for words in (
        "  $ toolproto model pull smollm2\n",
        "lossless: other quotation marks",
        "it is in code",
        "the model was told: not run: the user said no",
        "test_bracket.py",
        "5 passed",
        "That was the tour",
    ):
        assert words in seen, seen
    for name in ("drifted.txt", "shown.txt", "approval.py", "bracket.py"):
        assert (tmp_path / "tour" / name).is_file()


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_somebody_may_leave_at_any_step_and_answer_the_question(tmp_path):
    import pexpect

    words = ["-m", "toolproto", "tour", "--into", str(tmp_path / "tour")]
    environment = {**os.environ, "TOOLPROTO_MODELS": str(tmp_path / "none"), "TERM": "dumb"}
    child = pexpect.spawn(
        sys.executable, words, encoding="utf-8", timeout=PATIENCE, env=environment,
        dimensions=(50, 120),
    )  # fmt: skip
    child.expect_exact("toolproto model pull smollm2")  # the first step cannot be taken
    for _ in range(2):
        child.expect_exact("Enter runs it, q leaves.")
        child.send("\r")
    child.expect_exact("it is in code")
    child.expect_exact("Enter runs it, q leaves.")
    child.send("\r")
    child.expect_exact("run it? [y/n]")
    child.sendline("y")
    child.expect("the model was told: replaced .*notes/shopping.txt")
    child.expect_exact("Enter runs it, q leaves.")
    child.send("q")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0


def test_a_folder_that_is_there_is_left_alone(tmp_path):
    from click.testing import CliRunner

    from toolproto.cli.app import main

    done = CliRunner().invoke(main, ["tour", "--into", str(tmp_path)], prog_name="toolproto")
    assert done.exit_code == 2
    assert "exists already; remove it, or name another with --into FOLDER" in done.stderr
