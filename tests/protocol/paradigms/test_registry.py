"""Paradigms by name: ours, a program's own, and installed ones."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib import invalidate_caches
from pathlib import Path

import pytest
from click.testing import CliRunner

from toolproto import (
    Limits,
    Reasoning,
    ToolCall,
    UsageError,
    WireFormat,
    WireParadigm,
    counted_ids,
    get_paradigm,
    list_paradigms,
    register_paradigm,
)
from toolproto.cli.app import main
from toolproto.protocol.paradigms import JsonStrict, XmlTag, registry


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    """What a test registers is gone when it ends."""
    known = dict(registry._registered)
    yield
    registry._registered.clear()
    registry._registered.update(known)


def paradigm(name: object) -> type[WireParadigm]:
    """A paradigm class of that name, not registered yet."""
    return type("Made", (WireParadigm,), {"name": name, "wire": WireFormat(call=("<<", ">>"))})


def test_the_paradigms_of_the_library_are_there_in_order():
    assert [name for name in list_paradigms() if name in ("json_strict", "xml_tag")] == [
        "json_strict",
        "xml_tag",
    ]
    assert list_paradigms() == sorted(list_paradigms())


def test_json_strict_is_the_default():
    assert isinstance(get_paradigm(), JsonStrict)


@pytest.mark.parametrize("name", ["xml_tag", "XML_Tag", "xml-tag", "XML-TAG", " xml_tag\n"])
def test_a_name_may_be_spelt_otherwise(name):
    assert isinstance(get_paradigm(name), XmlTag)


def test_each_time_a_new_one_is_made():
    assert get_paradigm("xml_tag") is not get_paradigm("xml_tag")


def test_options_reach_the_paradigm():
    limits, reasoning = Limits(characters=10), Reasoning(starts_inside=True)
    made = get_paradigm("xml_tag", ids=counted_ids("t"), limits=limits, reasoning=reasoning)
    assert (made.ids(), made.limits, made.reasoning) == ("t1", limits, reasoning)


def test_an_option_that_is_not_one_is_refused():
    with pytest.raises(TypeError, match="colour"):
        get_paradigm("xml_tag", colour="red")


def test_a_form_of_ones_own_may_have_a_name_of_the_catalogue_that_was_not_asked_for():
    with registry.free_names(["jamba"]):
        mine = register_paradigm(paradigm("jamba"))
        assert get_paradigm("apriel").name == "apriel"  # declared beside it
        assert isinstance(get_paradigm("jamba"), mine)
    assert not isinstance(get_paradigm("jamba"), mine)


@pytest.mark.parametrize(
    "name, near",
    [
        ("xmltag", "; did you mean 'xml_tag', 'xlam' or 'xml_strict'?"),
        ("hermez", "; did you mean 'hermes'"),
        ("zzzzzz", ";"),
        ("z" * 10_000, ";"),
    ],
    ids=lambda each: each[:20],
)
def test_an_unknown_name_is_answered_with_near_ones_and_how_to_list_the_rest(name, near):
    with pytest.raises(UsageError) as caught:
        get_paradigm(name)
    told = str(caught.value)
    assert told.startswith(f"no paradigm named {name[:100]!r}{near}")
    assert told.endswith(f"`toolproto paradigms` lists all {len(list_paradigms())}")
    assert len(told) < 250


def test_a_class_that_is_defined_anew_takes_the_place_of_the_old_one():
    def defined() -> type[WireParadigm]:
        class Made(WireParadigm):
            name = "made_here"
            wire = WireFormat(call=("<<", ">>"))

        return Made

    old, new = register_paradigm(defined()), register_paradigm(defined())
    assert old is not new
    assert isinstance(get_paradigm("made_here"), new)


def test_a_paradigm_is_shown_by_its_name():
    assert repr(get_paradigm("xml_tag")) == "<paradigm xml_tag>"


def test_a_registered_class_is_returned_and_found():
    made = paradigm("made_here")
    assert register_paradigm(made) is made
    assert isinstance(get_paradigm("Made-Here"), made)
    assert "made_here" in list_paradigms()


def test_the_same_class_may_be_registered_again():
    made = paradigm("made_here")
    register_paradigm(made)
    assert register_paradigm(made) is made


@pytest.mark.parametrize("name", ["json_strict", "xml_tag"])
def test_a_second_paradigm_of_a_name_is_refused(name):
    with pytest.raises(UsageError, match=f"two paradigms are named '{name}'"):
        register_paradigm(paradigm(name))
    assert not isinstance(get_paradigm(name), paradigm(name))


@pytest.mark.parametrize(
    "name",
    ["", " ", "XML", "xml-tag", " xml", "two words", "a.b", "a/b", "a\nb", None, 3],
    ids=repr,
)
def test_a_name_that_is_not_snake_case_is_refused(name):
    with pytest.raises(UsageError, match="must be a snake_case name"):
        register_paradigm(paradigm(name))


def test_a_class_without_a_name_is_refused():
    class Nameless(WireParadigm):
        wire = WireFormat(call=("<<", ">>"))

    with pytest.raises(UsageError, match=r"Nameless\.name"):
        register_paradigm(Nameless)


# -- installed ones -----------------------------------------------------------------------

MODULE = """
from toolproto import WireFormat, WireParadigm

