"""Calls whose arguments are known only once all their text has come."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from io import StringIO
from typing import Any, Protocol

from ...messages import Grade, Repair
from ...tools.spec import ToolSpec
from ..calls.pulled import NoCall, PulledCalls
from ..calls.record import Beginning
from ..patterns import Pattern
from ..source import Pull, Source
from ..values.lenient import read_all
from ..values.strict import malformed


class Inside(Protocol):
    """Makes the reader of calls whose inside is declared outside of this package."""

    def reader(self, begun: Beginning) -> PulledCalls:
        """Reads the call that has *begun*."""
        ...


# -- read by somebody's function ----------------------------------------------------------------

_Read = Callable[[str], tuple[str, Mapping[str, Any]] | None]


@dataclass(frozen=True, slots=True)
class CustomInside:
    """*read* gives name and arguments of the text between the markers, or None if it is no call."""

    read: _Read

    def reader(self, begun: Beginning) -> PulledCalls:
        """Reads the call that has *begun*."""
        return _CustomCalls(self.read, begun)


class _CustomCalls(PulledCalls):
    """Reads one call, all at once."""

    def __init__(self, read: _Read, begun: Beginning) -> None:
        super().__init__(begun)
        self._inside = read

    def grammar(self, source: Source) -> Pull[None]:
        """All text before a marker that ends calls."""
        text = StringIO()
        while not (yield from source.at_end()):
            if not (yield from source.peek()):
                raise NoCall  # nobody knows where it ends
            text.write(source.past(source.marks))
        try:
            found = self._inside(text.getvalue())
        except Exception as error:  # whatever somebody's reader raises is about this text
            self.is_call = True
            raise malformed(str(error) or type(error).__name__) from error
        if found is None:
            raise NoCall
        self.open(found[0])
        self.tell(found[1])
        self.complete()


# -- a text that is the only argument ------------------------------------------------------------

_NEXT = Pattern(r"\n\s{0,8}(?:Observation|Thought|Action|Final Answer)\b")
_LINE_END = re.compile("\n")
_REPAIR = Repair("text_argument", Grade.GUESSED)


class TextArgument(PulledCalls):
    """Reads up to the next label, or the end: only that shows whether the text was quoted."""

    is_call = True

    def __init__(self, begun: Beginning) -> None:
        super().__init__(begun._replace(ends=()))
        self.committed = True

    def grammar(self, source: Source) -> Pull[None]:
        """Lines, up to one that begins with a label."""
        head, parts = self._begun.head, list[str]()
        assert head is not None, "the text stands behind a name"
        call = self.open(head.name, head.id)
        yield from _to_label(source, parts)
        key, text = _only_argument(call.tool), _bare("".join(parts).strip())
        if text and key is None:
            raise malformed("its arguments must be a JSON object")
        if text and key is not None:
            call.argument(key, text)
        self.complete(_REPAIR)

    def pass_over(self, source: Source) -> Pull[None]:
        """Read on to the next label: another call may begin there."""
        yield from _to_label(source, [])


def _to_label(source: Source, parts: list[str]) -> Pull[None]:
    while (yield from source.peek()) and not (yield from source.match(_NEXT)):
        parts.append(source.text[source.at])
        source.at += 1
        parts.append((yield from source.before(_LINE_END)))


def _only_argument(tool: ToolSpec | None) -> str | None:
    """The argument that the text must be: the only one, or the only one that is needed."""
    if tool is None:
        return None
    keys = list(tool.properties) if len(tool.properties) == 1 else list(tool.required)
    return keys[0] if len(keys) == 1 else None


def _bare(text: str) -> str:
    """*text* without the brackets or the quotes around all of it."""
    if text[:1] == "[" and text[-1:] == "]":
        text = text[1:-1].strip()
    reading = read_all(text) if text[:1] in ("'", '"') else None
    return reading.value if reading and isinstance(reading.value, str) else text
