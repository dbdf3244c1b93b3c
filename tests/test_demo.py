"""`make demo` shows what it promises."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

DEMO = Path(__file__).parent.parent / "examples" / "demo.py"


def run(*options: str, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, str(DEMO), *options],
        capture_output=True,
        check=True,
        encoding="utf-8",
        env={"PYTHONIOENCODING": "utf-8", **environment},
    )
    return done.stdout


def test_the_demo_walks_from_the_prompt_to_the_results():
    shown = run()
    assert "You are helpful." in shown
    assert "→ get_weather {'city': 'Rome'}" in shown
    assert '<tool_result name="get_weather" id="call_1">' in shown
    assert "mended: unescaped_quote (guessed)" in shown
    assert "nothing: there was no call" in shown
    assert "Your call of 'write_file' could not be used" in shown


def test_the_demo_holds_a_conversation():
    shown = run()
    assert "not run: /etc/passwd is none of your business" in shown
    assert "completed: 3 rounds, 3 calls" in shown
    assert "/notes.txt is now b'milk\\nbread\\n'" in shown


def test_the_demo_has_colours_only_where_they_are_wanted():
    assert "\x1b[" not in run()
    assert "\x1b[32m" in run(FORCE_COLOR="1")
    assert "\x1b[" not in run(FORCE_COLOR="1", NO_COLOR="1")
    assert "\x1b[" not in run("--plain", FORCE_COLOR="1")
