"""The words of OpenAI's responses: parameters, items and what begins their ids, and ends.

Roles, shapes, the choice of a tool and errors are those of chat completions.
"""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["CALLS", "CUT", "ITEMS", "MESSAGE", "PARAMS", "PREFIXES", "REASONING", "TextKind"]

#: Generation parameters, here and in the words of chat completions.
PARAMS = {"max_output_tokens": "max_tokens", "temperature": "temperature", "top_p": "top_p"}
#: Why a response is incomplete.
CUT = {"length": "max_output_tokens", "content_filter": "content_filter"}


class TextKind(NamedTuple):
    """An item that is text: *prefix* begins its id, *event* the names of what adds to it."""

    type: str
    prefix: str
    part: str
    event: str


MESSAGE = TextKind("message", "msg", "output_text", "response.output_text")
REASONING = TextKind("reasoning", "rs", "reasoning_text", "response.reasoning_text")

#: The items that are calls of tools where the client is, and the kind of those tools.
CALLS = {
    "function_call": "function",
    "custom_tool_call": "custom",
    "local_shell_call": "local_shell",
    "shell_call": "shell",
    "apply_patch_call": "apply_patch",
    "computer_call": "computer",
    "tool_search_call": "tool_search",
}
#: The items that are calls of a tool, by its kind.
ITEMS = {
    **{kind: item for item, kind in CALLS.items()},
    "computer_use": "computer_call",
    "computer_use_preview": "computer_call",
}
#: What begins the id of an item that is a call.
PREFIXES = {
    "custom_tool_call": "ctc",
    "local_shell_call": "lsh",
    "shell_call": "sh",
    "apply_patch_call": "apc",
    "computer_call": "cu",
    "tool_search_call": "tsc",
}
