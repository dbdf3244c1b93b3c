"""What was said in earlier chats."""

from __future__ import annotations

import stat
import sys

import pytest

from toolproto.cli.chat.history import InputHistory
from toolproto.cli.state import state_folder
from toolproto.protocol import Redactor


@pytest.fixture
def path(tmp_path):
    return tmp_path / "state" / "chat_history"


def test_lines_come_back_in_order(path):
    for line in ("one", "two", "", "  ", " not kept", "x" * 10_000, "three\nfour"):
        InputHistory(path).store_string(line)
    assert InputHistory(path).lines() == ["one", "two", "three", "four"]


@pytest.mark.skipif(sys.platform == "win32", reason="modes are another matter there")
def test_only_its_owner_can_read_it(path):
    InputHistory(path).store_string("secret plans")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_keys_are_not_kept(path):
    history = InputHistory(path, Redactor(["hunter2-hunter2"]))
    history.store_string("my key is sk-abcdefghijklmnopqrstuvwx and hunter2-hunter2")
    assert history.lines() == ["my key is [redacted] and [redacted]"]


def test_it_does_not_grow_for_ever(path):
    history = InputHistory(path)
    history.store_string("first")
    path.write_text("".join(f"{number}\n" for number in range(5_000)))
    assert len(history.lines()) == 1_000
    assert path.read_text().split("\n")[0] == "4000"


def test_a_file_that_cannot_be_used_is_no_trouble(tmp_path):
    history = InputHistory(tmp_path)  # a folder
    history.store_string("one")
    assert history.lines() == []
    (tmp_path / "damaged").write_bytes(b"\xff\xfe\x00\nline\n")
    assert InputHistory(tmp_path / "damaged").lines()[-1] == "line"


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="a variable of other systems")
def test_it_is_kept_where_programs_keep_such_things(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert state_folder() == tmp_path / "toolproto"
