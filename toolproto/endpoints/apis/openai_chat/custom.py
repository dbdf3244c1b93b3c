"""OpenAI's custom tools, which take text and no JSON: offered as functions of one string."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ....protocol.decoding.argument_strings import ArgumentStrings
from ..asked import ClientTool
from ..serving.offering import Offering

__all__ = ["CUSTOM_ARGUMENT", "CustomInput", "add_custom", "custom_input"]

#: What the function takes.
CUSTOM_ARGUMENT = "input"


def add_custom(offering: Offering, tool: ClientTool, given: Mapping[str, Any]) -> None:
    """*tool*, which takes any text, or text that follows a grammar."""
    about = [text] if isinstance(text := given.get("description"), str) and text else []
    match given.get("format"):
        # In chats the grammar stands in an object of its own.
        case {"type": "grammar", "grammar": {"syntax": syntax, "definition": str(definition)}} | {
            "type": "grammar",
            "syntax": syntax,
            "definition": str(definition),
        }:
            about.append(f"The input must follow this {syntax} grammar:\n{definition}")
    text_of_tool = {"type": "string", "description": "The whole input of the tool, as plain text."}
    schema = {
        "type": "object",
        "properties": {CUSTOM_ARGUMENT: text_of_tool},
        "required": [CUSTOM_ARGUMENT],
        "additionalProperties": False,
    }
    offering.add(tool, "\n\n".join(about), schema)


def custom_input(arguments: str) -> str:
    """The input of a custom tool, out of the *arguments* of the function it was offered as."""
    try:
        values = json.loads(arguments)
    except (ValueError, RecursionError):
        return arguments
    match values:
        case {"input": str(text)}:
            return text
        case dict() if len(values) == 1 and isinstance(text := next(iter(values.values())), str):
            return text
    return arguments


class CustomInput:
    """The input of one call of a custom tool, while the arguments of its function are written."""

    def __init__(self) -> None:
        self._strings = ArgumentStrings()
        self._arguments: list[str] = []
        self._told: list[str] = []

    def feed(self, text: str) -> str:
        """What *text*, more of the arguments, adds to the input."""
        self._arguments.append(text)
        pieces = self._strings.feed(text)
        more = "".join(each.text for each in pieces if each.path == (CUSTOM_ARGUMENT,))
        self._told.append(more)
        return more

    def finish(self) -> str:
        """What is still to be told at the end: all of it, if the model named it otherwise."""
        if not (missing := "" if any(self._told) else custom_input("".join(self._arguments))):
            return ""
        self._told.append(missing)
        return missing

    @property
    def text(self) -> str:
        """What was told so far."""
        return "".join(self._told)
