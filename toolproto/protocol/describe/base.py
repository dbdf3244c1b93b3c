"""What a style of showing tools is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from ..messages import ToolCall
from ..tools.spec import ToolSpec
from .text import as_json

__all__ = ["Style", "WriteCall", "plain_call"]

#: Writes a call as the model should: a paradigm's ``encode_call``.
WriteCall = Callable[[ToolCall], str]


class Style(Protocol):
    """One way to show tools to a model.

    Whatever the style, it names every tool and every required argument, and nothing that a
    schema or a description holds can end the place it stands in.
    """

    @property
    def name(self) -> str:
        """What the style is chosen by."""

    @property
    def shows_calls(self) -> bool:
        """Whether each tool is shown with its own literal call."""

    def show(self, tools: Sequence[ToolSpec], write: WriteCall) -> str:
        """The text that shows *tools*; calls in it are written by *write*."""


def plain_call(call: ToolCall) -> str:
    """*call* as a bare JSON object, for showing tools without a paradigm."""
    return as_json({"name": call.name, "arguments": dict(call.arguments)})
