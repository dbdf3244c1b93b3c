"""``toolproto new-paradigm``: a new form of call, with its tests."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from ..scaffold import NewParadigm, Scaffolded

__all__ = ["command"]

_PAYLOADS = ("json", "named-json", "tags", "python", "xml")
_CUSTOM = "@call "


@click.command(name="new-paradigm")
@click.argument("name")
@click.option("--open", "opener", help="Marker before a call, as in '[[call '.")
@click.option("--close", "closer", default="", help="Marker after a call, as in ']]'.")
@click.option(
    "--payload",
    type=click.Choice(_PAYLOADS),
    default="json",
    show_default=True,
    help="How the inside of a call is written.",
)
@click.option(
    "--custom", is_flag=True, help="Write a reader, too, for a form without closing markers."
)
@click.option(
    "--package", is_flag=True, help="Write a package with an entry point, to be published."
)
@click.option(
    "--into",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path(),
    help="Folder to write to.  [default: the current one]",
)
def command(
    name: str,
    opener: str | None,
    closer: str,
    payload: str,
    custom: bool,
    package: bool,
    into: Path,
) -> None:
    """Write a paradigm called NAME, with its test, three fixtures and their snapshots.

    All tests pass: run pytest, then change what you like. Nothing is overwritten.
    """
    from ..scaffold import NewParadigm, write_scaffold

    opener = opener or (_CUSTOM if custom else "")
    wanted = NewParadigm(name, opener, closer, payload, custom, package)
    _show(wanted, write_scaffold(wanted, into))


def _show(wanted: NewParadigm, done: Scaffolded) -> None:
    from ..console import note

    for path in done.written:
        click.echo(done.folder / path)
    if Path("pytest.ini") in done.left and not _says(done.folder, "toolproto_fixtures"):
        note("pytest has settings here already; add to them: toolproto_fixtures = fixtures")
    if Path("conftest.py") in done.left and not _says(done.folder, f"import {wanted.module}"):
        note(f"conftest.py exists already; add to it: import {wanted.module}")
    where = f" {done.folder}" if done.folder != Path() else ""
    note(f"next: pytest{where}")
    if wanted.package:
        note(f"then: pip install -e {done.folder}, and get_paradigm({wanted.name!r}) finds it")
    else:
        note(f"then: toolproto explain reply.txt --paradigm {wanted.name}")


def _says(folder: Path, words: str) -> bool:
    """Whether pytest's settings or ``conftest.py`` in *folder* hold *words* already."""
    names = ("pytest.ini", "pyproject.toml", "tox.ini", "setup.cfg", "conftest.py")
    files = [folder / name for name in names if (folder / name).is_file()]
    return any(words in file.read_text("utf-8", "replace") for file in files)
