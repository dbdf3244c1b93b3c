"""Recorded replies become fixtures: one for each class, none ever changed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from toolproto import ToolOffer, ToolSpec, get_paradigm
from toolproto.cli.app import main
from toolproto.testing.capture_classes import malformation
from toolproto.testing.capture_redaction import StandIns
from toolproto.testing.capture_sources import Recorded
from toolproto.testing.capturing import CaptureOutcome, CaptureReport, Skipped, capture
from toolproto.testing.explain import explain_reply
from toolproto.testing.fixtures import load_fixture

XML = get_paradigm("xml_tag")
CITY = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
OFFER = ToolOffer((ToolSpec("get_weather", "Current weather.", CITY),))
CLEAN = '<tool_code>{"name": "get_weather", "arguments": {"city": "Oslo"}}</tool_code>'
TALK = "<tool_code>the weather, please</tool_code>"
OPEN = '<tool_code>{"name": "get_weather", "arguments": {"city": "Oslo"}'
QUOTES = "<tool_code>{'name': 'get_weather', 'arguments': {'city': 'Oslo'}}</tool_code>"


def captured(folder: Path, *replies: str, everything: bool = False) -> CaptureReport:
    given = [Recorded(reply, f"log, line {at}", None, OFFER) for at, reply in enumerate(replies, 1)]
    return capture(given, folder / "xml_tag", XML, everything=everything)


def test_a_failed_reply_becomes_a_fixture(tmp_path: Path) -> None:
    report = captured(tmp_path, CLEAN, TALK)
    assert [(each.case, each.count, each.outcome) for each in report.captured] == [
        ("malformed", 1, CaptureOutcome.WRITTEN)
    ]
    assert report.skipped == {Skipped.NOT_FAILED: 1}
    fixture = load_fixture(tmp_path / "xml_tag" / "malformed.txt")
    assert (fixture.reply, fixture.offer, fixture.classes) == (TALK, OFFER, ("malformed",))
    assert (fixture.origin, fixture.note) == ("captured from log, line 2", "Seen once.")


def test_all_replies_are_captured_when_asked_for(tmp_path: Path) -> None:
    report = captured(tmp_path, CLEAN, TALK, QUOTES, "No call.", everything=True)
    assert [each.case for each in report.captured] == [
        "clean",
        "malformed",
        "no_call",
        "quote_style",
    ]


def test_of_each_class_the_shortest_is_kept_and_all_are_counted(tmp_path: Path) -> None:
    longer = TALK.replace("weather", "weather in Oslo")
    for folder, replies in (("a", [longer, TALK, longer]), ("b", [TALK, longer, longer])):
        report = captured(tmp_path / folder, *replies)
        assert [each.count for each in report.captured] == [3]
        fixture = load_fixture(tmp_path / folder / "xml_tag" / "malformed.txt")
        assert (fixture.reply, fixture.note) == (TALK, "Seen 3 times.")


def test_capturing_again_changes_nothing(tmp_path: Path) -> None:
    captured(tmp_path, TALK, OPEN)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*.*")}
    report = captured(tmp_path, OPEN, TALK, TALK)
    assert {each.outcome for each in report.captured} == {CaptureOutcome.UNCHANGED}
    assert {path: path.read_bytes() for path in tmp_path.rglob("*.*")} == before


def test_a_class_that_has_its_fixture_gets_no_other(tmp_path: Path) -> None:
    (tmp_path / "xml_tag").mkdir()
    by_hand = tmp_path / "xml_tag" / "by_hand.txt"
    by_hand.write_text("<tool_code>what a day</tool_code>", encoding="utf-8")
    report = captured(tmp_path, TALK)
    assert [(each.case, each.outcome) for each in report.captured] == [
        ("by_hand", CaptureOutcome.COVERED)
    ]
    assert list((tmp_path / "xml_tag").iterdir()) == [by_hand]


def test_a_fixture_that_differs_is_never_overwritten(tmp_path: Path) -> None:
    captured(tmp_path, TALK.replace("please", "pretty please"))
    report = captured(tmp_path, TALK)
    assert [each.outcome for each in report.captured] == [CaptureOutcome.COVERED]
    assert "pretty please" in (tmp_path / "xml_tag" / "malformed.txt").read_text(encoding="utf-8")


def test_what_is_private_is_in_no_file(tmp_path: Path) -> None:
    key, mail = "sk-abcDEF0123456789xyz", "ann.lee@example.org"
    tool = ToolSpec("send", f"Ask {mail} about it.", {"type": "object", "default": {"to": mail}})
    body = {"name": "send", "arguments": {"text": f"x\n{key}", "password": "hunter2", "to": mail}}
    reply = f"{mail} {key} hunter2\n```json\n{json.dumps(body)}\n```"
    given = [Recorded(reply, f"{mail}.jsonl, line 1", None, ToolOffer((tool,)))]
    report = capture(given, tmp_path / "xml_tag", XML)
    assert [each.outcome for each in report.captured] == [CaptureOutcome.WRITTEN]
    text = "".join(path.read_text(encoding="utf-8") for path in tmp_path.rglob("*.*"))
    assert [each for each in (key, mail, "ann", "hunter2") if each in text] == []
    assert "xxx.xxx@xxxxxxx.xxx" in text


def test_a_reply_that_redaction_would_change_is_left_out_and_named(tmp_path: Path) -> None:
    given = [Recorded(TALK, "log, line 7"), Recorded(OPEN, "log, line 8")]
    report = capture(
        given, tmp_path / "xml_tag", XML, stand_ins=StandIns(patterns=["<tool_code>(?=the)"])
    )
    assert report.skipped == {Skipped.CHANGED: 1}
    assert report.changed == ("log, line 7",)
    assert len(report.captured) == 1


def test_replies_of_another_paradigm_are_left_out(tmp_path: Path) -> None:
    given = [Recorded(TALK, "a", "hermes"), Recorded(TALK, "b", "xml_tag")]
    report = capture(given, tmp_path / "xml_tag", XML)
    assert report.skipped == {Skipped.OTHER_PARADIGM: 1}
    assert [each.count for each in report.captured] == [1]


def test_why_the_endpoint_stopped_is_kept(tmp_path: Path) -> None:
    capture([Recorded(OPEN[:40], "a", finish_reason="length")], tmp_path / "xml_tag", XML)
    (path,) = (tmp_path / "xml_tag").glob("*.txt")
    assert path.stem == "truncated"
    assert load_fixture(path).finish_reason == "length"


def test_a_call_that_was_lost_counts_as_failed(tmp_path: Path) -> None:
    report = captured(tmp_path, "get_weather(city='Oslo')", f"`{CLEAN}` is how.")
    assert [each.case for each in report.captured] == ["ignored_foreign_form"]
    assert report.skipped == {Skipped.NOT_FAILED: 1}


def test_a_long_name_is_cut_and_stays_the_same() -> None:
    repairs = (
        "'name' = get_weather; arguments: {city: Oslo /* x */, 'n': 0x10, 'b': True, \"c\": .5,"
    )
    reply = f"```json\n<tool_code>{{{repairs} 'd': (1, 2), e: “f”}}\n```"
    name = malformation(explain_reply(reply, XML)).name
    assert len(name) <= 80
    assert name == malformation(explain_reply(f"\n{reply}\n", XML)).name


# -- the command --------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    lines = [{"reply": CLEAN}, {"reply": TALK}, {"reply": TALK, "paradigm": "hermes"}]
    text = "".join(json.dumps(line) + "\n" for line in lines)
    Path("log.jsonl").write_text(text, encoding="utf-8")
    return tmp_path


def trust_this_folder() -> None:
    CliRunner().invoke(main, ["trust"])


def run(*words: str) -> Result:
    return CliRunner().invoke(main, ["capture", *words])


def test_the_command_says_what_it_wrote_and_what_it_left_out(folder: Path) -> None:
    result = run("--from", "log.jsonl", "--failed", "fixtures/xml_tag")
    assert result.exit_code == 0
    assert result.stdout == "written   fixtures/xml_tag/malformed.txt  (1 reply)\n"
    assert "1 reply not failed" in result.stderr and "of another paradigm" in result.stderr
    again = run("--from", "log.jsonl", "--all", "fixtures/xml_tag", "--json")
    assert json.loads(again.stdout)["captured"] == [
        {"case": "clean", "count": 1, "outcome": "written"},
        {"case": "malformed", "count": 1, "outcome": "unchanged"},
    ]


def test_patterns_and_secrets_come_from_options_and_settings(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CITY", "weather")
    Path("toolproto.toml").write_text('[capture]\nredact = ["please"]\n', encoding="utf-8")
    trust_this_folder()
    assert run("--from", "log.jsonl", "fixtures/xml_tag", "--secret-env", "CITY").exit_code == 0
    reply = Path("fixtures/xml_tag/malformed.txt").read_text(encoding="utf-8")
    assert reply == "<tool_code>the xxxxxxx, xxxxxx</tool_code>"


def test_the_paradigm_that_is_set_for_talking_is_not_meant(folder: Path) -> None:
    Path("toolproto.toml").write_text('paradigm = "hermes"\n', encoding="utf-8")
    assert run("--from", "log.jsonl", "fixtures/xml_tag").exit_code == 0
    assert [path.name for path in Path("fixtures/xml_tag").glob("*.txt")] == ["malformed.txt"]
    Path("toolproto.toml").write_text('[capture]\nparadigm = "nonesuch"\n', encoding="utf-8")
    trust_this_folder()
    assert "nonesuch" in run("--from", "log.jsonl", "fixtures/xml_tag").stderr


def test_tools_are_checked_against_where_they_are_given(folder: Path) -> None:
    tools = [{"name": "other", "description": "x", "parameters": {"type": "object"}}]
    Path("tools.json").write_text(json.dumps(tools), encoding="utf-8")
    run("--from", "log.jsonl", "--tools", "tools.json", "fixtures/xml_tag")
    assert Path("fixtures/xml_tag/unknown_tool.txt").exists()


WRONG = {
    "no source": (["fixtures/xml_tag"], "--from"),
    "no such paradigm": (["--from", "log.jsonl", "fixtures/nonesuch"], "nonesuch"),
    "no such file": (["--from", "no.jsonl", "fixtures/xml_tag"], "no.jsonl"),
    "a bad pattern": (
        ["--from", "log.jsonl", "--redact", "(", "fixtures/xml_tag"],
        "regular expression",
    ),
    "a file for a folder": (["--from", "log.jsonl", "log.jsonl"], "log.jsonl"),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_mistake_is_told_in_one_line(folder: Path, case: str) -> None:
    words, told = WRONG[case]
    result = run(*words)
    assert result.exit_code == 2
    assert told in result.stderr and result.stderr.count("\n") == 1
    assert not Path("fixtures").exists()