class Plugged(WireParadigm):
    name = "plugged_in"
    wire = WireFormat(call=("<plug>", "</plug>"))

class Misnamed(WireParadigm):
    name = "another_name"
    wire = WireFormat(call=("<plug>", "</plug>"))

not_a_paradigm = 3
"""


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A distribution on disk that says which paradigms it has."""
    (tmp_path / "plugged_paradigms.py").write_text(MODULE, encoding="utf-8")
    info = tmp_path / "plugged-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: plugged\nVersion: 1.0\n")
    monkeypatch.syspath_prepend(tmp_path)
    invalidate_caches()
    yield info / "entry_points.txt"
    sys.modules.pop("plugged_paradigms", None)


def entry_points(path: Path, *lines: str) -> None:
    path.write_text("\n".join(["[toolproto.paradigms]", *lines, ""]), encoding="utf-8")


def test_an_installed_paradigm_is_listed_without_being_imported(installed):
    entry_points(installed, "plugged_in = plugged_paradigms:Plugged")
    assert "plugged_in" in list_paradigms()
    assert "plugged_paradigms" not in sys.modules


@pytest.mark.parametrize("name", ["plugged_in", "Plugged-In"])
def test_an_installed_paradigm_is_found_by_its_name(installed, name):
    entry_points(installed, "plugged_in = plugged_paradigms:Plugged")
    call = ToolCall("now", {})
    assert get_paradigm(name).encode_call(call).startswith("<plug>")


def test_an_installed_paradigm_reads_its_calls(installed):
    entry_points(installed, "plugged_in = plugged_paradigms:Plugged")
    made = get_paradigm("plugged_in")
    call = ToolCall("now", {"a": [1]})
    assert made.parse_response(made.encode_call(call)).calls == [call]


def test_an_installed_paradigm_does_not_replace_ours(installed):
    entry_points(installed, "json_strict = plugged_paradigms:Plugged")
    assert isinstance(get_paradigm("json_strict"), JsonStrict)
    assert list_paradigms().count("json_strict") == 1


#: Entry points that lead nowhere good: the program's mistake, said at once and by name.
BROKEN = {
    "another name": "plugged_in = plugged_paradigms:Misnamed",
    "not a paradigm": "plugged_in = plugged_paradigms:not_a_paradigm",
    "no such object": "plugged_in = plugged_paradigms:Missing",
    "no such module": "plugged_in = plugged_nowhere:Plugged",
}


@pytest.mark.parametrize("kind", BROKEN)
def test_a_broken_entry_point_is_a_usage_error_that_names_it(installed, kind):
    entry_points(installed, BROKEN[kind])
    with pytest.raises(UsageError, match="plugged_in"):
        get_paradigm("plugged_in")


@pytest.mark.parametrize("kind", BROKEN)
def test_a_broken_entry_point_does_not_touch_the_others(installed, kind):
    entry_points(installed, BROKEN[kind])
    assert isinstance(get_paradigm("xml_tag"), XmlTag)


@pytest.mark.parametrize("module", ["raise ImportError('no numpy')", "raise SystemExit(3)", "x ="])
def test_a_plugin_that_does_not_load_is_a_warning_in_the_list(installed, tmp_path, module):
    (tmp_path / "plugged_paradigms.py").write_text(module)
    entry_points(installed, "plugged_in = plugged_paradigms:Plugged")
    done = CliRunner().invoke(main, ["paradigms"])
    assert done.exit_code == 0 and "json_strict" in done.stdout
    (warning,) = done.stderr.splitlines()
    assert warning.startswith("warning: plugged_in is left out: the paradigm 'plugged_in' of")
