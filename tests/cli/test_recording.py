"""The picture at the top of the README shows what happens in a terminal."""

from __future__ import annotations

import re
import runpy
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

if sys.platform == "win32":
    pytest.skip("needs a pseudo-terminal", allow_module_level=True)

DOCS = Path(__file__).parents[2] / "docs"
MADE = runpy.run_path(str(DOCS / "make_recording.py"))
KEPT = (DOCS / "pictures" / "first-minute.svg").read_text(encoding="utf-8")
SVG = "{http://www.w3.org/2000/svg}"


def said(svg: str) -> list[str]:
    """What is written in each frame."""
    return [
        "\n".join("".join(text.itertext()) for text in frame.iterfind(f"{SVG}text"))
        for frame in ElementTree.fromstring(svg).iterfind(f"{SVG}g")
    ]


def test_the_recording_is_what_the_commands_print_today():
    assert said(KEPT) == said(MADE["as_svg"](MADE["played"]())), "run docs/make_recording.py"


def test_the_recording_ends_with_the_repair_and_has_the_answer_of_the_model():
    frames = said(KEPT)
    assert "lossless: other quotation marks [quote_style]" in frames[-1]
    assert any("✓ get_weather · 17 °C, sunny" in frame for frame in frames)


def test_the_recording_needs_nothing_from_elsewhere():
    assert set(re.findall(r"https?://[^\"' )]+", KEPT)) == {"http://www.w3.org/2000/svg"}
    assert len(KEPT) < 150_000
