"""Writing the choice into a settings file, and nothing else."""

from __future__ import annotations

import os
import stat
import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolproto import UsageError
from toolproto.cli.chosen import choice_of, save_choice, with_choice
from toolproto.testing.probe import Arm
from toolproto.testing.probe.arms import NATIVE

CHOICE = choice_of(Arm("hermes", "typescript", True, teaching="eager"))
NEW = """\
[models.m]
paradigm = "hermes"
teaching = "eager"
describe = "typescript"
examples = true
"""


def _told(text: str, model: str = "m") -> dict[str, object]:
    return tomllib.loads(text)["models"][model]


ODD = [
    "",
    "\n\n",
    "# nothing but a comment",
    'endpoint = "http://localhost:8080/v1"\n',
    'model = "m"',  # no line end
    'model = "m"\r\n[chat]\r\ntools = ["a.py"]\r\n',
    '[models."other"]\nparadigm = "react"\n',
    '[models.other]\nparadigm = "react"\n\n# the end\n\n\n',
    '[models]\n[models."other"] # yes\nexamples = false\n',
    'text = """\n[models."m"]\nparadigm = "x"\n"""\n',
    "text = '''\n[models.m]\n'''\n",
    'list = [\n  "[models.m]",\n]\n',
    "[[table]]\na = 1\n[[table]]\na = 2\n",
    '"[models" = 1\n',
    '[models."m.sub"]\nparadigm = "react"\n',
]


@pytest.mark.parametrize("text", ODD)
def test_a_new_model_is_added_behind_everything(text):
    after = with_choice(text, "m", CHOICE)
    assert after.startswith(text)
    assert _told(after) == CHOICE
    before = tomllib.loads(text)
    before.setdefault("models", {})["m"] = CHOICE
    assert tomllib.loads(after) == before


def test_an_empty_file_gets_the_table_alone():
    assert with_choice("", "m", CHOICE) == NEW


def test_line_ends_stay_what_they_are():
    after = with_choice('model = "m"\r\n', "m", CHOICE)
    assert "\n" not in after.replace("\r\n", "")


KNOWN = [
    ('[models."m"]\nparadigm = "react"\n', '[models."m"]\nparadigm = "hermes"\n'),
    ("[models.m]\nparadigm = 'react' # why\n", '[models.m]\nparadigm = "hermes" # why\n'),
    (
        '  [ models . "m" ]  # mine\n  paradigm="react"\n\n[chat]\n',
        '  [ models . "m" ]  # mine\n  paradigm="hermes"\n\n[chat]\n',
    ),
    (
        'a = """\n[models.m]\nparadigm = "x"\n"""\n[models.m]\nparadigm = "y"\n',
        'a = """\n[models.m]\nparadigm = "x"\n"""\n[models.m]\nparadigm = "hermes"\n',
    ),
    (
        '[models.m]\r\nparadigm = "react"\r\n[models.z]\r\nparadigm = "react"\r\n',
        '[models.m]\r\nparadigm = "hermes"\r\n[models.z]\r\nparadigm = "react"\r\n',
    ),
    ("[models.m]", '[models.m]\nparadigm = "hermes"\n'),
    ("[models.m]\n", '[models.m]\nparadigm = "hermes"\n'),
    ("[models.m]\n# none yet\n", '[models.m]\n# none yet\nparadigm = "hermes"\n'),
    ('[models.m]\nparadigm = "a\\"b"', '[models.m]\nparadigm = "hermes"'),
    (
        '[models.m]\nother = """\nparadigm = "x"\n"""\nparadigm = "y"\n',
        '[models.m]\nother = """\nparadigm = "x"\n"""\nparadigm = "hermes"\n',
    ),
    (
        "models = { m = { paradigm = 'react' }, z = {} }\n",
        'models = { m = { paradigm = "hermes" }, z = {} }\n',
    ),
    ("[models]\nm = { paradigm = 'react' }\n", '[models]\nm = { paradigm = "hermes" }\n'),
    ("[models]\nm.paradigm = 'react'\n", '[models]\nm.paradigm = "hermes"\n'),
    ("models.m.paradigm = 'react'\n", 'models.m.paradigm = "hermes"\n'),
    ('[models.m]\nparadigm = """react"""\n', '[models.m]\nparadigm = "hermes"\n'),
    ("[models.m]\nparadigm = [\n'react']\n", '[models.m]\nparadigm = "hermes"\n'),
]


@pytest.mark.parametrize("before, after", KNOWN)
def test_a_known_model_has_its_values_changed_in_place(before, after):
    assert with_choice(before, "m", {"paradigm": "hermes"}) == after


