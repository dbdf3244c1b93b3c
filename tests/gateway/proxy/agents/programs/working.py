"""What the programs of all frameworks share: the tools, the task, and how they end."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Callable
from pathlib import Path

URL = os.environ.get("PROXY_URL", "")
TASK = "List the folder, read notes.txt, then write out.txt. Say when all is done."


def list_files() -> str:
    """List the files of the folder."""
    return "\n".join(sorted(each.name for each in Path().iterdir()))


def read_file(path: str) -> str:
    """Read a file.

    Args:
        path: The name of the file.
    """
    return Path(path).read_text(encoding="utf-8")


def write_file(path: str, content: str) -> str:
    """Write a file.

    Args:
        path: The name of the file.
        content: What is to stand in it.
    """
    Path(path).write_text(content, encoding="utf-8")
    return "written"


TOOLS = [list_files, read_file, write_file]


def end(run: Callable[[], object]) -> None:
    """Show what the agent said, or the error it ended with."""
    try:
        print(run())
    except BaseException:
        traceback.print_exc()
        sys.exit(1)
