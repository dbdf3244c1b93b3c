"""Python files and modules that a person named on the command line."""

from __future__ import annotations

import importlib
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

from ..protocol.errors import UsageError

__all__ = ["load_module"]


def load_module(source: str) -> ModuleType:
    """The module in a ``.py`` file, or the one of that dotted name, looked for here first.

    Whatever its code raises becomes a UsageError that names it.
    """
    is_file = source.endswith(".py")
    try:
        return _load_file(Path(source)) if is_file else _import(source)
    except Exception as error:  # whatever somebody's code raises
        told = f"{type(error).__name__}: {error}"
        raise UsageError(f"{source} cannot be loaded: {told}") from error


def _load_file(path: Path) -> ModuleType:
    if not path.is_file():
        raise FileNotFoundError("there is no such file")
    folder = str(path.resolve().parent)
    spec = spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    # Dataclasses and pydantic look their module up by its name.
    sys.modules[path.stem] = module
    _reachable(folder)
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[path.stem]
        raise
    return module


def _import(name: str) -> ModuleType:
    _reachable(str(Path.cwd()))
    return importlib.import_module(name)


def _reachable(folder: str) -> None:
    """Let a file import its neighbours; behind everything installed, so that it hides nothing."""
    if folder not in sys.path:
        sys.path.append(folder)
