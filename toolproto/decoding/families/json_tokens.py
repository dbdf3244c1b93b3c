"""Where does a JSON value end, and what passes by on the way, when it arrives in pieces?

:class:`JsonTokens` cuts text into JSON tokens and tells a listener. It knows strings, so a
bracket or a closing marker inside one is text, and it is tolerant: strings may be quoted in the
ways models quote them, and anything else between structural characters is a scalar. Whether
what it saw was JSON is for others to say (`values/`).

Nothing is read twice. What is left unread for the next piece is at most an escape or the white
space after a closing quote of the odd kind.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from ..reply.markers import NO

__all__ = [
    "SPECIAL_IN_STRING",
    "EndAt",
    "JsonListener",
    "JsonTokens",
    "OtherJson",
    "string_stop",
    "structural_tail",
]

# White space, and then: punctuation; a whole string with nothing in it to look at; one between
# apostrophes before what may follow it; a quote; text without quotes. Most strings of a call are
# such whole ones, and cost one step instead of three.
_TOKEN = re.compile(
    r"""(\s*+)(?:([{}\[\],:])|"([^"\\\x00-\x1f]*+)"|'([^'\\]*+)'(?=\s{0,64}+([,:}\])]))"""
    r"""|(["'“‘`])|(<|[^\s{}\[\],:"'“‘`<]++))?"""
)
_PUNCTUATION, _WHOLE, _ODD, _QUOTE, _BARE = 2, 3, 5, 6, 7
# The look-ahead keeps the repeated part from failing half-way, which the possessive repeats of
# early 3.11 releases do not undo (CPython issue 106052); an atomic group would need a hundred
# times the memory of the text.
_VALID = re.compile(
    r'[^"\\\x00-\x1f]*+'
    r'(?:(?=\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))\\.[^"\\\x00-\x1f]*+)*+'
)
_CONTROL = re.compile(r"[\x00-\x1f]++")
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
#: Where the marker ends that stands at a place of a text which may be *final*; or NO, or MORE.
EndAt = Callable[[str, int, bool], int]
_CLOSER = {'"': '"', "'": "'", "“": "”", "‘": "’", "`": "`"}
_ODD_BODY = {quote: re.compile(rf"[^{close}\\]++") for quote, close in _CLOSER.items()}
_AFTER_QUOTE = re.compile(r"\s{0,64}+(.?)", re.DOTALL)
_MAY_FOLLOW = frozenset(",:}])")


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
    """What :class:`JsonTokens` tells; *at* is where in the fed text the token begins.

    It asks one thing: could *bracket*, or a comma or colon, come next?
    """

    def fits(self, bracket: str) -> bool:
        return True

    def whole(self, at: int) -> int:
        """Where the object ends that begins at *at*, if it was read at once; 0 if it was not."""
        return 0

    def space(self, text: str) -> None: ...
    def opened(self, bracket: str, at: int) -> None: ...
    def closed(self, bracket: str, at: int) -> None: ...
    def comma(self) -> None: ...
    def colon(self) -> None: ...
    def scalar(self, text: str, at: int) -> None: ...

    def string(self, body: str, at: int, quote: str = '"') -> None:
        """A whole string with nothing in it to look at, at once."""
        self.string_opened(quote, at)
        if body:
            self.string_part(body)
        self.string_closed(at + 1 + len(body))

    def string_opened(self, quote: str, at: int) -> None: ...
    def string_part(self, text: str) -> None: ...

    def string_controls(self, text: str, at: int) -> None:
        """Characters of a string that JSON would have escaped."""
        self.string_part(text)

    def string_fault(self, text: str, at: int) -> None:
        """An escape that JSON does not have: its backslash stands for itself."""
        self.string_part(text.replace("\\", "\\\\"))

    def string_closed(self, at: int) -> None: ...


