"""Runs many commands, each in a process of its own, for the price of one start.

    python -m tests.cli.every_command FOLDER < CASES

CASES is a JSON list of lists of words. Each is run in a child of this process, which has imported
everything already: with nothing on its standard input, and, if ``CLOSED_PIPE`` is set, nobody at
the other end of its standard output. What came of each is printed as JSON.
"""

from __future__ import annotations

import gc
import json
import os
import sys
import traceback
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import NoReturn

#: What commands load when they are run.
LOADED = (
    *(
        "cli.chat.starting",
        "cli.scaffold",
        "cli.explain_view",
        "gateway.proxy.run",
        "testing.explain",
    ),
    *(
        "endpoints.http.http_endpoint",
        "endpoints.local.endpoint",
        "conversation.stores.sql",
        "testing.capturing",
    ),
    *(
        "testing.replaying",
        "testing.capture_sources",
        "conversation.toolsets.demo",
        "protocol.grammar.gbnf",
    ),
)


def main() -> None:
    from toolproto.cli import app, run

    commands = [f"cli.commands.{name.replace('-', '_')}" for name in app.COMMANDS]
    for name in [*commands, *LOADED]:  # so that no child has to
        import_module(f"toolproto.{name}")
    gc.disable()
    gc.freeze()  # a collection in a child would copy every page
    done = []
    folder = Path(sys.argv[1])
    for words in json.load(sys.stdin):
        pid = os.fork()
        if pid == 0:
            become(words, folder)
            end(run)
        _, status = os.waitpid(pid, 0)
        said = [(folder / name).read_text("utf-8", "replace") for name in ("stdout", "stderr")]
        done.append([os.waitstatus_to_exitcode(status), *said])
    json.dump(done, sys.stdout)


def end(run: Callable[[], None]) -> NoReturn:
    """Do *run* and leave as Python does, without the half second it takes to clear up."""
    code: object = 0
    try:
        run()
    except SystemExit as left:
        code = left.code or 0
    except BaseException:
        traceback.print_exc()
        code = 1
    try:
        sys.stdout.flush()
    except OSError as error:
        print(f"Exception ignored in stdout: {error!r}", file=sys.stderr)
        code = 120
    if not isinstance(code, int):
        print(code, file=sys.stderr)
        code = 1
    sys.stderr.flush()
    os._exit(int(code))


def become(words: list[str], folder: Path) -> None:
    """Let this process have the descriptors and the words of one command."""
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    if os.environ.get("CLOSED_PIPE"):
        (folder / "stdout").write_text("")
        reader, writer = os.pipe()
        os.close(reader)
        os.dup2(writer, 1)
    else:
        os.dup2(os.open(folder / "stdout", os.O_WRONLY | os.O_CREAT | os.O_TRUNC), 1)
    os.dup2(os.open(folder / "stderr", os.O_WRONLY | os.O_CREAT | os.O_TRUNC), 2)
    sys.argv[1:] = words


if __name__ == "__main__":
    main()
