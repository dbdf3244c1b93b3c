"""Tools shown by their own literal calls.

Small models copy. Shown a generic pattern with placeholders for name and arguments, a model of half
a billion parameters got 3 of 30 requests right; shown each tool's own call, 28.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from ..messages import ToolCall
from ..tools.spec import ToolSpec
from .base import WriteCall
from .reading import arguments
from .text import harmless, one_line
from .types import ListOf, Member, ObjectType, Scalar, Type
from .words import in_words

__all__ = ["Forms", "literal_form"]

# Around a placeholder that must lose its quotes; a private-use character that no text of a
# tool can bring here.
_BARE = "\ue000"
_BARE_PLACEHOLDER = re.compile(f'"?{_BARE}([^{_BARE}]*){_BARE}"?')
# In the place of numbers stand numbers: some paradigms write down what type a value has. Each
# placeholder has one of its own, counted on from here.
_FIRST_NUMBER = 271828182845904523


class Forms:
    """Each tool by name, its literal call and what its arguments mean; the default."""

    name = "forms"
    shows_calls = True

    def show(self, tools: Sequence[ToolSpec], write: WriteCall) -> str:
        """One paragraph for each tool."""
        return "\n\n".join(_paragraph(tool, write) for tool in tools)


def literal_form(tool: ToolSpec, write: WriteCall, *, named: bool = False) -> str:
    """The tool's own call, with ``<…>`` where the model puts values.

    If *named*, numbers and truth values are named after their arguments, as texts always are. Told
    to put in an ``<integer>``, a model of half a billion parameters now and then wrote just that.
    """
    return _form(tool, arguments(tool), write, named)


def _form(tool: ToolSpec, members: Sequence[Member], write: WriteCall, named: bool = False) -> str:
    placeholders = _Placeholders(named)
    written = write(ToolCall(one_line(tool.name), placeholders.of(members)))
    for number, words in enumerate(placeholders.numbers, _FIRST_NUMBER):
        written = written.replace(str(number), f"<{words}>")
    # The quotes around an alternative were escaped when the call was written.
    return _BARE_PLACEHOLDER.sub(lambda found: f"<{found.group(1)}>".replace('\\"', '"'), written)


def _paragraph(tool: ToolSpec, write: WriteCall) -> str:
    # Further lines are indented: at the margin they could pass for another tool, or for a rule.
    what = harmless(tool.description).replace("\n", "\n  ")
    head = f"{one_line(tool.name)}: {what}" if what else one_line(tool.name)
    members = arguments(tool)
    return "\n".join([head, _form(tool, members, write), *_meanings(members)])


def _meanings(members: Sequence[Member]) -> Iterator[str]:
    for member in members:
        optional = () if member.required else ("optional",)
        notes = ", ".join([in_words(member.type), *optional, *member.notes])
        text = f": {member.description}" if member.description else ""
        yield f"- {one_line(member.name)} ({notes}){text}"


class _Placeholders:
    """What stands for the values of one call, and what its numbers stand for, in their order."""

    def __init__(self, named: bool) -> None:
        self._named = named
        self.numbers: list[str] = []

    def of(self, members: Sequence[Member]) -> dict[str, Any]:
        return {
            one_line(member.name): self._one(one_line(member.name), member.type, self._named)
            for member in members
            if member.required
        }

    def _one(self, name: str, type: Type, named: bool) -> Any:
        match type:
            case ObjectType(members) if members:
                return self.of(members)
            case ListOf(item):
                # Of one item's name it is not plain that it is a number.
                return [self._one(name.removesuffix("s"), item, named=False)]
            case Scalar("string"):
                return f"<{name}>"
            case Scalar("integer" | "number" as kind):
                self.numbers.append(name if named else kind)
                return _FIRST_NUMBER + len(self.numbers) - 1
            case Scalar("boolean") if named:
                return f"{_BARE}{name}{_BARE}"
            case _:
                return f"{_BARE}{in_words(type)}{_BARE}"
