"""A tool that runs Python which a model wrote, in a process of its own with little to spend.

The process has no environment but a few harmless variables, an empty folder that is removed
afterwards, and limits of time, memory, file sizes and open files that it cannot raise. It is no
wall: it has the rights of whoever runs it, so it can read what they can read, and use the network.
Let nobody whom you do not trust write to a model that has this tool, or run it in a container.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from tempfile import TemporaryDirectory
from threading import Thread
from typing import IO, Any

from ...protocol.errors import ToolFailed, UsageError
from ...protocol.tools.context import ToolContext
from ...protocol.tools.define import Tool

__all__ = ["python_tool"]

#: Looked at how often whether the call was given up.
_PAUSE = 0.05
#: What the process runs first. It reads the code, gives away what it could spend, and runs it; the
#: value of a last expression is printed, as at a prompt.
_BEGINNING = """\
import ast, resource, sys
seconds, memory, size, files = map(int, sys.argv[1:5])
code = sys.stdin.read()
for what, most in ((resource.RLIMIT_CPU, seconds), (resource.RLIMIT_AS, memory),
                   (resource.RLIMIT_FSIZE, size), (resource.RLIMIT_NOFILE, files),
                   (resource.RLIMIT_CORE, 0)):
    hard = resource.getrlimit(what)[1]
    most = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(what, (most, most))
tree = ast.parse(code, "<code>")
names = {"__name__": "__main__"}
last = None
if tree.body and isinstance(tree.body[-1], ast.Expr):
    last = ast.Expression(tree.body.pop().value)
exec(compile(tree, "<code>", "exec"), names)
if last is not None:
    value = eval(compile(last, "<code>", "eval"), names)
    if value is not None:
        print(repr(value))
"""


@dataclass(frozen=True, slots=True)
class _Limits:
    seconds: float
    characters: int
    memory: int = 512 * 1024 * 1024
    file_bytes: int = 16 * 1024 * 1024
    files: int = 64


def python_tool(
    *,
    name: str = "python_eval",
    seconds: float = 10.0,
    characters: int = 20_000,
) -> Tool:
    """A tool of risk ``exec`` that runs Python code; see the module for what it does not prevent.

    *seconds* is how long one call may take, *characters* how much it may print.
    """
    if os.name != "posix":
        raise UsageError("running code needs limits that only Unix systems have")
    given: dict[str, Any] = {"seconds": seconds, "characters": characters}
    for limit, value in given.items():
        if isinstance(value, bool) or not isinstance(value, int | float) or not value > 0:
            raise UsageError(f"{limit} is {value!r}; use a number above 0")
    limits = _Limits(seconds, int(characters))

    def python_eval(code: str, context: ToolContext) -> str:
        """Run Python code in a fresh process, and give back what it prints.

        The value of a last expression is printed, too. Nothing is kept for the next call.

        Args:
            code: The program, with the standard library at hand.
        """
        return _run(code, limits, context)

    # A little more than the process itself gets, so that what it printed is not lost.
    return Tool.from_function(python_eval, name=name, risk="exec", timeout=seconds + 5)


def _run(code: str, limits: _Limits, context: ToolContext) -> str:
    with TemporaryDirectory(prefix="toolproto-") as folder:
        spent = [str(max(1, int(limits.seconds) + 1)), str(limits.memory)]
        spent += [str(limits.file_bytes), str(limits.files)]
        process = subprocess.Popen(
            [sys.executable, "-I", "-X", "utf8", "-c", _BEGINNING, *spent],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            cwd=folder,
            env={"HOME": folder, "TMPDIR": folder, "PATH": os.defpath, "LANG": "C.UTF-8"},
            start_new_session=True,
        )
        printed = _Printed(limits.characters)
        try:
            return _ended(process, printed, code, limits, context)
        finally:
            _kill(process)


def _ended(
    process: subprocess.Popen[bytes],
    printed: _Printed,
    code: str,
    limits: _Limits,
    context: ToolContext,
) -> str:
    assert process.stdin is not None and process.stdout is not None
    reader = Thread(target=printed.take, args=(process.stdout, process), daemon=True)
    reader.start()
    with suppress(BrokenPipeError), process.stdin as told:
        told.write(code.encode("utf-8", "replace"))
    until, why = time.monotonic() + limits.seconds, ""
    while process.poll() is None and not why:
        with suppress(subprocess.TimeoutExpired):
            process.wait(_PAUSE)
        if time.monotonic() > until:
            why = f"it took longer than {limits.seconds:g} seconds"
        elif context.cancelled.is_set():
            why = "it was given up"
    _kill(process)
    reader.join()
    process.stdout.close()
    said = printed.text()
    if printed.is_too_much:
        why = f"it printed more than {limits.characters:,} characters"
    if not why and process.returncode:
        why = f"it ended with {_reason(process.returncode)}"
    if why:
        raise ToolFailed(f"{said}\n[{why}]".strip())
    return said


class _Printed:
    """What a process prints, up to a limit; then it is stopped."""

    def __init__(self, most: int) -> None:
        self._most = most * 4  # bytes of UTF-8
        self._bytes = bytearray()
        self._characters = most
        self.is_too_much = False

    def take(self, stream: IO[bytes], process: subprocess.Popen[bytes]) -> None:
        """Read *stream* to its end."""
        while piece := os.read(stream.fileno(), 65_536):
            self._bytes += piece
            if len(self._bytes) > self._most:
                self.is_too_much = True
                _kill(process)
                return

    def text(self) -> str:
        """What was printed, as much as may be shown."""
        text = bytes(self._bytes).decode("utf-8", "replace").rstrip("\n")
        self.is_too_much = self.is_too_much or len(text) > self._characters
        return text[: self._characters]


def _kill(process: subprocess.Popen[bytes]) -> None:
    """End *process* and whatever it has started in its group."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _reason(code: int) -> str:
    if code > 0:
        return f"exit code {code}"
    try:
        return signal.Signals(-code).name
    except ValueError:
        return f"signal {-code}"
