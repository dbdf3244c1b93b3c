"""Writing a new paradigm: tried in a folder of its own first, then put where it is wanted."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from shutil import copyfile
from tempfile import TemporaryDirectory

from ...protocol.errors import UsageError
from ...protocol.paradigms.registry import free_names
from ..paradigm_choice import load_paradigm
from .recordings import write_fixtures
from .rendering import CALL, module_path, module_text, other_files
from .trying import try_out
from .wanted import NewParadigm

__all__ = ["Scaffolded", "write_scaffold"]

#: May be there already, from another paradigm in the same folder, and are left as they are.
_SHARED = {Path("conftest.py"), Path("pytest.ini"), Path("fixtures/tools.json")}
#: With one of these, pytest would not read a ``pytest.ini`` of ours, or read nothing else.
_SETTINGS = ("pytest.ini", ".pytest.ini", "pyproject.toml", "tox.ini", "setup.cfg")


@dataclass(frozen=True, slots=True)
class Scaffolded:
    """What was written into *folder*, and what was *left* because something is there already."""

    folder: Path
    written: tuple[Path, ...]
    left: tuple[Path, ...]


def write_scaffold(wanted: NewParadigm, into: Path) -> Scaffolded:
    """Write *wanted* into the folder *into*; a package gets a folder of its own in there.

    Nothing that exists is overwritten, and nothing is written unless all of it can be.
    """
    wanted.check()
    folder = into / wanted.distribution if wanted.package else into
    with TemporaryDirectory() as made:
        _make(wanted, Path(made))
        found = (path.relative_to(made) for path in Path(made).rglob("*") if path.is_file())
        # Trying it out may have compiled it.
        files = sorted(path for path in found if "__pycache__" not in path.parts)
        left = _left(folder, files, wanted)
        written = [path for path in files if path not in left]
        _refuse_to_overwrite(folder, written)
        for path in written:
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            copyfile(Path(made) / path, folder / path)
    return Scaffolded(folder, tuple(written), tuple(left))


def _make(wanted: NewParadigm, folder: Path) -> None:
    module = folder / module_path(wanted)
    module.parent.mkdir(parents=True, exist_ok=True)
    module.write_text(module_text(wanted), encoding="utf-8")
    with free_names([wanted.name]), _passing_module(module):
        paradigm = load_paradigm(str(module))
        try_out(paradigm, wanted)
        written = paradigm.encode_call(CALL)
        write_fixtures(folder / "fixtures", wanted.name, written)
    for path, text in other_files(wanted, written).items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")


@contextmanager
def _passing_module(path: Path) -> Iterator[None]:
    """The module in *path* may be loaded in here, and leaves no trace."""
    folders = list(sys.path)
    try:
        yield
    finally:
        sys.modules.pop(path.stem, None)
        sys.path[:] = folders


def _left(folder: Path, files: list[Path], wanted: NewParadigm) -> list[Path]:
    if wanted.package:
        return []
    left = [path for path in files if path in _SHARED and (folder / path).exists()]
    if any((folder / name).exists() for name in _SETTINGS) and Path("pytest.ini") not in left:
        left.append(Path("pytest.ini"))
    return left


def _refuse_to_overwrite(folder: Path, files: list[Path]) -> None:
    taken = [str(folder / path) for path in files if (folder / path).exists()]
    if taken:
        raise UsageError(
            f"{', '.join(taken[:3])}{' …' if len(taken) > 3 else ''} exist already;"
            " delete them first, or choose another name"
        )
