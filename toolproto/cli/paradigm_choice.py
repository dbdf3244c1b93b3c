"""The paradigm that a person named: a registered one, or one in a Python file of theirs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..protocol.errors import UsageError
from ..protocol.paradigms import ToolContextDef, get_paradigm, list_paradigms
from ..protocol.paradigms.recommendations import recommend
from .loading import load_module

__all__ = ["load_paradigm"]


def load_paradigm(name: str, *, model: str = "", **options: Any) -> ToolContextDef:
    """The paradigm called *name*, made with *options*.

    ``auto`` is what suits *model*. ``bracket.py`` is the one defined in that file, and so is
    ``bracket`` where no paradigm of that name is installed but the file is here.
    """
    if name == "auto":
        return _recommended(model, options)
    if name.endswith(".py"):
        return _defined_in(name)(**options)
    here = Path(f"{name}.py")
    if name.lower().replace("-", "_") not in list_paradigms() and here.is_file():
        return _defined_in(str(here))(**options)
    return get_paradigm(name, **options)


def _recommended(model: str, options: dict[str, Any]) -> ToolContextDef:
    choice = recommend(model)
    usual = {"describe": choice.describe, "teaching": choice.teaching}
    return get_paradigm(choice.paradigm, **{**usual, **options})


def _defined_in(path: str) -> type[ToolContextDef]:
    module = load_module(path)
    found = [
        value
        for value in vars(module).values()
        if isinstance(value, type)
        and issubclass(value, ToolContextDef)
        and value.__module__ == module.__name__
        and "name" in vars(value)
    ]
    if len(found) != 1:
        names = ", ".join(each.__name__ for each in found) or "none"
        raise UsageError(f"{path} must define one paradigm with a name; it defines {names}")
    return found[0]
