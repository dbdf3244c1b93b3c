"""Replies as models wrote them, kept as files.

``fixtures/<paradigm>/<case>.txt`` is a reply, to the last character. The ``.toml`` beside it says
where it comes from (*origin*), what it shows (*note*), which tools were offered (*tools*, by their
names in ``fixtures/tools.json``), which malformation classes it stands for (*classes*), and, where
it matters, why the endpoint stopped (*finish_reason*).
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import UsageError
from ..tools.spec import ToolOffer, ToolSpec

__all__ = ["Fixture", "load_fixture", "load_fixtures"]

_KEYS = {"origin", "note", "tools", "classes", "finish_reason", "starts_in_thinking"}


@dataclass(frozen=True, slots=True)
class Fixture:
    """One recorded reply, and what is known about it."""

    paradigm: str
    case: str
    reply: str
    offer: ToolOffer
    origin: str
    note: str
    classes: tuple[str, ...] = ()
    finish_reason: str | None = None
    starts_in_thinking: bool = False


def load_fixtures(folder: Path) -> Iterator[Fixture]:
    """Every fixture below *folder*, in the order of their names."""
    tools = _tools(folder / "tools.json")
    for path in sorted(folder.glob("*/*.txt")):
        yield load_fixture(path, tools)


def load_fixture(path: Path, tools: dict[str, ToolSpec]) -> Fixture:
    """The fixture whose reply is the file *path*."""
    told = _told(path.with_suffix(".toml"))
    unknown = [name for name in told.get("tools", []) if name not in tools]
    if unknown:
        raise UsageError(f"{path}: no tools named {unknown!r} in tools.json")
    return Fixture(
        paradigm=path.parent.name,
        case=path.stem,
        # Bytes, because reading as text would turn every line end into a newline.
        reply=path.read_bytes().decode("utf-8", "surrogatepass"),
        offer=ToolOffer(tuple(tools[name] for name in told.get("tools", tools))),
        origin=told["origin"],
        note=told["note"],
        classes=tuple(told.get("classes", ())),
        finish_reason=told.get("finish_reason"),
        starts_in_thinking=told.get("starts_in_thinking", False),
    )


def _told(path: Path) -> dict[str, Any]:
    try:
        told = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise UsageError(f"{path}: cannot be read: {error}") from error
    wrong = sorted(told.keys() - _KEYS) or [key for key in ("origin", "note") if key not in told]
    if wrong:
        raise UsageError(f"{path}: unknown or missing keys {wrong!r}; known are {sorted(_KEYS)!r}")
    return told


def _tools(path: Path) -> dict[str, ToolSpec]:
    listed = json.loads(path.read_text(encoding="utf-8"))
    return {tool["name"]: ToolSpec(**tool) for tool in listed}
