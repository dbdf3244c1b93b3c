"""The text of one argument between its tags, as it comes.

Strings stand there as they are, without escapes: every character counts, but for one newline at
either end that some dialects write to set a value apart. Values of other types are JSON. Which is
which is said by an attribute, or else by the tool's schema; where nobody knows, it is a string.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from io import StringIO
from typing import Any

from ..messages import Repair
from ..tools.spec import ToolSpec
from .lenient import read_json
from .spoken_call import SpokenCall
from .strict import Reading
from .string_feed import StreamedString

__all__ = ["TaggedValue", "tell_argument"]

_CDATA = "<![CDATA["
_CDATA_END = "]]>"
# Certainly more of a value: up to what may begin its closing tag, or be its last newline.
_CERTAIN = re.compile(
    r"[^<\]\n\r]*(?:(?:<(?![/\\|｜\s]|\Z)|\](?![<\]]|\Z)|[\n\r](?![<\]\n\r]|\Z))[^<\]\n\r]*)*"
)
_NEWLINE = re.compile(r"\r?\n")
_HELD = re.compile(r"(?:\r?\n|\r|\]{1,2}|\]?<)\Z")
_STRINGS = frozenset({"string", "str", "text"})


class TaggedValue:
    """Reads the value of the argument *key* of *call* up to where *closer* stands."""

    def __init__(self, call: SpokenCall, key: str, closer: re.Pattern[str], told: str) -> None:
        self.closer = closer
        self._call = call
        self._text = _is_text(call.tool, key, told)
        self._buffer = StringIO()
        self.begun = False  # once the first character of the value is next, or behind us
        self._framed = False
        self.unclosed = False  # ended by what closes the call
        self._cdata = False
        self._held = ""
        call.key(key)
        if self._text:
            call.open_text()

    def begin(self, text: str, at: int, final: bool) -> int:
        """Read what may stand before the first character of the value."""
        ahead = text[at : at + len(_CDATA)]
        if not final and (ahead == "\r" or (ahead != _CDATA and _CDATA.startswith(ahead))):
            return at
        self.begun = True
        if ahead == _CDATA:
            self._cdata = True
            return at + len(_CDATA)
        newline = _NEWLINE.match(text, at)
        self._framed = newline is not None
        return newline.end() if newline else at

    def more(self, piece: str) -> None:
        """Take in more of the value."""
        piece = self._held + piece
        self._held = ""
        keep = _kept_back(piece, self._cdata)
        if keep:
            piece, self._held = piece[:-keep], piece[-keep:]
        if self._text:
            self._call.text(piece)
        else:
            self._buffer.write(piece)

    @property
    def closable(self) -> bool:
        """May a closing tag end it here? In character data it has to be over before."""
        return not self._cdata or self._held.rstrip().endswith(_CDATA_END)

    def close(self) -> None:
        """The value is over."""
        if self._cdata:
            self._held = self._held.rstrip().removesuffix(_CDATA_END)
        elif self._framed or self.unclosed:
            self._held = ""
        if self._text:
            if self._held:
                self._call.text(self._held)
            self._call.close_text()
            return
        _tell_typed(self._call, self._buffer.getvalue() + self._held)

    @property
    def streaming(self) -> StreamedString | None:
        """The value as a string for the hot path, if its text may go out as it comes."""
        if not self._text or not self.begun or self._held or self._cdata:
            return None
        return self._call.streaming(_certain)


def _certain(text: str) -> int:
    found = _CERTAIN.match(text)
    assert found is not None, "matches the empty string"
    stop = found.end()
    return stop if stop == len(text) or _HELD.match(text, stop) else -1


def _kept_back(piece: str, cdata: bool) -> int:
    """How much at the end of *piece* may not belong to the value."""
    if cdata:
        return len(piece) - len(piece.rstrip().removesuffix(_CDATA_END).rstrip("]"))
    return 2 if piece.endswith("\r\n") else 1 if piece.endswith(("\n", "\r")) else 0


def tell_argument(call: SpokenCall, key: str, text: str, told: str = "") -> None:
    """Tell of an argument of *call* whose whole *text* has come; *told* is the type given to it."""
    call.key(key)
    if _is_text(call.tool, key, told):
        call.value(text)
    else:
        _tell_typed(call, text)


def _tell_typed(call: SpokenCall, text: str) -> None:
    value, repairs = _typed(text)
    for repair in repairs:
        call.mended(repair)
    call.value(value)


def _is_text(tool: ToolSpec | None, key: str, told: str = "") -> bool:
    """Is the argument *key* of *tool* a string? *told* is the type that its tag gives it."""
    if told:
        return told.lower() in _STRINGS
    if tool is None or key not in tool.properties:
        return True
    return _may_be_text(tool.properties[key])


def _may_be_text(schema: Any) -> bool:
    if not isinstance(schema, Mapping):
        return False
    kind = schema.get("type")
    if kind is not None:
        return kind == "string" or (isinstance(kind, list) and "string" in kind)
    listed = schema.get("enum")
    if isinstance(listed, list):
        return all(isinstance(value, str) for value in listed)
    parts = [*(schema.get("anyOf") or ()), *(schema.get("oneOf") or ())]
    return any(_may_be_text(part) for part in parts)


def _typed(text: str) -> tuple[Any, tuple[Repair, ...]]:
    """The JSON that *text* is, or else the text itself."""
    text = text.strip()
    reading = read_json(text)
    if isinstance(reading, Reading) and not text[reading.end :].strip() and text:
        return reading.value, reading.repairs
    return text, ()
