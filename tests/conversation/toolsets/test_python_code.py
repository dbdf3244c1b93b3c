"""Python that a model wrote, in a process of its own."""

from __future__ import annotations

import os
import sys
import threading
import time

import pytest

from tests.patience import PATIENCE, unhurried
from toolproto import ChatSession, Policy, ToolFailed, UsageError
from toolproto.conversation.toolsets import python_tool
from toolproto.endpoints import ScriptedEndpoint
from toolproto.protocol.messages import Message, ToolCall
from toolproto.protocol.tools.context import ToolContext


def run(code, cancelled=None, **limits):
    async def never(question):
        return False

    call = ToolCall("python_eval", {"code": code}, "c1")
    context = ToolContext(None, Message("assistant", ""), call, cancelled or threading.Event(),
                          lambda question: False, never)  # fmt: skip
    return python_tool(**limits)(code, context)


@pytest.mark.parametrize(
    "code, printed",
    [
        ("1 + 2", "3"),
        ("print('ü')\n'last'", "ü\n'last'"),
        ("x = 1", ""),
        ("", ""),
        ("import math\nmath.pi > 3", "True"),
        ("def f(n):\n    return n and f(n - 1)\nf(50)", "0"),
    ],
)
def test_what_code_prints_is_the_result(code, printed):
    assert run(code) == printed


@pytest.mark.parametrize(
    "code, told",
    [
        ("1 / 0", "ZeroDivisionError"),
        ("if", "SyntaxError"),
        ("import sys; sys.exit(3)", "exit code 3"),
        ("x = 'a' * 10**10", "MemoryError"),
        ("open('big', 'wb').write(b'x' * 10**8)", "ended with"),
        ("import os; os.kill(os.getpid(), 9)", "SIGKILL"),
        ("import resource; resource.setrlimit(resource.RLIMIT_AS, (-1, -1))", "ValueError"),
    ],
)
def test_what_goes_wrong_is_told(code, told):
    with pytest.raises(ToolFailed, match=told):
        run(code)


def test_code_that_takes_too_long_is_stopped_with_all_it_started():
    code = "import subprocess, sys\nprint('begun', flush=True)\n"
    code += "subprocess.run([sys.executable, '-c', 'while True: pass'])"

    def attempt(seconds):
        with pytest.raises(ToolFailed, match=rf"longer than {seconds:g} seconds") as caught:
            run(code, seconds=seconds)
        return str(caught.value)

    told = unhurried(attempt, reached=lambda told: "begun" in told, seconds=0.8)
    assert told.startswith("begun\n")


LEAVING = """
import os, subprocess, sys, time
print(os.getcwd(), flush=True)
loop = "import time\\nfor n in range(600): open('alive', 'w').write(str(n)); time.sleep(0.05)"
subprocess.Popen([sys.executable, "-c", loop], start_new_session=True{more})
while not os.path.exists("alive"):
    time.sleep(0.01)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux finds what left its group")
@pytest.mark.parametrize("more", ["", ", env={}", ", stdout=-3, stderr=-3"])
def test_what_code_has_started_in_a_session_of_its_own_ends_with_it(more, tmp_path):
    code = LEAVING.replace("{more}", more).replace("'alive'", f"'{tmp_path}/alive'")
    code = code.replace('"alive"', f'"{tmp_path}/alive"')
    began = time.monotonic()
    run(code, seconds=PATIENCE)
    assert time.monotonic() - began < 30  # which the loop takes
    written = (tmp_path / "alive").read_text()
    time.sleep(0.2)
    assert (tmp_path / "alive").read_text() == written


def test_the_files_of_code_are_bounded_together():
    code = "for n in range(200): open(f'f{n}', 'wb').write(b'x' * 15_000_000)\n"
    with pytest.raises(ToolFailed, match="its files were more than 67,108,864 bytes"):
        run(f"{code}while True: pass")


def test_code_that_prints_without_end_is_stopped():
    with pytest.raises(ToolFailed, match="more than 100 characters") as caught:
        run("while True: print('x' * 1000)", characters=100)
    assert len(str(caught.value)) < 300


def test_code_that_is_given_up_is_stopped():
    cancelled = threading.Event()
    threading.Timer(0.2, cancelled.set).start()
    with pytest.raises(ToolFailed, match="given up"):
        run("while True: pass", cancelled)


def test_code_sees_none_of_the_environment(monkeypatch):
    monkeypatch.setenv("SECRET_KEY", "hush")
    seen = run("import os; print(sorted(os.environ)); os.listdir()")
    assert "SECRET_KEY" not in seen and seen.endswith("[]")
    assert os.getcwd() not in run("import os; os.getcwd()")


def test_code_runs_only_when_somebody_approves_it():
    call = '<tool_code>{"name": "python_eval", "arguments": {"code": "6 * 7"}}</tool_code>'
    tools = [python_tool()]
    refused = ChatSession(ScriptedEndpoint(call, "ok"), "xml_tag", tools).send("go")
    assert "nobody is there to approve" in refused.calls[0].result.content
    policy = Policy({"python_eval": "allow"})
    done = ChatSession(ScriptedEndpoint(call, "ok"), "xml_tag", tools, policy=policy).send("go")
    assert done.calls[0].result.content == "42" and tools[0].risk == "exec"


@pytest.mark.parametrize("wrong", [{"seconds": 0}, {"seconds": "1"}, {"characters": True}])
def test_a_limit_that_is_none_is_refused(wrong):
    with pytest.raises(UsageError):
        python_tool(**wrong)
