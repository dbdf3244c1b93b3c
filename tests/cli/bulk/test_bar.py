"""What somebody sees who watches a run."""

from __future__ import annotations

from io import StringIO

from rich.console import Console

from tests.bulk.samples import write_replies
from toolproto.bulk.files import InputFile, InputKind, find_inputs
from toolproto.cli.bulk.bar import watched


def drawn(sources, *, terminal=True, shown=True):
    screen = StringIO()
    console = Console(file=screen, force_terminal=terminal, width=100)
    with watched(console, sources, shown=shown) as watch:
        watch(1_000, 1_234)
        watch(1_000, 1)
    return screen.getvalue()


def test_the_bar_goes_by_bytes_and_counts_replies(tmp_path):
    sources = find_inputs([str(write_replies(tmp_path / "a.jsonl", 40))])
    bar = drawn(sources)
    assert "1,235 replies" in bar
    assert f"{2_000 * 100 / sources[0].size:.0f}%" in bar


def test_of_a_pipe_only_the_replies_are_counted():
    assert "1,235 replies" in drawn([InputFile("-", InputKind.JSONL)])


def test_only_a_terminal_gets_a_bar():
    assert drawn([InputFile("-", InputKind.JSONL)], terminal=False) == ""
    assert drawn([InputFile("-", InputKind.JSONL)], shown=False) == ""
