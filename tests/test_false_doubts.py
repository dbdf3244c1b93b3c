"""In real prose, a call that is a paragraph of its own is a plain one."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.amount import some, some_paradigms
from toolproto.protocol.paradigms import get_paradigm

sys.path.insert(0, str(Path(__file__).parent.parent / "benchmarks"))  # scripts, not a package

from false_doubts import counted, docs, readmes, sentences

#: Each was doubted or lost once: the rules behind it took a sign for more than CommonMark does.
ONCE_DOUBTED = [
    "---",
    "Use <b>.",
    "'Twas.",
    "a (b.",
    "[Reasoning] I need it.",
    "I'll edit the <div> tag. Let me look.",
    "[x]",
    "It takes 1\" or 2'.",
]


@pytest.mark.parametrize("source", [readmes, docs])
def test_no_call_behind_a_sentence_of_a_page_is_doubted_or_lost(source, capsys):
    """A third of the pages in a usual run; the benchmark of the same name reads all."""
    count = counted(get_paradigm("xml_tag"), some(source(), 3), shown=5)
    assert set(count) == {"plain"}, capsys.readouterr().out


@pytest.mark.parametrize("name", some_paradigms())
def test_no_form_is_doubted_behind_a_sentence(name, capsys):
    pages = ["So it is.\n\n", *(f"Well.\n\n{each}\n\nSo.\n\n" for each in ONCE_DOUBTED)]
    count = counted(get_paradigm(name), pages, shown=5)
    assert set(count) == {"plain"}, capsys.readouterr().out


def test_a_call_is_put_where_its_paragraph_is_one_of_the_page():
    page = "One.\n\n- Two.\n\n```\nThree.\n\n```\n\n<think>Four.\n\n"
    assert [each.split()[-1] for each in sentences(page)] == ["One.", "Two."]
