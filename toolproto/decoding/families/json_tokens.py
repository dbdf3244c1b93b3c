"""The tokens of JSON that arrives in pieces, and what may end a string in it.

:class:`JsonTokens` cuts the JSON that we hand out into tokens and tells a listener. What a model
writes is read elsewhere (`values/lenient.py`); of that, a string between double quotes goes out
piece by piece, and :func:`string_stop` says how much of a piece does.
"""

from __future__ import annotations

import re

__all__ = [
    "SPECIAL_IN_STRING",
    "JsonListener",
    "JsonTokens",
    "string_stop",
    "structural_tail",
]

# White space, and then: punctuation; a whole string with nothing in it to look at; a quote; text
# without quotes. Most strings of a call are such whole ones, and cost one step instead of three.
_TOKEN = re.compile(r"""(\s*+)(?:([{}\[\],:])|"([^"\\]*+)"|(")|([^\s{}\[\],:"]++))?""")
_PUNCTUATION, _WHOLE, _QUOTE, _BARE = 2, 3, 4, 5
# The look-ahead keeps the repeated part from failing half-way, which the possessive repeats of
# early 3.11 releases do not undo (CPython issue 106052); an atomic group would need a hundred
# times the memory of the text.
_VALID = re.compile(
    r'[^"\\\x00-\x1f]*+'
    r'(?:(?=\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))\\.[^"\\\x00-\x1f]*+)*+'
)
_IN_STRING = re.compile(r'[^"\\]*+(?:(?=\\(?:[^u]|u[0-9a-fA-F]{4}))\\.[^"\\]*+)*+', re.DOTALL)
_ESCAPE_BEGUN = re.compile(r"\\(?:u[0-9a-fA-F]{0,3})?\Z")
_LONGEST_TAIL = 80
_TAIL_ENDS = frozenset((",", "}", "]", ""))
# Brackets, and all space that is no control character.
_IN_TAIL = "}] \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(
    map(chr, range(0x2000, 0x200B))
)
_TAIL = re.compile(
    r"(?:[\r\n]\s*+(?:,\s*|[}\]][\s}\]]*(?:<[/\\]?[\w:.-]*>?\s*)?)?"
    r"|,\s*|[}\]][\s}\]]*(?:<[/\\]?[\w:.-]*>?\s*)?)\Z"
)
#: What has to be looked at in a piece of a string between double quotes: a quote, an escape, what
#: could be its structural tail.
SPECIAL_IN_STRING = re.compile(r"""["\\<\x00-\x1f,}\]](?:(?<=["\\<\x00-\x1f])|\s*\Z)""")


def string_stop(text: str) -> int:
    """Where the part of *text* ends that goes on with a string, if no more than an escape is left.

    *text* begins inside a string between double quotes; -1 if anything else comes in it.
    """
    body = _VALID.match(text)
    assert body is not None, "matches the empty string"
    stop = body.end()
    if stop < len(text):
        if not _ESCAPE_BEGUN.match(text, stop):
            return -1
        text = text[:stop]
    if "<" in text or len(text) > _LONGEST_TAIL:
        return stop - len(structural_tail(text))
    # The same as there, for what most pieces are: short, and without a tag.
    words = text.rstrip()
    if words[-1:] == ",":
        return len(words) - 1
    if words[-1:] not in _TAIL_ENDS:
        return stop
    brackets = text[len(words.rstrip(_IN_TAIL)) :].lstrip()
    return stop - len(brackets)


def structural_tail(text: str) -> str:
    """What *text*, from inside a string, ends with that would be structure outside it.

    A model that forgets the closing quote goes on with a comma or with brackets, and perhaps a
    closing tag; whether these belong to the string shows only behind them.
    """
    ending = text[-_LONGEST_TAIL:]
    words = ending.rstrip()
    # Most text ends in a word, and this is asked of every piece of a long string.
    if words[-1:] not in _TAIL_ENDS and "<" not in words and "\n" not in ending:
        return ""
    tail = _TAIL.search(ending)
    return tail.group() if tail else ""


class JsonListener:
    """What :class:`JsonTokens` tells."""

    def opened(self, bracket: str) -> None: ...
    def closed(self, bracket: str) -> None: ...
    def comma(self) -> None: ...
    def scalar(self, text: str) -> None: ...

    def string(self, body: str) -> None:
        """A whole string with no escape in it, at once."""
        self.string_opened()
        if body:
            self.string_part(body)
        self.string_closed()

    def string_opened(self) -> None: ...
    def string_part(self, text: str) -> None: ...
    def string_closed(self) -> None: ...


class JsonTokens:
    """Cuts JSON into tokens. At most an escape is left unread for the next piece."""

    def __init__(self, listener: JsonListener) -> None:
        self._listener = listener
        self._in_string = False
        self._bare: list[str] = []

    def feed(self, text: str, at: int, final: bool) -> int:
        """Read on from *at*; return where reading stopped."""
        end = len(text)
        while at < end:
            stop = self._string(text, at, final) if self._in_string else self._token(text, at)
            if stop == at:
                break
            at = stop
        if final:
            self._end_scalar()
        return at

    def _token(self, text: str, at: int) -> int:
        token = _TOKEN.match(text, at)
        assert token is not None, "matches the empty string"
        kind, listener = token.lastindex, self._listener
        if kind == _BARE and token.end(1) == at:
            self._bare.append(token[_BARE])
            return token.end()
        self._end_scalar()
        if kind == _BARE:
            self._bare.append(token[_BARE])
        elif kind == _WHOLE:
            listener.string(token[_WHOLE])
        elif kind == _QUOTE:
            self._in_string = True
            listener.string_opened()
        elif kind == _PUNCTUATION:
            self._punctuation(token[_PUNCTUATION])
        return token.end()

    def _punctuation(self, char: str) -> None:
        if char == ",":
            self._listener.comma()
        elif char in "{[":
            self._listener.opened(char)
        elif char != ":":
            self._listener.closed(char)

    def _end_scalar(self) -> None:
        if self._bare:
            text, self._bare = "".join(self._bare), []
            self._listener.scalar(text)

    def _string(self, text: str, at: int, final: bool) -> int:
        body = _IN_STRING.match(text, at)
        assert body is not None, "matches the empty string"
        stop = body.end()
        if stop > at:
            self._listener.string_part(body.group())
            return stop
        if text[at] == '"':
            self._in_string = False
            self._listener.string_closed()
        elif not final and _ESCAPE_BEGUN.match(text, at):
            return at
        else:
            self._listener.string_part(text[at])
        return at + 1
