"""``toolproto tools lint``: said of a file, of a server, as data, and mended."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tests.conversation.mcp.conftest import command
from toolproto.cli.app import main

TO = {"type": "string", "format": "email", "description": "Whom it goes to."}
MAIL = {
    "name": "send_mail",
    "description": "Send a mail.",
    "parameters": {"type": "object", "properties": {"to": TO}, "required": ["to"]},
}


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.chdir(tmp_path)
    Path("tools.json").write_text(json.dumps([MAIL]))
    return tmp_path


def lint(*words: str) -> Result:
    return CliRunner().invoke(main, ["tools", "lint", *words], prog_name="toolproto")


def test_a_table_says_who_refuses_what():
    done = lint("tools.json")
    assert done.exit_code == 1
    (row,) = [line for line in done.stdout.splitlines() if "properties/to" in line]
    assert row.split()[:3] == ["refused", "send_mail", "properties/to"]
    assert row.rstrip().endswith("llama.cpp, Gemini")


def test_tools_that_those_asked_take_are_fine():
    done = lint("tools.json", "--service", "openai", "--service", "anthropic")
    assert (done.exit_code, done.stdout) == (0, "")
    assert "nothing to say" in done.stderr


def test_the_remarks_are_data_with_their_sources():
    (remark,) = json.loads(lint("tools.json", "--service", "gemini", "--json").stdout)
    assert remark["kind"] == "refused" and remark["services"] == ["gemini"]
    assert "gemini-cli#3178" in remark["source"]


def test_mended_tools_are_written_and_taken():
    assert lint("tools.json", "--fix", "mended.json").exit_code == 1
    (tool,) = json.loads(Path("mended.json").read_text())
    assert tool["function"]["name"] == "send_mail"
    assert "format" not in tool["function"]["parameters"]["properties"]["to"]
    assert lint("mended.json", "--service", "llama.cpp").exit_code == 0


def test_the_tools_of_a_server_are_read():
    done = lint("--mcp", shlex.join(command("annotated")), "--service", "openai", "--json")
    assert {each["tool"] for each in json.loads(done.stdout)} >= {"anything"}


def test_without_tools_there_is_a_remedy():
    done = lint()
    assert done.exit_code == 2 and "--mcp SERVER" in done.stderr
