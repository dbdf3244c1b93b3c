"""``toolproto sessions``: kept conversations, listed, shown, exported, imported and deleted."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from ...conversation.stores import Store
from ...protocol.errors import UsageError
from ..completing import FILE, SESSION
from ..console import note, out, print_json, print_text
from ..options import json_option

__all__ = ["command"]

_SQLITE = "sqlite:///"
_store_option = click.option(
    "--store",
    type=FILE,
    metavar="URL",
    envvar="TOOLPROTO_STORE",
    help="Where the sessions are kept: sqlite:///chats.db, …",
)


@click.group("sessions")
@_store_option
def command(store: str | None) -> None:
    """List, show, export and delete the conversations that `toolproto chat --store` keeps."""


def _in_store(function: Callable[..., None]) -> Callable[..., None]:
    """Let *function* have the opened store that was named before or behind its name."""

    @_store_option
    @functools.wraps(function)
    def opened(*, store: str | None, **options: Any) -> None:
        parent = click.get_current_context().parent
        with _opened(store or (parent.params.get("store") if parent else None)) as found:
            function(found, **options)

    return opened


@contextmanager
def _opened(address: str | None) -> Iterator[Store]:
    from ..chat.starting import opened_store

    if not address:
        raise UsageError("which store? give --store chats.db, or set TOOLPROTO_STORE")
    file = address.removeprefix(_SQLITE)
    if ("://" not in address or address.startswith(_SQLITE)) and not Path(file).exists():
        raise UsageError(
            f"there is no store in {file!r}; `toolproto chat --store {file}` makes one"
        )
    store = opened_store(address)
    try:
        yield store
    finally:
        store.close()


def _known(store: Store, id: str) -> str:
    if store.info(id) is None:
        raise UsageError(f"the store has no session {id!r}; `toolproto sessions list` lists them")
    return id


@command.command("list")
@_in_store
@click.argument("search", default="")
@click.option("--workspace", metavar="NAME", help="Only sessions of this workspace.")
@click.option("--limit", type=click.IntRange(1), default=50, show_default=True, help="How many.")
@json_option
def list_sessions(
    store: Store, search: str, workspace: str | None, limit: int, as_json: bool
) -> None:
    """List sessions, the last used first.

    With SEARCH, only those whose title or text contains it.
    """
    from ...conversation.stores.base import NO_SESSIONS
    from ..sessions_view import session_table

    listed = store.list(search, workspace=workspace, limit=limit)
    found = [each for each in listed if not each.id.startswith(NO_SESSIONS)]
    if as_json:
        for each in found:
            told = {"id": each.id, "title": each.title, "workspace": each.workspace}
            times = {"created": each.created, "updated": each.updated}
            print_json({**told, **times, "records": each.records})
    elif found:
        out().print(session_table(found))
    else:
        note(f"no session contains {search!r}" if search else "there are no sessions yet")


@command.command("show")
@_in_store
@click.argument("id", type=SESSION)
@click.option("--whole", is_flag=True, help="Show arguments and results whole.")
@click.option("--thinking", is_flag=True, help="Show the model's thinking.")
@json_option
def show(store: Store, id: str, whole: bool, thinking: bool, as_json: bool) -> None:
    """Show the conversation of a session.

    With --json, each message is a line.
    """
    from ..chat.screen import Screen
    from ..sessions_view import conversation, message_json, transcript

    said = conversation(store, _known(store, id))
    if as_json:
        for message in said.messages:
            print_json(message_json(message))
        return
    screen = Screen(out())
    for drawn in transcript(said, screen.width, whole=whole, thinking=thinking):
        screen.show(drawn)


@command.command("export")
@_in_store
@click.argument("id", type=SESSION)
@click.option(
    "--format",
    "form",
    type=click.Choice(["jsonl", "md"]),
    help="Lines of JSON, which can be imported, or Markdown.  [by the name of the file]",
)
@click.option(
    "--output",
    "-o",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="File to write, if not standard output.",
)
def export(store: Store, id: str, form: str | None, output: Path | None) -> None:
    """Write a session as lines of JSON or as Markdown."""
    from ...conversation.session import export_jsonl, export_markdown

    form = form or ("md" if output and output.suffix == ".md" else "jsonl")
    _known(store, id)
    text = export_markdown(store, id) if form == "md" else "".join(export_jsonl(store, id))
    if output:
        output.write_text(text, encoding="utf-8", errors="replace")
        note(f"{id} is in {output}")
    else:
        sys.stdout.buffer.write(text.encode("utf-8", "replace"))


@command.command("import")
@_in_store
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--id", "id", metavar="ID", help="Name of the session here, instead of the old one.")
def import_session(store: Store, file: Path, id: str | None) -> None:
    """Make a session from an exported FILE."""
    from ...conversation.session import import_jsonl

    with file.open(encoding="utf-8", errors="replace") as lines:
        print_text(import_jsonl(store, lines, id))


@command.command("delete")
@_in_store
@click.argument("ids", nargs=-1, required=True, type=SESSION)
@click.option("--yes", "-y", is_flag=True, help="Do not ask.")
def delete(store: Store, ids: tuple[str, ...], yes: bool) -> None:
    """Delete sessions with all their messages."""
    for id in ids:
        _known(store, id)
    if not yes:
        if not sys.stdin.isatty():
            raise UsageError("there is no terminal to ask at; give --yes")
        click.confirm(f"delete {', '.join(ids)}?", abort=True, err=True)
    for id in ids:
        store.delete(id)
        note(f"{id} is deleted")
