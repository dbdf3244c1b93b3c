"""The pictures in the documentation show what the command line shows."""

from __future__ import annotations

import re
import runpy
from pathlib import Path
from xml.etree import ElementTree

import pytest

DOCS = Path(__file__).parents[3] / "docs"
MADE = runpy.run_path(str(DOCS / "make_pictures.py"))


def said(svg: str) -> str:
    """What is written in a picture; where and in which font is up to the library."""
    texts = ElementTree.fromstring(svg).iterfind(".//{http://www.w3.org/2000/svg}text")
    return " ".join("".join(text.itertext()).replace("\xa0", " ").strip() for text in texts)


@pytest.mark.parametrize("name", MADE["PICTURES"])
def test_a_picture_is_up_to_date(name):
    kept = (DOCS / "pictures" / f"{name}.svg").read_text(encoding="utf-8")
    assert said(kept) == said(MADE["as_svg"](name)), "run docs/make_pictures.py"


@pytest.mark.parametrize("name", MADE["PICTURES"])
def test_a_picture_needs_nothing_from_elsewhere(name):
    kept = (DOCS / "pictures" / f"{name}.svg").read_text(encoding="utf-8")
    assert set(re.findall(r"https?://[^\"' )]+", kept)) == {"http://www.w3.org/2000/svg"}


def test_the_guide_begins_with_what_the_picture_shows():
    page = (DOCS / "chat-command.md").read_text(encoding="utf-8")
    shown = re.findall(r"^```text\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    assert shown[0].rstrip("\n") == MADE["as_text"]("chat")
