"""What can be asked for, and what is refused."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from toolproto import UsageError
from toolproto.cli import scaffold
from toolproto.cli.scaffold import NewParadigm
from toolproto.cli.scaffold.wanted import TAKEN

NAMES = {
    "Bracket": "snake_case",
    "two words": "snake_case",
    "_bracket": "snake_case",
    "bracket_": "snake_case",
    "a__b": "snake_case",
    "1st": "snake_case",
    "": "snake_case",
    "brücke": "snake_case",
    "../etc": "snake_case",
    "x" * 61: "snake_case",
    "class": "Python's own",
    "match": "Python's own",
    "test_me": "pytest",
    "conftest": "pytest",
    "fixtures": "pytest",
    "xml_tag": "already",
    "hermes": "already",
    "json": "module 'json'",
    "click": "module 'click'",
    "toolproto": "module 'toolproto'",
    "tool_call": "ToolCall",
    "wire_paradigm": "WireParadigm",
    "line_decoder": "LineDecoder",
    "value_error": "ValueError",
}


@pytest.mark.parametrize("name", NAMES)
def test_a_name_that_cannot_be_is_refused(name: str) -> None:
    with pytest.raises(UsageError, match=re.escape(NAMES[name])):
        NewParadigm(name, "[[call ", "]]").check()


MARKERS = {
    "none": (dict(opener=""), "needs a marker"),
    "only space": (dict(opener=" \n"), "needs a marker"),
    "a word": (dict(opener="call "), "other reasons"),
    "a bracket": (dict(opener="[", closer="]"), "other reasons"),
    "a row": (dict(opener="{{{", closer="}}}"), "other reasons"),
    "twice the same": (dict(opener="[[x]]", closer="[[x]]"), "let them differ"),
    "the same but for space": (dict(opener="[[x]] ", closer=" [[x]]"), "let them differ"),
    "an escape": (dict(opener="\x1b[[call"), "visible characters"),
    "a hidden character": (dict(opener="[[call\u202e"), "visible characters"),
    "too long": (dict(opener="[[" + "x" * 60), "visible characters"),
    "a closer for lines": (dict(opener="@call ", closer="]]", custom=True), "leave out --close"),
    "a payload for lines": (dict(opener="@call ", payload="xml", custom=True), "leave out"),
    "a quote for lines": (dict(opener="> ", custom=True), "Markdown"),
    "a fence for lines": (dict(opener="```call ", custom=True), "Markdown"),
    "two lines for lines": (dict(opener="@call\n", custom=True), "Markdown"),
}


@pytest.mark.parametrize("case", MARKERS)
def test_markers_that_cannot_be_are_refused(case: str) -> None:
    options, told = MARKERS[case]
    with pytest.raises(UsageError, match=re.escape(told)):
        NewParadigm("my_form", **options).check()  # type: ignore[arg-type]


def test_a_name_gives_those_of_class_module_and_package() -> None:
    flat = NewParadigm("my_form_2", "[[call ", "]]")
    assert (flat.class_name, flat.module) == ("MyForm2", "my_form_2")
    package = NewParadigm("my_form_2", "[[call ", "]]", package=True)
    assert (package.module, package.distribution) == ("toolproto_my_form_2", "toolproto-my-form-2")
    flat.check()
    package.check()


def test_every_name_that_the_templates_use_is_taken() -> None:
    folder = Path(scaffold.__file__).parent / "templates"
    text = "".join(path.read_text(encoding="utf-8") for path in folder.glob("*.py.txt"))
    listed = re.findall(r"^    ([A-Z]\w+),$", text, re.MULTILINE)
    imported = re.findall(r"^from .* import (.*)$", text, re.MULTILINE)
    names = {name for line in imported for name in re.findall(r"\b[A-Z][a-z]\w+", line)}
    assert {*listed, *names} <= TAKEN