class JsonTokens:
    """Cuts one JSON value into tokens. The listener says when it has had enough (``stop``).

    Outside strings it is interrupted where *end_at* finds a marker: no JSON goes on behind that.
    """

    def __init__(self, listener: JsonListener, end_at: EndAt | None = None) -> None:
        self._listener = listener
        self._end_at = end_at
        self.resume()

    @property
    def in_plain_string(self) -> bool:
        """Inside a string between double quotes, where any text without them is its content."""
        return self._quote == '"'

    def stop(self) -> None:
        """Read no further than the token being told of."""
        self.stopped = True

    def resume(self) -> None:
        """Forget how the text before looked, and read on between two values."""
        self._quote = ""
        self._bare: list[str] = []
        self._structural = True  # may a string begin here? (after one of { [ , : and "(")
        self.stopped = self.interrupted = False

    def feed(self, text: str, at: int, final: bool) -> int:
        """Read on from *at*; return where reading stopped."""
        end = len(text)
        while at < end and not self.stopped:
            if not self._quote:
                stop = self._between(text, at, final)
            elif self._quote == '"':
                stop = self._in_string(text, at, final)
            else:
                stop = self._in_odd_string(text, at, final)
            if stop == at:
                break
            at = stop
        if final and not self.stopped:
            self._end_scalar(at)
        return at

    def _between(self, text: str, at: int, final: bool) -> int:
        """Read on to a string that has to be looked at, or to where reading stops or waits."""
        end, listener = len(text), self._listener
        while at < end:
            token = _TOKEN.match(text, at)
            assert token is not None, "matches the empty string"
            kind, start = token.lastindex, token.end(1)
            if start > at:
                if not self._end_scalar(at):
                    return at
                listener.space(token[1])
            if self.stopped or start == end:
                return start
            odd = kind == _ODD or (kind == _QUOTE and token[6] != '"')
            if kind == _BARE or (odd and not self._structural):
                at = self._in_scalar(text, start, start + 1 if odd else token.end(), final)
                if at == start:
                    return at
                continue
            if not self._end_scalar(start):
                return start
            at = token.end()
            if kind == _PUNCTUATION:
                if token[2] == "{" and (end_of_whole := listener.whole(start)):
                    self._structural, at = False, end_of_whole
                else:
                    self._punctuation(token[2], start)
            elif kind == _WHOLE:
                self._structural = False
                listener.string(token[3], start)
            elif kind == _ODD and listener.fits(token[5]):
                self._structural = False
                listener.string(token[4], start, "'")
            else:
                self._quote = text[start]
                listener.string_opened(self._quote, start)
                return start + 1
        return at

    def _in_scalar(self, text: str, at: int, end: int, final: bool) -> int:
        piece = text[at:end]
        if piece == "<" and self._end_at is not None:
            marker = self._end_at(text, at, final)
            if marker >= 0:
                self._end_scalar(at)
                self.interrupted = self.stopped = True
            if marker != NO:
                return at
        self._bare.append(piece)
        self._structural = piece[-1] == "("
        return end

    def _punctuation(self, char: str, at: int) -> None:
        self._structural = char not in "}]"
        if char == ",":
            self._listener.comma()
        elif char == ":":
            self._listener.colon()
        elif char in "{[":
            self._listener.opened(char, at)
        else:
            self._listener.closed(char, at)

    def _end_scalar(self, at: int) -> bool:
        """The text without quotes, if there was any, ends at *at*; does reading go on?"""
        if self._bare:
            text = "".join(self._bare)
            self._bare = []
            self._listener.scalar(text, at - len(text))
        return not self.stopped

    def _in_string(self, text: str, at: int, final: bool) -> int:
        body = _VALID.match(text, at)
        assert body is not None, "matches the empty string"
        stop = body.end()
        if stop > at:
            self._listener.string_part(body.group())
            return stop
        char = text[at]
        if char == '"':
            self._close(at)
            return at + 1
        if char != "\\":
            controls = _CONTROL.match(text, at)
            assert controls is not None, "only a control character is left"
            self._listener.string_controls(controls.group(), at)
            return controls.end()
        if not final and _ESCAPE_BEGUN.match(text, at):
            return at
        self._listener.string_fault(text[at : at + 2], at)
        return min(at + 2, len(text))

    def _in_odd_string(self, text: str, at: int, final: bool) -> int:
        body = _ODD_BODY[self._quote].match(text, at)
        if body is not None:
            self._listener.string_part(body.group())
            return body.end()
        if text[at] == "\\":
            if at + 1 == len(text) and not final:
                return at
            self._listener.string_fault(text[at : at + 2], at)
            return min(at + 2, len(text))
        # An apostrophe is also a letter of many words: it closes only before structure.
        after = _AFTER_QUOTE.match(text, at + 1)
        assert after is not None, "matches the empty string"
        follows = after.group(1)
        if not follows and not final:
            return at
        if not follows or (follows in _MAY_FOLLOW and self._listener.fits(follows)):
            self._close(at)
        else:
            self._listener.string_part(text[at])
        return at + 1

    def _close(self, at: int) -> None:
        self._quote = ""
        self._structural = False
        self._listener.string_closed(at)


class OtherJson(JsonListener):
    """A JSON object in prose that is no call, so that what looks like a call inside it is data.

    Follows it to its end. ``done`` there, or where it shows that it was no JSON: at a blank line,
    or where *end_at* finds a marker outside a string, or ``at_calls``: where the member *wrapper*
    of the object itself opens a list, of calls after all, behind members nobody asked for.
    """

    def __init__(self, wrapper: str | None, end_at: EndAt | None = None) -> None:
        self._wrapper = wrapper
        self._tokens = JsonTokens(self, end_at)
        self._depth = 0
        self._key: list[str] = []
        self._calls_next = False
        self._newlines = 0  # since the last thing that was not space
        self._too_far = 0
        self.done = False
        self.at_calls = False

    def feed(self, text: str, at: int, final: bool) -> int:
        """Read on from *at*; return where reading stopped."""
        stop = self._tokens.feed(text, at, final)
        self.done = self.done or self._tokens.interrupted
        return stop - self._too_far

    def space(self, text: str) -> None:
        lines = text.split("\n")
        missing = 2 - self._newlines  # newlines to a blank line
        if len(lines) > missing:
            # It ends with the blank line, however much more space has come with it.
            self._too_far = len("\n".join(lines[missing:]))
            self._end()
        self._newlines += len(lines) - 1

    def opened(self, bracket: str, at: int) -> None:
        self._newlines = 0
        self._depth += 1
        if self._calls_next and bracket == "[":
            self.at_calls = True
            self._end()
        self._calls_next = False

    def closed(self, bracket: str, at: int) -> None:
        self._newlines = 0
        self._depth -= 1
        if self._depth <= 0:
            self._end()

    def comma(self) -> None:
        self._newlines = 0
        self._calls_next = False

    def colon(self) -> None:
        self._newlines = 0
        self._calls_next = self._depth == 1 and "".join(self._key) == self._wrapper

    def scalar(self, text: str, at: int) -> None:
        self._newlines = 0

    def string_opened(self, quote: str, at: int) -> None:
        self._newlines = 0
        self._key = []

    def string_part(self, text: str) -> None:
        if len(self._key) < 32:
            self._key.append(text)

    def _end(self) -> None:
        self.done = True
        self._tokens.stop()
