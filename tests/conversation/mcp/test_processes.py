"""Whatever happens to a program, its servers end: the worst of them, with a child of its own.

Only a program that cannot do anything any more leaves it to its servers to end with their input.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.patience import PATIENCE, interrupt

from .conftest import command, is_running, until

PROGRAM = """
import os, sys, time
from toolproto.conversation.mcp import McpServer

server = McpServer(*sys.argv[1:])
server.open()
print("ready", flush=True)
{end}
"""
#: How a program may end, the signal that makes it, and the server that ends then.
ENDS = {
    "at its end": ("", None, "stubborn"),
    "by an error": ("raise RuntimeError", None, "stubborn"),
    "at once": ("os._exit(0)", None, "plain"),
    "by Ctrl-C": ("time.sleep(300)", signal.SIGINT, "stubborn"),
    "killed": ("time.sleep(300)", signal.SIGKILL, "plain"),
}


@pytest.mark.parametrize("way", ENDS)
def test_a_program_takes_its_servers_along(way, tmp_path):
    end, number, mode = ENDS[way]
    note = tmp_path / "pids"
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM.format(end=end), *command(mode, str(note))],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as program:
        assert program.stdout is not None and program.stdout.readline() == "ready\n"
        pids = [int(line) for line in note.read_text().split()]
        assert len(pids) == (2 if mode == "stubborn" else 1) and all(map(is_running, pids))
        if number is signal.SIGINT:
            interrupt(program)
        elif number is not None:
            program.send_signal(number)
        program.wait(PATIENCE)
    until(lambda: not any(map(is_running, pids)))


def test_closing_ends_a_server_that_does_not_want_to_and_its_children(process, tmp_path):
    note = tmp_path / "pids"
    server = process("stubborn", str(note))
    server.open()
    pids = [int(line) for line in note.read_text().split()]
    assert len(pids) == 2 and all(map(is_running, pids))
    server.close()
    assert not any(map(is_running, pids))


def test_a_server_that_is_killed_from_outside_is_started_again(process, tmp_path):
    note = tmp_path / "pids"
    with process("plain", str(note)) as server:
        os.kill(int(note.read_text()), signal.SIGKILL)
        until(lambda: not server.is_open)
        server.open()
        assert server.is_open and len(note.read_text().split()) == 2


def test_the_variables_of_a_program_are_its_own(process, monkeypatch, tmp_path):
    monkeypatch.setenv("TOOLPROTO_API_KEY", "secret")
    note = tmp_path / "pids"
    with process("plain", str(note), env={"GIVEN": "yes"}):
        environment = Path(f"/proc/{note.read_text().strip()}/environ").read_text()
    assert "GIVEN=yes" in environment and "secret" not in environment
