"""A call in well-formed XML while it streams in: its name as soon as it is known, then the rest."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ..messages import CallProblem, ProblemKind, Repair, Span
from .call_draft import CallSetting
from .lenient import read_json
from .scanner import MORE, Marker
from .spoken_call import SpokenCall
from .strict import Reading
from .string_feed import StreamedString
from .tagged_value import tell_argument

if TYPE_CHECKING:
    from .xml_body import XmlCall

__all__ = ["XmlCalls"]

_NAME = re.compile(r"\s{0,80}<name>\s{0,20}([\w.:/-]{1,128})\s{0,20}</name>")
_NAME_BEGUN = 300  # characters in which the name must have come
_MARK = re.compile(r"<!\[CDATA\[|<")
_CDATA_END = "]]>"


class XmlCalls:
    """Reads the inside of one call's element, up to one of the markers *ends*."""

    def __init__(
        self,
        setting: CallSetting,
        *,
        start: int,
        drift: tuple[Repair, ...] = (),
        ends: tuple[Marker, ...] = (),
    ) -> None:
        self._setting = setting
        self._start = start
        self._drift = drift
        self._ends = ends
        self._call: SpokenCall | None = None
        self._in_cdata = False
        self.done = False
        self.committed = False
        self.refused = False
        self.interrupted = False

    @property
    def streaming(self) -> StreamedString | None:
        """The text being read: nothing is told of it before its element is closed."""
        call = self._call
        if call is None or self._in_cdata:
            return None
        return StreamedString(_text_stop, call.write, call.length, call.room)

    def take_pushback(self) -> str:
        """Nothing is ever read that lies behind the end."""
        return ""

    def feed(self, text: str, at: int, base: int, final: bool) -> int:
        """Read on from *at* in *text*, whose first character is *base* in the reply."""
        if self._call is None and not self._named(text, at, final):
            return at
        while at < len(text) and not self.done:
            stop = self._step(text, at, final)
            if stop == at:
                break
            self._write(text[at:stop])
            at = stop
        return at

    def finish(self, reason: str | None) -> None:
        """The reply is over inside the call."""
        if not self.done:
            self._reject(ProblemKind.TRUNCATED, "it is cut short")

    def _named(self, text: str, at: int, final: bool) -> bool:
        """Has the name come? If it cannot come any more, this is no call."""
        name = _NAME.match(text, at)
        if name is None:
            self.refused = self.done = final or len(text) - at > _NAME_BEGUN
            return False
        if self._setting.gated and not self._setting.offered.knows(name.group(1)):
            self.refused = self.done = True
            return False
        self._call = SpokenCall(self._setting, self._start, name.group(1), drift=self._drift)
        self.committed = True
        return True

    def _step(self, text: str, at: int, final: bool) -> int:
        if self._in_cdata:
            end = text.find(_CDATA_END, at)
            self._in_cdata = end < 0
            return max(at, len(text) - 2) if end < 0 else end + len(_CDATA_END)
        mark = _MARK.search(text, at)
        stop = mark.start() if mark else len(text)
        if stop > at:
            return stop
        found = [marker.at(text, at, final) for marker in self._ends]
        if any(end >= 0 for end in found):
            self._end()
            return at
        if MORE in found or (not final and "<![CDATA[".startswith(text[at : at + 9])):
            self._in_cdata = text.startswith("<![CDATA[", at)
            return at + 9 if self._in_cdata else at
        self._in_cdata = text.startswith("<![CDATA[", at)
        return at + (9 if self._in_cdata else 1)

    def _write(self, text: str) -> None:
        assert self._call is not None, "its name was read"
        self._call.write(text)

    def _end(self) -> None:
        from .xml_body import read_xml_call  # lxml takes longer to load than all of us

        assert self._call is not None, "its name was read"
        self.done = True
        read = read_xml_call(self._call.raw)
        if isinstance(read, str):
            self._reject(ProblemKind.MALFORMED, read)
        elif read.json:
            self._complete_json(read)
        else:
            self._complete(read)

    def _complete(self, read: XmlCall) -> None:
        assert self._call is not None, "its name was read"
        for argument in read.arguments:
            tell_argument(self._call, argument.key, argument.text, argument.type)
        self._call.complete(*read.repairs)

    def _complete_json(self, read: XmlCall) -> None:
        assert self._call is not None, "its name was read"
        reading = read_json(read.json)
        if not isinstance(reading, Reading) or not isinstance(reading.value, dict):
            self._reject(ProblemKind.MALFORMED, "its <arguments> are neither elements nor JSON")
            return
        for key, value in reading.value.items():
            self._call.key(key)
            self._call.value(value)
        self._call.complete(*read.repairs, *reading.repairs)

    def _reject(self, kind: ProblemKind, message: str) -> None:
        self.done = self.committed = True
        if self._call is not None:
            self._call.reject(kind, message)
            return
        span = Span(self._start, self._start)
        self._setting.outbox.rejected(None, CallProblem(kind, message, "", span))


def _text_stop(text: str) -> int:
    """How much of *text* is only text: all of it, or it has to be read."""
    return len(text) if "<" not in text else -1
