"""What clients of OpenAI's APIs ask in the same words: the choice of a tool, shapes; and errors."""

from __future__ import annotations

from typing import Any

from ..asked import AnswerShape, ApiFault, BadRequest
from ..serving.offering import ToolChoice
from ..serving.reading import shape_of

__all__ = ["openai_error", "openai_shape", "read_choice"]

_ERRORS = {
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    429: "rate_limit_error",
}


def openai_error(fault: ApiFault) -> dict[str, Any]:
    """The body in which OpenAI tells what is wrong."""
    otherwise = "invalid_request_error" if 400 <= fault.status < 500 else "upstream_error"
    kind = _ERRORS.get(fault.status, otherwise)
    told = {"message": fault.message, "type": kind, "param": fault.param, "code": fault.code}
    return {"error": told}


def read_choice(choice: Any, path: str) -> ToolChoice:
    """What *choice* demands."""
    match choice:
        case None | "auto":
            return ToolChoice()
        case "none" | "required":
            return ToolChoice(choice)
        case "any":
            # Mistral's word for it, which clients send to whoever speaks this API.
            return ToolChoice("required")
        case {"type": "auto" | "none" | "required" | "any" as mode} if len(choice) == 1:
            # Anthropic's form, and of some gateways' clients.
            return read_choice(mode, path)
        case {"type": "allowed_tools", "allowed_tools": {"mode": mode, "tools": list(tools)}} | {
            "type": "allowed_tools",
            "mode": mode,
            "tools": list(tools),
        } if mode in ("auto", "required"):
            return ToolChoice(mode, allowed=frozenset(_named(tool, path) for tool in tools))
        case _:
            return ToolChoice(named=_named(choice, path))


def _named(choice: Any, path: str) -> str:
    match choice:
        case (
            {"function": {"name": str(name)}}
            | {"custom": {"name": str(name)}}
            | {"name": str(name)}
            # Tools of kinds of which there is only one: the kind is the name.
            | {"type": str(name)}
        ) if name not in ("function", "custom", "allowed_tools"):
            return name
    raise BadRequest(
        f"{path} must be 'auto', 'none', 'required' or an object that names a function", path
    )


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
    raise BadRequest(f"{path} must be text, json_object or json_schema", path)
