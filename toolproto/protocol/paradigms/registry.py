"""Looking paradigms up by name, built in or installed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import Any, TypeVar

from ..decoding.reply_form import ReplyForm
from ..errors import UsageError
from . import catalogue
from .base import ToolContextDef
from .catalogue import HOMES
from .salvage import list_forms_by
from .wire import WireParadigm

__all__ = [
    "GROUP",
    "catalogued",
    "free_names",
    "get_paradigm",
    "list_paradigms",
    "register_paradigm",
]

#: Installed packages add paradigms through entry points of this group.
GROUP = "toolproto.paradigms"
P = TypeVar("P", bound=type[ToolContextDef])
_NAME = re.compile(r"[a-z][a-z0-9_]*")
_LONGEST_SHOWN = 100
_registered: dict[str, type[ToolContextDef]] = {}


def register_paradigm(cls: P) -> P:
    """Class decorator: make *cls* available under its name."""
    name = getattr(cls, "name", "")
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise UsageError(
            f"{cls.__name__}.name must be a snake_case name such as 'xml_tag', not {name!r}"
        )
    known = _registered.setdefault(name, cls)
    if known is not cls and _home(known) != _home(cls):
        raise UsageError(f"two paradigms are named {name!r}; give {cls.__name__} another name")
    # The same class defined anew, by a file that was loaded again or a notebook cell that was run
    # again, takes the place of the old one.
    _registered[name] = cls
    return cls


def get_paradigm(name: str = "json_strict", **options: Any) -> ToolContextDef:
    """The paradigm called *name* (``"XML_Tag"`` will do for ``"xml_tag"``), made with *options*."""
    key = _key(name)
    if key not in _registered and key in HOMES:
        register_paradigm(_declared(key))
    if key not in _registered:
        for point in entry_points(group=GROUP, name=key):
            register_paradigm(_loaded(point))
            if key not in _registered:
                raise UsageError(
                    f"the entry point {point.name!r} = {point.value!r} must have the same"
                    f" name as its class"
                )
    if key not in _registered:
        raise UsageError(_unknown(name, key))
    return _registered[key](**options)


def list_paradigms() -> list[str]:
    """Every name that :func:`get_paradigm` accepts; plugins are not imported for it."""
    installed = {point.name for point in entry_points(group=GROUP)}
    return sorted(_registered.keys() | HOMES.keys() | installed)


def _unknown(name: str, key: str) -> str:
    """What to say about a *name* that no paradigm has: those near it, and where the rest are."""
    names = list_paradigms()
    # A name may be as long as whoever wrote it liked.
    near = [repr(each) for each in get_close_matches(key[:_LONGEST_SHOWN], names, 3, 0.5)]
    *most, last = near or [""]
    meant = f"{', '.join(most)} or {last}" if most else last
    told = f"no paradigm named {name[:_LONGEST_SHOWN]!r};"
    hint = f" did you mean {meant}?" if near else ""
    return f"{told}{hint} `toolproto paradigms` lists all {len(names)}"


def _home(cls: type[ToolContextDef]) -> tuple[str, str]:
    return cls.__module__, cls.__qualname__


@contextmanager
def free_names(names: Iterable[str]) -> Iterator[None]:
    """In here *names* are free to be registered; afterwards they are whose they were, or free."""
    names = set(names)
    kept = {name: _registered.pop(name) for name in names & _registered.keys()}
    try:
        yield
    finally:
        for name in names:
            _registered.pop(name, None)
        _registered.update(kept)


def catalogued() -> Iterator[type[WireParadigm]]:
    """Those of the paradigms that come with us which are made from a declaration."""
    for name in sorted({*HOMES, "xml_tag"}):
        paradigm = type(get_paradigm(name))
        if issubclass(paradigm, WireParadigm):
            yield paradigm


def _forms() -> Iterator[tuple[str, ReplyForm]]:
    return ((each.name, each.wire.form) for each in catalogued())


list_forms_by(_forms)


def _declared(name: str) -> type[WireParadigm]:
    """The form of the catalogue called *name*. Others of its module stay unregistered until asked
    for: somebody may have a form of their own under one of those names.
    """
    module = import_module(f".{HOMES[name]}", catalogue.__name__)
    forms: Iterator[type[WireParadigm]] = (getattr(module, each) for each in module.__all__)
    return next(form for form in forms if form.name == name)


def _loaded(point: EntryPoint) -> type[ToolContextDef]:
    try:
        loaded = point.load()
    except (Exception, SystemExit) as error:  # whatever a plugin's import raises
        raise UsageError(
            f"the paradigm {point.name!r} of {point.value!r} does not load: {error}"
        ) from error
    if not isinstance(loaded, type) or not issubclass(loaded, ToolContextDef):
        raise UsageError(
            f"the entry point {point.name!r} = {point.value!r} is no subclass of ToolContextDef"
        )
    return loaded


def _key(name: str) -> str:
    return name.strip().lower().replace("-", "_")
