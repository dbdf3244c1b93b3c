"""Fixtures read again, and what changed between two versions of a paradigm."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from toolproto import UsageError, get_paradigm, list_paradigms
from toolproto.cli.app import main
from toolproto.protocol.paradigms import registry
from toolproto.protocol.paradigms.registry import free_names
from toolproto.testing.replay_files import load_outcomes, save_outcomes
from toolproto.testing.replay_text import comparison_lines
from toolproto.testing.replaying import compare, fixtures_in, outcomes

SOURCE = '''"""A paradigm."""

from toolproto import JsonCall, WireFormat, WireParadigm, register_paradigm


@register_paradigm
class Angle(WireParadigm):
    """``<<use {…}>>``."""

    name = "replayed_angle"
    wire = WireFormat(call=("<<use ", ">>"), payload=JsonCall(name="tool"))
'''
CALL = '{"tool": "now", "arguments": {}}'
REPLIES = {
    "clean": f"Let me look. <<use {CALL}>>",
    "other_marker": f"Let me look. <<run {CALL}>>",
    "talk": "<<use nothing>>",
    "text": "Hello.",
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    cases = Path("fixtures/replayed_angle")
    cases.mkdir(parents=True)
    for case, reply in REPLIES.items():
        (cases / f"{case}.txt").write_text(reply, encoding="utf-8")
    Path("replayed_angle.py").write_text(SOURCE, encoding="utf-8")
    Path("old.py").write_text(SOURCE.replace("<<use ", "<<run "), encoding="utf-8")
    monkeypatch.setattr(registry, "_registered", dict(registry._registered))
    return tmp_path


def run(*words: str) -> Result:
    return CliRunner().invoke(main, ["replay", *words])


def test_two_versions_in_files_are_compared(folder: Path) -> None:
    result = run("fixtures/replayed_angle", "--against", "old.py")
    assert result.exit_code == 0
    assert result.stdout == (
        "replayed_angle/clean\n"
        "  + call now {}\n"
        f"  - text {json.dumps(REPLIES['clean'])}\n"
        '  + text "Let me look. "\n'
        "replayed_angle/other_marker\n"
        "  - call now {}\n"
        '  - text "Let me look. "\n'
        f"  + text {json.dumps(REPLIES['other_marker'])}\n"
        "replayed_angle/talk\n"
        "  + problem malformed: there is no call in it; expected a JSON object with a string"
        ' "tool" and an object "arguments"\n'
        '  - text "<<use nothing>>"\n'
    )
    assert "1 case read as before, 3 changed" in result.stderr


def test_a_later_version_is_compared_with_what_was_saved(folder: Path) -> None:
    assert run("fixtures", "--save", "saved.jsonl").exit_code == 0
    assert run("fixtures", "--against", "saved.jsonl", "--strict").exit_code == 0
    Path("fixtures/replayed_angle/text.txt").unlink()
    Path("fixtures/replayed_angle/other.txt").write_text("Hi.", encoding="utf-8")
    del registry._registered["replayed_angle"]  # another process would not know it either
    result = run("fixtures", "-p", "old.py", "--against", "saved.jsonl", "--strict", "--json")
    assert result.exit_code == 1
    told = json.loads(result.stdout)
    assert [each["case"] for each in told["changed"]] == [
        "replayed_angle/clean",
        "replayed_angle/other_marker",
        "replayed_angle/talk",
    ]
    assert (told["same"], told["gone"], told["new"]) == (
        0,
        ["replayed_angle/text"],
        ["replayed_angle/other"],
    )
    assert told["changed"][0]["before"]["calls"] == [
        {"name": "now", "arguments": {}, "repairs": []}
    ]


def test_another_paradigm_can_read_them(folder: Path) -> None:
    result = run("fixtures/replayed_angle", "--paradigm", "json_strict", "--against", "xml_tag")
    assert result.exit_code == 0


def test_without_another_version_what_was_read_is_shown(folder: Path) -> None:
    out = run("fixtures/replayed_angle").stdout
    assert out.startswith("replayed_angle/clean\n  call now {}\nreplayed_angle/other_marker\n")
    lines = run("fixtures/replayed_angle", "--json").stdout.splitlines()
    assert [json.loads(line)["case"] for line in lines] == [
        f"replayed_angle/{case}" for case in sorted(REPLIES)
    ]


def test_repairs_that_changed_are_told(folder: Path) -> None:
    before = {"a": {"calls": [], "problems": [], "text": "", "reasoning": ""}}
    call = {"name": "now", "arguments": {}, "repairs": ["lossless quote_style"]}
    after = {"a": {**before["a"], "calls": [call, {**call, "repairs": []}]}}
    lines = list(comparison_lines(compare(before, after)))
    assert lines == ["a", "  + call now {} (lossless quote_style)", "  + call now {}"]
    turned = {"a": {**after["a"], "calls": after["a"]["calls"][::-1]}}
    assert list(comparison_lines(compare(after, turned))) == [
        "a",
        "  ~ the calls come in another order",
    ]


def test_names_that_were_freed_are_whose_they_were_again() -> None:
    kind = type(get_paradigm("xml_tag"))
    with pytest.raises(ZeroDivisionError), free_names(["xml_tag", "nonesuch"]):
        assert "xml_tag" not in list_paradigms()
        registry.register_paradigm(type("Other", (kind,), {"name": "xml_tag"}))
        raise ZeroDivisionError
    assert type(get_paradigm("xml_tag")) is kind


def test_the_recorded_replies_of_this_project_read_as_they_do() -> None:
    fixtures = fixtures_in(Path(__file__).parents[2] / "fixtures" / "hermes")
    read = outcomes(fixtures, lambda fixture: type(get_paradigm(fixture.paradigm)))
    assert len(read) == len(fixtures)
    assert compare(read, read).is_same


def test_what_was_saved_comes_back(tmp_path: Path) -> None:
    odd = {"calls": [], "problems": [], "text": "\ud800\u2028\x00", "reasoning": "é"}
    save_outcomes(tmp_path / "saved.jsonl", {"a/b": odd})
    assert load_outcomes(tmp_path / "saved.jsonl") == {"a/b": odd}


def test_no_other_file_is_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "notes.jsonl"
    path.write_text('{"my": "notes"}\n', encoding="utf-8")
    with pytest.raises(UsageError, match="has no outcomes"):
        save_outcomes(path, {})
    assert path.read_text(encoding="utf-8") == '{"my": "notes"}\n'


HEAD = '{"format": "toolproto outcomes", "version": 1}\n'
UNREADABLE = {
    "empty": "",
    "no JSON": "hello",
    "another file": "[]",
    "another version": HEAD.replace("1", "2"),
    "a case without a name": HEAD + '{"calls": []}',
    "too deep": HEAD + "[" * 100_000,
}


@pytest.mark.parametrize("case", UNREADABLE)
def test_a_file_without_outcomes_is_named(tmp_path: Path, case: str) -> None:
    (tmp_path / "saved.jsonl").write_text(UNREADABLE[case], encoding="utf-8")
    with pytest.raises(UsageError, match=r"saved\.jsonl"):
        load_outcomes(tmp_path / "saved.jsonl")


WRONG = {
    "no such folder": (["nowhere"], "nowhere"),
    "no fixtures": (["empty"], "has no fixtures"),
    "no such paradigm": (["fixtures", "-p", "nonesuch"], "nonesuch"),
    "no such version": (["fixtures", "--against", "nonesuch"], "nonesuch"),
    "no such file": (["fixtures", "--against", "no.py"], "no.py"),
    "nothing saved": (["fixtures", "--against", "no.jsonl"], "no.jsonl"),
    "a version that does not load": (["fixtures", "--against", "broken.py"], "broken.py"),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_mistake_is_told_in_one_line(folder: Path, case: str) -> None:
    Path("empty").mkdir()
    Path("broken.py").write_text("1 / 0", encoding="utf-8")
    words, told = WRONG[case]
    result = run(*words)
    assert result.exit_code == 2
    assert told in result.stderr and result.stderr.count("\n") == 1
