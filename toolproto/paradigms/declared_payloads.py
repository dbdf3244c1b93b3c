"""Payloads that are all one's own: a phrase with places in it, or a pair of functions.

Like those in :mod:`.payloads`, they write; ``families/pairs.py`` and ``calls/pulled.py`` in
:mod:`toolproto.decoding` read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from ..decoding.calls.pulled import CustomInside, Inside
from ..decoding.calls.shape import CallShape
from ..decoding.families.pairs import phrase
from ..decoding.reply.forms import Family
from ..errors import UsageError
from ..grammar import forms
from ..grammar.draft import Draft
from ..grammar.ir import NOTHING, Node, text
from ..grammar.notation import JSON, dumps
from ..grammar.values import arguments, object_of
from ..messages import ToolCall
from ..tools.spec import ToolSpec
from .checks import check_fields
from .payloads import filled

__all__ = ["CustomCall", "TemplateCall"]

_PLAIN_KEY = re.compile(r"[A-Za-z_][\w.-]{0,200}")


@dataclass(frozen=True, slots=True)
class TemplateCall:
    """A template with ``{name}``, ``{arguments}``, and ``{key}`` and ``{value}`` of each argument.

    Values are written as JSON, with *between* between two arguments; a key that is not a word is
    quoted. ``TemplateCall("{name} WITH {arguments} ", argument="{key}={value};")`` between the
    markers ``CALL`` and ``END`` is ``CALL get_weather WITH city="Oslo"; END``.
    """

    form: str = "{name} {arguments}"
    argument: str = "{key}={value}"
    between: str = " "

    family: ClassVar[Family] = Family.DECLARED
    shape: ClassVar[CallShape] = CallShape()
    together: ClassVar[bool] = False
    enclosure: ClassVar[tuple[str, str, str]] = ("", "\n", "")

    def __post_init__(self) -> None:
        check_fields("form", self.form, needed=("name", "arguments"))
        check_fields("argument", self.argument, needed=("key", "value"))
        if not _between(self.argument, "{key}", "{value}").strip():
            raise UsageError(
                f"argument={self.argument!r}: a sign must stand between {{key}} and {{value}}"
            )

    @property
    def inside(self) -> Inside:
        """What reads it."""
        name, _, rest = self.form.partition("{name}")
        behind_name, _, behind = rest.partition("{arguments}")
        before_key, _, rest = self.argument.partition("{key}")
        behind_key, _, behind_value = rest.partition("{value}")
        return phrase(
            (name, behind_name),
            behind,
            (before_key, behind_key),
            behind_value,
            self.between,
            filled(self.argument, key="key", value='"value"'),
        )

    def encode(self, *calls: ToolCall) -> str:
        """The payload for *calls*."""
        return "\n".join(map(self._written, calls))

    def _written(self, call: ToolCall) -> str:
        said = self.between.join(
            filled(self.argument, key=self._key(key), value=dumps(value))
            for key, value in call.arguments.items()
        )
        return filled(self.form, name=call.name, arguments=said)

    @staticmethod
    def _key(key: str) -> str:
        return key if _PLAIN_KEY.fullmatch(key) else dumps(key)

    def grammar(self, tool: ToolSpec, draft: Draft) -> Node:
        """The grammar of one call of *tool*."""
        known = arguments(tool, draft)
        members = forms.members(known, tool, draft, JSON, self._member)
        said = NOTHING if members is None else draft.ordered(members, text(self.between))
        if known is None:
            said = object_of(tool, draft)
        return forms.filled(self.form, name=text(tool.name), arguments=said)

    def _member(self, key: str, value: Node) -> Node:
        return forms.filled(self.argument, key=text(self._key(key)), value=value)


@dataclass(frozen=True, slots=True)
class CustomCall:
    """A form that two functions define: *write* gives the inside of a call, *read* reads it back.

    *read* gets the text between the markers once it is complete, and returns the name and the
    arguments, or None if it is not a call; if it raises an exception, the model gets the message.
    The text must not contain the closing marker, and arguments do not stream.
    """

    write: Callable[[ToolCall], str]
    read: Callable[[str], tuple[str, Mapping[str, Any]] | None]

    family: ClassVar[Family] = Family.DECLARED
    shape: ClassVar[CallShape] = CallShape()
    together: ClassVar[bool] = False
    enclosure: ClassVar[tuple[str, str, str]] = ("", "\n", "")

    def __post_init__(self) -> None:
        for name in ("write", "read"):
            if not callable(getattr(self, name)):
                raise UsageError(f"{name}={getattr(self, name)!r}: expected a function")

    @property
    def inside(self) -> Inside:
        """What reads it."""
        return CustomInside(self.read)

    def encode(self, *calls: ToolCall) -> str:
        """The payload for *calls*."""
        return "\n".join(map(self.write, calls))


def _between(form: str, first: str, second: str) -> str:
    return form.partition(first)[2].partition(second)[0]
