"""A tool that runs Python which a model wrote, in a process of its own with little to spend.

The process has no environment but a few harmless variables, an empty folder that is removed
afterwards, and limits of time, memory, file sizes and open files that it cannot raise. What it has
left running ends with it (on Linux also in a session of its own), and it ends itself once the files
in its folder are too many or too large together. It is no wall: it has the rights of whoever runs
it, so it can read what they can read, write elsewhere, kill the process that watches it, and use
the network. Let nobody whom you do not trust write to a model that has this tool, or run it in a
container.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from select import select
from tempfile import TemporaryDirectory
from threading import Thread
from typing import IO, Any

from ...protocol.errors import ToolFailed, UsageError
from ...protocol.tools.context import ToolContext
from ...protocol.tools.define import Tool
from .process_tree import end_tree

__all__ = ["python_tool"]

#: Looked at how often whether the call was given up.
_PAUSE = 0.05
#: Seconds until the end of a stream is not waited for any longer.
_LEFT_BEHIND = 2.0
#: What the process runs first. It reads the code and starts a child that gives away what it could
#: spend and runs it; the value of a last expression is printed, as at a prompt. The process itself
#: stays to adopt what the child leaves running, and tells how the child ended.
_BEGINNING = """\
import ast, os, resource, sys
seconds, memory, size, files, told, held = map(int, sys.argv[1:])
code = sys.stdin.read()
try:
    import ctypes
    ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER, on Linux
except Exception:
    pass
child = os.fork()
if child:
    ended = 0
    while ended != child:
        ended, status = os.wait()
    os.write(told, b"%d" % os.waitstatus_to_exitcode(status))
    os.read(held, 1)  # until all that the code has left running was found and ended
    os._exit(0)
os.close(told)
os.close(held)
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
    all_bytes: int = 64 * 1024 * 1024
    all_files: int = 10_000


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
        spent = [max(1, int(limits.seconds) + 1), limits.memory, limits.file_bytes, limits.files]
        told, tell = os.pipe()
        held, hold = os.pipe()
        try:
            process = subprocess.Popen(
                [sys.executable, "-I", "-X", "utf8", "-c", _BEGINNING,
                 *map(str, (*spent, tell, held))],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                cwd=folder,
                env={"HOME": folder, "TMPDIR": folder, "PATH": os.defpath, "LANG": "C.UTF-8"},
                start_new_session=True,
                pass_fds=(tell, held),
            )  # fmt: skip
            os.close(tell)
            tell = -1
            printed = _Printed(limits.characters)
            try:
                return _ended(process, told, printed, code, limits, context, Path(folder))
            finally:
                end_tree(process)
        finally:
            for each in (told, tell, held, hold):
                if each >= 0:
                    os.close(each)


def _ended(
    process: subprocess.Popen[bytes],
    told: int,
    printed: _Printed,
    code: str,
    limits: _Limits,
    context: ToolContext,
    folder: Path,
) -> str:
    assert process.stdin is not None and process.stdout is not None
    reader = Thread(target=printed.take, args=(process.stdout,), daemon=True)
    reader.start()
    with suppress(BrokenPipeError), process.stdin as given:
        given.write(code.encode("utf-8", "replace"))
    until, why = time.monotonic() + limits.seconds, ""
    while not (is_over := bool(select([told], [], [], _PAUSE)[0])) and not why:
        if printed.is_too_much:
            break
        if time.monotonic() > until:
            why = f"it took longer than {limits.seconds:g} seconds"
        elif context.cancelled.is_set():
            why = "it was given up"
        elif not _fits(folder, limits):
            why = f"its files were more than {limits.all_bytes:,} bytes, or {limits.all_files:,}"
    status = os.read(told, 16) if is_over else b""
    end_tree(process)
    # Code that killed the process which would have found it may hold the stream for ever.
    reader.join(_LEFT_BEHIND)
    if not reader.is_alive():
        process.stdout.close()
    said = printed.text()
    if printed.is_too_much:
        why = f"it printed more than {limits.characters:,} characters"
    # Without a status, the process that tells it was killed by the code.
    ended = int(status or -signal.SIGKILL)
    if not why and ended:
        why = f"it ended with {_reason(ended)}"
    if why:
        raise ToolFailed(f"{said}\n[{why}]".strip())
    return said


def _fits(folder: Path, limits: _Limits) -> bool:
    """Whether all files in *folder* together are within *limits*."""
    size = count = 0
    for place, _, names in os.walk(folder):
        for name in names:
            count += 1
            with suppress(OSError):
                size += os.lstat(os.path.join(place, name)).st_blocks * 512
            if size > limits.all_bytes or count > limits.all_files:
                return False
    return True


class _Printed:
    """What a process prints, up to a limit; then it is stopped."""

    def __init__(self, most: int) -> None:
        self._most = most * 4  # bytes of UTF-8
        self._bytes = bytearray()
        self._characters = most
        self.is_too_much = False

    def take(self, stream: IO[bytes]) -> None:
        """Read *stream* to its end; what is too much is read, and not kept."""
        while piece := os.read(stream.fileno(), 65_536):
            if not self.is_too_much:
                self._bytes += piece
                self.is_too_much = len(self._bytes) > self._most

    def text(self) -> str:
        """What was printed, as much as may be shown."""
        text = bytes(self._bytes).decode("utf-8", "replace").rstrip("\n")
        self.is_too_much = self.is_too_much or len(text) > self._characters
        return text[: self._characters]


def _reason(code: int) -> str:
    if code > 0:
        return f"exit code {code}"
    try:
        return signal.Signals(-code).name
    except ValueError:
        return f"signal {-code}"
