"""Tools from where a person keeps them.

======================  ========================================================================
``my_tools.py``         every ``@tool`` in the file, or what its list ``TOOLS`` names
``package.module``      the same of an importable module
``tools.json``          JSON Schemas as OpenAI, Anthropic and others write them; ``"command"``
                        beside a schema says how to run it (see ``command_tool.py``)
``demo``                the weather, a calculator, a clock and notes in memory, to play with
``files:``              the file tools over files in memory; ``files:notes`` over a folder
``python:``             ``python_eval``, which runs code that the model wrote, if it is approved
======================  ========================================================================
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from ..protocol.errors import UsageError
from ..protocol.tools.define import Tool
from ..protocol.tools.registry import ToolRegistry
from ..protocol.tools.sources import ToolSource
from ..protocol.tools.spec import ToolOffer
from .command_tool import command_tool
from .loading import load_module

__all__ = ["DEMO", "load_offer", "load_tools", "needed_offer"]

DEMO = "demo"
_FILES = "files:"
_PYTHON = "python:"
_LISTS = ("tools", "functions")


def load_tools(sources: Sequence[str], servers: Sequence[ToolSource] = ()) -> ToolRegistry:
    """The tools of every source, in order; one that has none is a UsageError.

    Behind them stand those of *servers*, whichever they have at the time.
    """
    loaded = [tool for source in sources for tool in _tools(source)]
    return ToolRegistry([*loaded, *servers])


def load_offer(sources: Sequence[str]) -> ToolOffer:
    """What a model may know of the tools of every source."""
    return load_tools(sources).offer()


def needed_offer(sources: Sequence[str]) -> ToolOffer:
    """The same for a command that has nothing to show without tools."""
    if not sources:
        raise UsageError("which tools? give --tools my_tools.py or tools.json; or try --tools demo")
    return load_offer(sources)


def _tools(source: str) -> list[Tool]:
    if source.startswith(_FILES):
        return _file_tools(source.removeprefix(_FILES))
    if source == DEMO:
        from ..conversation.toolsets import demo_tools

        return demo_tools()
    if source == _PYTHON:
        from ..conversation.toolsets import python_tool

        return [python_tool()]
    if source.endswith((".json", ".toml")):
        found = list(_described(Path(source)))
    else:
        found = list(_defined(load_module(source)))
    if not found:
        raise UsageError(f"{source} has no tools: mark functions with @tool, or list them in TOOLS")
    return found


def _file_tools(folder: str) -> list[Tool]:
    from ..conversation.toolsets import MemoryFiles, file_tools

    return list(file_tools(Path(folder) if folder else MemoryFiles()))


def _defined(module: ModuleType) -> Iterator[Tool]:
    if isinstance(listed := getattr(module, "TOOLS", None), Iterable):
        yield from ToolRegistry(listed).values()
        return
    seen: set[str] = set()
    for value in vars(module).values():
        if isinstance(value, Tool) and value.name not in seen:
            seen.add(value.name)
            yield value


def _described(path: Path) -> Iterator[Tool]:
    for definition in _definitions(path):
        if not isinstance(definition, Mapping):
            raise UsageError(f"{path}: a tool must be an object, got {definition!r:.60}")
        yield command_tool(_as_openai(definition))


def _definitions(path: Path) -> list[Any]:
    found = _read(path)
    if isinstance(found, Mapping):
        listed = next((found[key] for key in _LISTS if isinstance(found.get(key), list)), None)
        # A single tool, or those of fixtures: a name to a definition.
        found = listed or ([found] if "name" in found or "function" in found else _named(found))
    if not isinstance(found, list):
        raise UsageError(f"{path} must contain a list of tools, or an object with such a list")
    return found


def _named(found: Mapping[str, Any]) -> list[Any]:
    return [
        {"name": name, **definition} if isinstance(definition, Mapping) else definition
        for name, definition in found.items()
    ]


def _read(path: Path) -> Any:
    try:
        text = path.read_text(encoding="utf-8-sig")
        return tomllib.loads(text) if path.suffix == ".toml" else json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{path} cannot be read: {error}") from None


def _as_openai(definition: Mapping[str, Any]) -> Mapping[str, Any]:
    """*definition* with the name OpenAI gives to what Anthropic and MCP call otherwise."""
    for key in ("input_schema", "inputSchema"):
        if key in definition:
            kept = {name: value for name, value in definition.items() if name not in (key, "type")}
            return {**kept, "parameters": definition[key]}
    return definition
