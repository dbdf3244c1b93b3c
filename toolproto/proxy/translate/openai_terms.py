"""What OpenAI's APIs say in the same words: tools and the choice of them, shapes, errors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...tools.spec import ToolOffer
from ..asked import AnswerShape, BadRequest, Fault
from .reading import offered, shape_of, shown

__all__ = ["openai_error", "openai_offer", "openai_shape", "read_choice", "strict_names"]


_ERRORS = {
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    429: "rate_limit_error",
}


def openai_error(fault: Fault) -> dict[str, Any]:
    """The body in which OpenAI tells what is wrong."""
    otherwise = "invalid_request_error" if 400 <= fault.status < 500 else "upstream_error"
    kind = _ERRORS.get(fault.status, otherwise)
    told = {"message": fault.message, "type": kind, "param": fault.param, "code": fault.code}
    return {"error": told}


def openai_offer(tools: Sequence[Mapping[str, Any]], choice: Any, parallel: bool) -> ToolOffer:
    """*tools*, on the terms of a ``tool_choice``."""
    demanded, allowed = read_choice(choice, "tool_choice")
    offer = offered(tools, "tools", demanded, parallel)
    if allowed is None:
        return offer
    if unknown := allowed - offer.names:
        raise BadRequest(
            f"tool_choice allows {shown(min(unknown))}, which is not offered", "tool_choice"
        )
    kept = tuple(tool for tool in offer.tools if tool.name in allowed)
    if demanded == "required" and not kept:
        raise BadRequest("tool_choice demands a call, but allows no tool", "tool_choice")
    return ToolOffer(kept, demanded, parallel)


def read_choice(choice: Any, path: str) -> tuple[str, frozenset[str] | None]:
    """What *choice* demands, and the names it is limited to."""
    match choice:
        case None | "auto":
            return "auto", None
        case "none" | "required":
            return choice, None
        case {"type": "allowed_tools", "allowed_tools": {"mode": mode, "tools": list(tools)}} | {
            "type": "allowed_tools",
            "mode": mode,
            "tools": list(tools),
        } if mode in ("auto", "required"):
            return mode, frozenset(_named(tool, path) for tool in tools)
        case _:
            return _named(choice, path), None


def _named(choice: Any, path: str) -> str:
    match choice:
        case {"function": {"name": str(name)}} | {"name": str(name)}:
            return name
    raise BadRequest(
        f"{path} is to be 'auto', 'none', 'required' or an object that names a function", path
    )


def strict_names(tools: Sequence[Mapping[str, Any]]) -> frozenset[str]:
    """The tools whose arguments have to fit their schema, whatever it takes."""
    return frozenset(name for tool in tools if (name := _strict_name(tool)) is not None)


def _strict_name(tool: Mapping[str, Any]) -> str | None:
    match tool:
        case {"function": {"name": str(name), "strict": True}} | {
            "name": str(name),
            "strict": True,
        }:
            return name
    return None


def openai_shape(format: Any, path: str) -> AnswerShape | None:
    """The shape that a ``response_format``, or the ``format`` of a text, asks for."""
    match format:
        case None | {"type": "text"}:
            return None
        case {"type": "json_object"}:
            return AnswerShape()
        case {"type": "json_schema", "json_schema": {"schema": dict(schema)}}:
            return shape_of(schema, path)
        case {"type": "json_schema", "schema": dict(schema)}:
            return shape_of(schema, path)
    raise BadRequest(f"{path} is to be text, json_object or json_schema", path)
