"""The tools of OpenAI's responses: what is offered for each kind, and the items of their calls.

Each kind has calls of its own form. :func:`call_fields` makes those of a call out of arguments,
:func:`arguments_of` the arguments out of an item of an earlier turn.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..asked import ClientTool
from ..openai_chat.custom import CUSTOM_ARGUMENT, add_custom, custom_input
from ..serving.offering import Offering
from ..serving.reading import listed, objects, optional, read_arguments, required
from .known_tools import openai_tool
from .names import ITEMS

__all__ = ["add_tools", "arguments_of", "call_fields", "item_type", "loaded_tools"]

#: Items of the input that bring tools of their own.
_LOADING = ("tool_search_output", "additional_tools")
_LONGEST_ABOUT = 300


def add_tools(offering: Offering, tools: Sequence[Mapping[str, Any]], path: str) -> None:
    """Offer *tools*, as far as they can be."""
    for at, tool in enumerate(tools):
        _add(offering, tool, f"{path}[{at}]")


def loaded_tools(items: Any) -> list[Mapping[str, Any]]:
    """The tools that items of the input bring, found by a search of the client's."""
    if not isinstance(items, list):
        return []
    bring = [each for each in items if isinstance(each, Mapping) and each.get("type") in _LOADING]
    return [tool for each in bring for tool in listed(each, "tools")]


def _add(
    offering: Offering, tool: Mapping[str, Any], path: str, namespace: str | None = None
) -> None:
    kind = optional(tool, "type", str, f"{path}.") or "function"
    match kind:
        case "function":
            _add_function(offering, tool, path, namespace)
        case "custom":
            name = required(tool, "name", str, f"{path}.")
            add_custom(offering, ClientTool(name, "custom", namespace), tool)
        case "namespace" if namespace is None:
            _add_namespace(offering, tool, path)
        case "tool_search" if tool.get("execution") == "client":
            about = tool.get("description") or "Find tools that are not listed here."
            parameters = tool.get("parameters") or _QUERY
            offering.add(ClientTool("tool_search", kind), about, parameters)
        case _:
            _add_known(offering, tool, kind)


_QUERY = {
    "type": "object",
    "properties": {"query": {"type": "string"}},
    "required": ["query"],
}


def _add_function(
    offering: Offering, tool: Mapping[str, Any], path: str, namespace: str | None
) -> None:
    # Some clients send what they would send to chat completions.
    function = optional(tool, "function", dict, f"{path}.") or tool
    if namespace is None:
        offering.function(function, path)
        return
    known = ClientTool(required(function, "name", str, f"{path}."), "function", namespace)
    offering.add(known, function.get("description"), function.get("parameters"))
    if function.get("strict") is True:
        offering.strict.add(offering.name_of(known))


def _add_namespace(offering: Offering, tool: Mapping[str, Any], path: str) -> None:
    name = required(tool, "name", str, f"{path}.")
    about = optional(tool, "description", str, f"{path}.") or ""
    for at, inner in enumerate(objects(tool, "tools", f"{path}.")):
        described = inner.get("description")
        if about and isinstance(described, str | None) and len(about) <= _LONGEST_ABOUT:
            # The namespace itself is shown nowhere else.
            inner = {**inner, "description": f"{described or ''}\n({about})".strip()}
        _add(offering, inner, f"{path}.tools[{at}]", name)


def _add_known(offering: Offering, tool: Mapping[str, Any], kind: str) -> None:
    known = openai_tool(kind)
    environment = tool.get("environment")
    place = environment.get("type") if isinstance(environment, Mapping) else None
    if known is None or (kind == "shell" and place not in (None, "local")):
        offering.leave_out(kind)
    else:
        # Every generation of it has a type of its own; earlier turns only say what was done.
        name = "computer" if kind.startswith("computer") else kind
        offering.add(ClientTool(name, kind), known.description, known.parameters)


# -- items --------------------------------------------------------------------------------


def item_type(tool: ClientTool) -> str:
    """The type of the items that are calls of *tool*."""
    return ITEMS.get(tool.kind, "function_call")


def call_fields(tool: ClientTool, arguments: str) -> dict[str, Any]:
    """What a call of *tool* says in the fields of its kind."""
    if tool.kind == "custom":
        within = {"namespace": tool.namespace} if tool.namespace else {}
        return {"name": tool.name, "input": custom_input(arguments), **within}
    if tool.kind == "function" or tool.kind not in ITEMS:
        within = {"namespace": tool.namespace} if tool.namespace else {}
        return {"name": tool.name, "arguments": arguments, **within}
    given = read_arguments(arguments, "arguments")
    match tool.kind:
        case "local_shell":
            command = {"command": _words(given.get("command"), split=True), "env": _env(given)}
            more = {key: given[key] for key in ("working_directory", "timeout_ms") if key in given}
            return {"action": {"type": "exec", **command, **more}}
        case "shell":
            limits = {key: given.get(key) for key in ("timeout_ms", "max_output_length")}
            return {"action": {"commands": _words(given.get("commands")), **limits}}
        case "apply_patch":
            return {"operation": _operation(given)}
        case "tool_search":
            return {"execution": "client", "arguments": given}
        case "computer":
            return {"actions": [given], "pending_safety_checks": []}
    return {"action": given, "pending_safety_checks": []}


def _words(value: Any, split: bool = False) -> list[str]:
    if isinstance(value, str):
        return ["bash", "-lc", value] if split else [value]
    return [str(each) for each in value] if isinstance(value, list) else []


def _env(given: Mapping[str, Any]) -> dict[str, str]:
    env = given.get("env")
    return {str(k): str(v) for k, v in env.items()} if isinstance(env, Mapping) else {}


def _operation(given: Mapping[str, Any]) -> dict[str, Any]:
    kind, path = given.get("type", "update_file"), given.get("path", "")
    diff = {} if kind == "delete_file" else {"diff": given.get("diff") or ""}
    return {"type": kind, "path": path, **diff}


def arguments_of(item: Mapping[str, Any], kind: str, path: str) -> dict[str, Any]:
    """The arguments of a call of an earlier turn."""
    match kind:
        case "custom":
            return {CUSTOM_ARGUMENT: optional(item, "input", str, path) or ""}
        case "local_shell" | "shell":
            action = optional(item, "action", dict, path) or {}
            said = {key: value for key, value in action.items() if key != "type" and value}
            return said
        case "apply_patch":
            return dict(optional(item, "operation", dict, path) or {})
        case "computer":
            actions = item.get("actions")
            return {"actions": actions} if actions else dict(item.get("action") or {})
    return read_arguments(item.get("arguments", "{}"), f"{path}arguments")
