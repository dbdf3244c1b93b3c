"""``toolproto sessions``: kept conversations."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner, Result

from tests.cli.chat.hostile import HOSTILE, obeyed
from tests.cli.chat.scripted_service import call
from toolproto import ChatSession, Tool, tool
from toolproto.cli.app import main
from toolproto.conversation.stores import open_store
from toolproto.endpoints import ScriptedEndpoint
from toolproto.protocol.messages import Chunk

STORE = "sqlite:///chats.db"


@tool
def get_weather(city: str) -> str:
    """Current weather for a city."""
    return "rain\nand wind"


@pytest.fixture(autouse=True)
def kept(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    keep("trip", [Chunk(reasoning="Hm."), call("get_weather", city="Oslo")], "It **rains**.")


def keep(id: str, *replies, said: str = "How is Oslo?", tools=(get_weather,)) -> None:
    session = ChatSession(ScriptedEndpoint(*replies), "xml_tag", tools, store=STORE, id=id)
    session.send(said)
    session.close()


def run(*words: str, said: str = "", **environment: str) -> Result:
    return CliRunner(env=environment).invoke(main, ["sessions", *words], input=said)


def test_sessions_are_listed_the_last_used_first():
    keep("other", "Yes.", said="Is it?")
    rows = run("--store", STORE, "list").stdout.splitlines()
    assert rows[0].split() == ["id", "last", "used", "title"]
    assert [row.split()[0] for row in rows[1:]] == ["other", "trip"]
    assert rows[2].rstrip().endswith("How is Oslo?")


def test_those_that_hold_a_text_are_found():
    keep("other", "Yes.", said="Is it?")
    told = run("list", "rains", "--store", STORE, "--json").stdout
    assert [json.loads(line)["id"] for line in told.splitlines()] == ["trip"]
    none = run("list", "snow", "--store", STORE)
    assert none.stdout == "" and "no session contains 'snow'" in none.stderr


def test_the_store_may_stand_anywhere():
    for words, environment in (
        (["--store", "chats.db", "list"], {}),
        (["list", "--store", "chats.db"], {}),
        (["list"], {"TOOLPROTO_STORE": STORE}),
        (["list"], {"TOOLPROTO_SESSIONS_STORE": "chats.db"}),
    ):
        assert "trip" in run(*words, **environment).stdout


def test_or_in_the_settings(tmp_path):
    (tmp_path / "toolproto.toml").write_text('store = "chats.db"\n')
    assert CliRunner().invoke(main, ["trust"]).exit_code == 0
    assert "trip" in run("list").stdout


def test_a_session_is_shown_as_the_chat_showed_it():
    assert run("show", "trip", "--store", STORE).stdout == (
        "\n> How is Oslo?\n\n∴ thought, 3 characters\n\n"
        '╭─ get_weather\n│ city  "Oslo"\n╰─\n'
        "✓ get_weather · rain and wind  (+ 1 line: --whole)\n\nIt rains.\n"
    )


def test_and_whole_if_that_is_wanted():
    seen = run("show", "trip", "--whole", "--thinking", "--store", STORE).stdout
    assert "╭─ get_weather\n│ rain\n│ and wind\n╰─" in seen and "\n  Hm.\n" in seen


def test_as_json_each_message_is_a_line():
    told = run("show", "trip", "--json", "--store", STORE).stdout
    user, asked, results, answer = map(json.loads, told.splitlines())
    assert user["content"] == "How is Oslo?" and answer["content"] == "It **rains**."
    assert asked["calls"][0]["arguments"] == {"city": "Oslo"} and asked["reasoning"] == "Hm."
    assert results["results"][0]["content"] == "rain\nand wind"


def test_what_waits_is_told():
    asks = Tool.from_schema("ask_user", "Ask.", {"properties": {}})
    keep("waiting", call("ask_user"), tools=[asks])
    seen = run("show", "waiting", "--store", STORE).stdout
    assert "ask_user waits: its result comes from elsewhere" in seen


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_nothing_that_was_kept_is_obeyed(text):
    keep("x", [Chunk(reasoning=text), f"{text} {call('get_weather', city=text)}"], text, said=text)
    for words in (["list"], ["show", "x"], ["show", "x", "--whole", "--thinking"]):
        assert obeyed(run(*words, "--store", STORE).stdout) == []


def test_a_session_is_exported_and_imported(tmp_path):
    page = run("export", "trip", "--format", "md", "--store", STORE).stdout
    assert page.startswith("# How is Oslo?\n")
    told = run("export", "trip", "-o", "trip.md", "--store", STORE)
    assert told.stdout == "" and (tmp_path / "trip.md").read_text() == page
    lines = run("export", "trip", "--store", STORE).stdout
    (tmp_path / "trip.jsonl").write_text(lines)
    made = run("import", "trip.jsonl", "--id", "copy", "--store", STORE)
    assert made.stdout == "copy\n"
    # What it says is the same; what it would allow is not taken over.
    assert run("export", "copy", "--format", "md", "--store", STORE).stdout == page
    (tmp_path / "broken.jsonl").write_text("{}")
    assert run("import", "broken.jsonl", "--store", STORE).exit_code == 2


def test_a_session_is_deleted_only_on_purpose():
    asked = run("delete", "trip", "--store", STORE)
    assert asked.exit_code == 2 and "give --yes" in asked.stderr
    assert run("delete", "trip", "nope", "--yes", "--store", STORE).exit_code == 2
    store = open_store(STORE)
    assert store.info("trip")
    assert "trip is deleted" in run("delete", "trip", "--yes", "--store", STORE).stderr
    assert store.info("trip") is None
    store.close()
    assert "there are no sessions yet" in run("list", "--store", STORE).stderr


FAILURES = [
    (["list"], "which store? give --store"),
    (["list", "--store", "nope.db"], "there is no store in 'nope.db'"),
    (["list", "--store", "sqlite:///nope.db"], "there is no store in 'nope.db'"),
    (["list", "--store", "mysql://x/y"], "no store can be kept in 'mysql'"),
    (["show", "nope", "--store", STORE], "the store has no session 'nope'"),
    (["export", "nope", "--store", STORE], "the store has no session 'nope'"),
]


@pytest.mark.parametrize("words, told", FAILURES)
def test_a_mistake_is_told_with_its_remedy(words, told, tmp_path):
    done = run(*words)
    assert done.exit_code == 2 and told in done.stderr
    assert not (tmp_path / "nope.db").exists()


def test_sessions_are_listed_by_workspace():
    store = open_store(STORE)
    store.create("holiday", "Rome", "travel")
    store.close()
    rows = run("--store", STORE, "list", "--workspace", "travel").stdout.splitlines()
    assert rows[0].split() == ["id", "last", "used", "workspace", "title"]
    assert [row.split()[0] for row in rows[1:]] == ["holiday"]
    told = json.loads(run("--store", STORE, "list", "--workspace", "", "--json").stdout)
    assert (told["id"], told["workspace"]) == ("trip", "")
