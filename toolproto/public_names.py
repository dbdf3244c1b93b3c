"""The public names of a package: listed once, in its stub, and imported when they are asked for.

``__init__.pyi`` beside a package's ``__init__.py`` imports every public name from its module, as
``from .messages import Message as Message``. A type checker reads that as it is. At run time this
module reads the same lines, so that no list stands twice, and a program, a test run or the command
line waits only for what it uses. (``lazy_loader`` reads stubs too, but only names of direct
submodules, and imports what an editor asks for by ``dir``.)
"""

from __future__ import annotations

import ast
import importlib
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

__all__ = ["homes", "open_lazily"]

#: The packages whose stubs are searched for a name that its program looks for elsewhere.
_ROOMS = ("protocol", "endpoints", "conversation", "gateway", "bulk", "testing", "web")


@cache
def homes(package: str) -> dict[str, str]:
    """Return the public names of *package*, each with the full name of its module."""
    stub = Path(importlib.import_module(package).__path__[0], "__init__.pyi").read_text("utf-8")
    found = {}
    for node in ast.parse(stub).body:
        if isinstance(node, ast.ImportFrom) and node.level == 1:
            module = f"{package}.{node.module}" if node.module else package
            found.update({alias.asname: module for alias in node.names if alias.asname})
    return found


def open_lazily(package: str) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return ``__getattr__`` and ``__dir__`` for the ``__init__`` of *package*."""
    module = sys.modules[package]

    def get(name: str) -> Any:
        if name == "__all__":
            return _public(package)
        if name.startswith("__") and name != "__version__":
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        if name not in homes(package):
            where = _where(name, package)
            missing = f"module {package!r} has no attribute {name!r}{where}"
            # ``from package import name`` would leave out the words of an AttributeError. Without
            # them it has to be one, since *name* may be a submodule.
            if where and sys._getframe(1).f_code.co_name == "_handle_fromlist":
                raise ImportError(missing, name=package)
            raise AttributeError(missing)
        found = getattr(importlib.import_module(homes(package)[name]), name)
        setattr(module, name, found)
        return found

    def names() -> list[str]:
        return sorted({*homes(package), "__all__", "__doc__"})

    return get, names


def _public(package: str) -> list[str]:
    return sorted(name for name in homes(package) if not name.startswith("_"))


def _where(name: str, package: str) -> str:
    """Return where else *name* is public, in words; nothing if it is not."""
    top = package.partition(".")[0]
    for place in (top, *(f"{top}.{room}" for room in _ROOMS)):
        if place != package and name in homes(place):
            return f"; it is in {place}: from {place} import {name}"
    return ""
