"""How far a run is, for somebody who watches it on a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ...bulk.files import InputFile
from ...bulk.runner import Watch

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["watched"]


@contextmanager
def watched(console: Console, files: Sequence[InputFile], *, shown: bool) -> Iterator[Watch]:
    """Something to tell of every batch; a bar on *console*, if it is a terminal.

    The bar goes by bytes, since nobody has counted the rows. Of a pipe not even those are known.
    """
    if not shown or not console.is_terminal:
        yield lambda share, rows: None
        return
    from rich.progress import (
        BarColumn,
        Progress,
        TaskProgressColumn,
        TextColumn,
        TimeRemainingColumn,
    )

    total = None if any(file.is_stdin for file in files) else sum(file.size for file in files)
    count = TextColumn("{task.fields[rows]:,} replies, {task.fields[rate]:,.0f}/s")
    columns = (BarColumn(), TaskProgressColumn(), count, TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task("", total=total, rows=0, rate=0.0)
        rows_so_far = 0

        def tell(share: int, rows: int) -> None:
            nonlocal rows_so_far
            rows_so_far += rows
            elapsed = progress.tasks[0].elapsed or 1.0
            progress.update(task, advance=share, rows=rows_so_far, rate=rows_so_far / elapsed)

        yield tell