def test_all_is_set_and_what_else_is_there_stays():
    before = '[models.m]\nexamples = false # no\nparadigm = "react"\n[chat]\nshow = true\n'
    after = with_choice(before, "m", CHOICE)
    assert after == (
        '[models.m]\nexamples = true # no\nparadigm = "hermes"\n'
        'teaching = "eager"\ndescribe = "typescript"\n'
        "[chat]\nshow = true\n"
    )


def test_the_same_choice_again_changes_nothing():
    once = with_choice("# mine\n", "m", CHOICE)
    assert with_choice(once, "m", CHOICE) == once


REFUSED = [
    'models = "none"\n',
    "models = 3\n",
    "[models]\nm = 3\n",
    "models = {}\n",
    "[[models]]\nm = 1\n",
]


@pytest.mark.parametrize("text", REFUSED)
def test_a_form_that_is_not_edited_is_refused_with_what_to_write(text):
    with pytest.raises(UsageError, match=r'\[models\.m\].*yourself: paradigm = "hermes"'):
        with_choice(text, "m", CHOICE)


@pytest.mark.parametrize("text", ["[", "a = ", "\ufeffa = 1\n", "a = 1\na = 2\n", "x\x00y", "[a\n"])
def test_what_is_not_toml_is_told(text):
    with pytest.raises(UsageError, match=r"settings\.toml is not TOML"):
        with_choice(text, "m", CHOICE, "settings.toml")


NAMES = ["qwen2.5:0.5b", "a b", "Qwen/Qwen2.5-7B", 'say "hi"', "back\\slash", "]", "ü\u2028", ""]


@pytest.mark.parametrize("model", [*NAMES, "\x7f\t\n\x01", "models", "\U0001f600"])
def test_a_model_may_be_called_anything(model):
    after = with_choice("a = 1\n", model, CHOICE)
    assert _told(after, model) == CHOICE
    assert _told(with_choice(after, model, {"paradigm": "react"}), model)["paradigm"] == "react"


@given(
    st.lists(
        st.sampled_from([*ODD[3:], NEW, "[models.m]\n", 'paradigm = "x"\n', "# c\n", "'''\n"])
    ),
    st.sampled_from(["m", "other", "m.sub"]),
)
def test_whatever_the_file_it_changes_as_meant_or_not_at_all(parts, model):
    text = "".join(parts)
    try:
        after = with_choice(text, model, CHOICE)
    except UsageError:
        return
    told = tomllib.loads(text)
    told.setdefault("models", {}).setdefault(model, {}).update(CHOICE)
    assert tomllib.loads(after) == told


# -- the file -------------------------------------------------------------------------------

ARM = Arm("hermes", "typescript", True, teaching="eager")


def test_a_file_is_made_where_there_is_none(tmp_path):
    path = tmp_path / "toolproto.toml"
    assert save_choice(path, "m", ARM)
    assert path.read_text() == NEW
    assert not save_choice(path, "m", ARM)


def test_a_probe_that_tried_the_services_own_tools_says_whether_to_use_them(tmp_path):
    path = tmp_path / "toolproto.toml"
    save_choice(path, "m", ARM, tried_native=True)
    assert tomllib.loads(path.read_text())["models"]["m"]["native"] == "never"
    save_choice(path, "m", NATIVE, tried_native=True)
    told = tomllib.loads(path.read_text())["models"]["m"]
    assert (told["native"], told["paradigm"]) == ("auto", "hermes")


def test_a_file_keeps_its_mode_and_its_bytes(tmp_path):
    path = tmp_path / "toolproto.toml"
    path.write_bytes("# é\r\nx = 1\r\n".encode())
    path.chmod(0o600)
    save_choice(path, "m", ARM)
    assert path.read_bytes().startswith("# é\r\nx = 1\r\n".encode())
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert os.listdir(tmp_path) == ["toolproto.toml"]


def test_a_link_stays_a_link(tmp_path):
    real = tmp_path / "real.toml"
    real.write_text("x = 1\n")
    link = tmp_path / "toolproto.toml"
    link.symlink_to(real)
    save_choice(link, "m", ARM)
    assert link.is_symlink() and "hermes" in real.read_text()


def test_a_file_that_cannot_be_edited_is_left_as_it_was(tmp_path):
    path = tmp_path / "toolproto.toml"
    for content in (b"models = 3\n", b"\xff\xfe"):
        path.write_bytes(content)
        with pytest.raises(UsageError):
            save_choice(path, "m", ARM)
        assert path.read_bytes() == content
    assert os.listdir(tmp_path) == ["toolproto.toml"]
