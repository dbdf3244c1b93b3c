"""What a server lists, as tools that a model can be offered.

A list is hostile input: it may be endless, its names may be anything, its descriptions may talk to
the model, and its schemas may be none. What can be used is used, within bounds; *labels* say what
was changed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...protocol.schemas.tame import tame
from ...protocol.tools.define import Tool
from ...protocol.tools.sources import LONGEST_NAME, free_name
from ...protocol.tools.spec import ToolSpec
from .config import McpConfig
from .pins import CHANGED, Pins, digest_of
from .risks import is_told, risk_of
from .words import plain, plain_schema

__all__ = ["MOST_TOOLS", "Call", "Listed", "ToolListing", "listing_of"]

#: Tools of one server; a model that is shown more finds none of them.
MOST_TOOLS = 500
#: Characters of one description, of one schema, and of all that one server may put into a prompt.
_LONGEST_DESCRIPTION = 4_000
_LONGEST_SCHEMA = 32_000
_LONGEST_ALL = 400_000

#: Calls a tool of the server by the server's own name for it.
Call = Callable[["Listed", dict[str, Any]], Awaitable[Any]]


@dataclass(frozen=True, slots=True)
class Listed:
    """A tool as its server knows it, and the digest of what was said about it."""

    name: str
    digest: str
    cautioned: bool


@dataclass(frozen=True, slots=True)
class ToolListing:
    """The tools of a server at one moment; *labels* are by the names that we give them."""

    tools: tuple[Tool, ...] = ()
    labels: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    left_out: int = 0


def listing_of(raw: Sequence[Any], config: McpConfig, pins: Pins, call: Call) -> ToolListing:
    """The tools in *raw*, the entries of all pages; *call* runs one of them."""
    entries = {
        entry["name"]: entry
        for entry in reversed(raw[:MOST_TOOLS])  # of two with one name, the first counts
        if isinstance(entry, Mapping) and isinstance(entry.get("name"), str)
    }
    digests = {name: digest_of(entry) for name, entry in entries.items()}
    changed = pins.changed(config.name, digests)
    found: dict[str, Tool] = {}
    labels: dict[str, tuple[str, ...]] = {}
    room = _LONGEST_ALL
    for name, entry in reversed(entries.items()):
        spec, notes = _spec(entry, config, found)
        room -= len(spec.description) + len(json.dumps(spec.parameters))
        if room < 0:
            break
        listed = Listed(name, digests[name], name in changed)
        found[spec.name] = _tool(entry, spec, config, listed, call)
        if notes:
            labels[spec.name] = tuple(notes)
    return ToolListing(tuple(found.values()), labels, len(raw) - len(found))


def _spec(
    entry: Mapping[str, Any], config: McpConfig, taken: Mapping[str, Any]
) -> tuple[ToolSpec, list[str]]:
    theirs = entry["name"]
    name = free_name(_valid(f"{config.name}__{theirs}" if config.prefix else theirs), taken)
    changed = [] if name == theirs or config.prefix else [f"renamed from {plain(theirs, 60)!r}"]
    said = entry.get("description") or entry.get("title") or ""
    description = plain(said, _LONGEST_DESCRIPTION)
    if description != (said.strip() if isinstance(said, str) else said):
        changed.append("description cut or cleaned")
    schema, tamed = tame(entry.get("inputSchema"))
    plain_schema(schema)
    changed += tamed
    if len(json.dumps(schema)) > _LONGEST_SCHEMA:
        changed.append("schema too long: only its names are kept")
        schema = _names_only(schema)
    return ToolSpec(name, description, schema), changed


def _tool(
    entry: Mapping[str, Any], spec: ToolSpec, config: McpConfig, listed: Listed, call: Call
) -> Tool:
    # Its parameters are all the model's, so there is none but them.
    async def run(**arguments: Any) -> Any:
        return await call(listed, arguments)

    return Tool(
        spec,
        run,
        risk=risk_of(listed.name, entry.get("annotations"), config),
        is_claimed=not is_told(listed.name, config),
        timeout=config.timeout,
        trusted=config.trusted,
        origin=config.name,
        pin=listed.digest[:16],
        caution=CHANGED if listed.cautioned else "",
    )


def _valid(name: str) -> str:
    """*name* with what no name of a tool may have replaced."""
    valid = re.sub(r"[^A-Za-z0-9_.:/\-]", "_", name[:LONGEST_NAME])
    return valid if re.match(r"[A-Za-z_]", valid) else f"_{valid}"[:LONGEST_NAME]


def _names_only(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of *schema* and which of them are due; any value fits."""
    properties = schema.get("properties")
    names: Iterable[str] = properties if isinstance(properties, Mapping) else ()
    kept: dict[str, Any] = {}
    room = _LONGEST_SCHEMA
    for name in names:
        room -= len(name) + 8
        if room < 0:
            break
        kept[name] = {}
    required = [each for each in schema.get("required", ()) if each in kept]
    return {"type": "object", "properties": kept, **({"required": required} if required else {})}
