"""Whether what goes out of an answer is what came of it, but for what still waits.

A service with tools whose answer needs nothing from us is handed on as it came. That is not left to
the parts that may hold or mend something (the reader, the check, the guard): what came is compared
with what goes out. White space does not count, neither in texts nor between the parts of JSON.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...endpoints.apis.asked import Asked
from ...endpoints.apis.pieces import Ended, Piece
from ...protocol.events import ArgumentsDelta, CallCompleted, CallStarted, ReasoningDelta, TextDelta
from ...protocol.messages import Chunk, NativePiece

__all__ = ["Sameness"]

#: Why answers end that were cut.
_CUT = ("length", "content_filter")


@dataclass(slots=True)
class _Call:
    """One call: how its server calls it, and its arguments as far as they came and went."""

    slot: int | None
    id: str
    name: str
    came: list[str] = field(default_factory=list)
    #: What came and has not gone out; and whether what went out is written otherwise.
    waiting: str = ""
    value: Any = None
    is_other: bool = False
    is_out: bool = False
    is_whole: bool = False

    def given(self) -> Any:
        """Its arguments as its server gave them; ValueError if they are no JSON."""
        return json.loads("".join(self.came)) if self.value is None else self.value


@dataclass(slots=True)
class Sameness:
    """Compares what came of an answer to *asked* with what goes out.

    *numbered* is whether each call must have a number and an id of its own, *text* whether its
    arguments must be text: a client's SDK reads nothing else. *blank* says whether it reads nothing
    at all as an empty object.
    """

    asked: Asked
    numbered: bool
    text: bool
    blank: bool = False
    #: Whether something goes out that did not come, or the other way round.
    is_lost: bool = False
    _text: str = ""
    _thought: str = ""
    _calls: list[_Call] = field(default_factory=list)
    #: Whether that was so before the answer ended.
    _is_mended: bool = False

    @property
    def is_at_rest(self) -> bool:
        """Whether all that came has gone out."""
        if self.is_lost or self._text or self._thought:
            return False
        # Only the last can still be on its way, as a rule; a server may mix them.
        return all(
            call.is_whole or (call.is_out and not call.waiting and not call.is_other)
            for call in self._calls
        )

    def is_kept(self, ended: Ended) -> bool:
        """Whether all that came goes out, now that the answer has *ended*.

        What was cut ends in half of something, perhaps, which is neither mended nor held back.
        """
        return self.is_at_rest or (ended.reason in _CUT and not self._is_mended)

    @property
    def slots(self) -> list[int | None]:
        """The numbers that calls have in the stream of their server, in the order they began."""
        return [call.slot for call in self._calls]

    def compare(self, chunk: Chunk, pieces: Sequence[Piece]) -> None:
        """*chunk* came, and *pieces* went out."""
        if self.is_lost:
            return
        has_ended = bool(pieces) and isinstance(pieces[-1], Ended)
        match pieces:
            # By far the commonest.
            case [TextDelta(text)] if text == chunk.text and not (self._text or chunk.calls):
                if not chunk.reasoning:
                    return
        self._text += _bare(chunk.text)
        self._thought += _bare(chunk.reasoning)
        for piece in chunk.calls:
            self._came(piece)
        for out in pieces:
            self._went(out)
        if not has_ended:
            self._is_mended = self.is_lost

    def _came(self, piece: NativePiece) -> None:
        call = self._begun(piece)
        if call is None:
            self.is_lost = True
        elif isinstance(piece.arguments, str):
            # An empty text comes with the beginning of a call, whose arguments follow.
            self.is_lost = self.is_lost or (bool(piece.arguments) and not self.text)
            call.came.append(piece.arguments)
            call.waiting += _bare(piece.arguments)
        else:
            self.is_lost = self.is_lost or (self.text and bool(piece.arguments))
            call.value = None if self.text else piece.arguments

    def _begun(self, piece: NativePiece) -> _Call | None:
        """The call that *piece* is of, a new one perhaps; None if no SDK could tell."""
        if not self.numbered:
            if piece.name:
                self._calls.append(_Call(piece.slot, piece.id, piece.name))
            return self._calls[-1] if self._calls else None
        known = [call for call in self._calls if call.slot == piece.slot]
        if known:
            is_same = not piece.name and piece.id in ("", known[0].id)
            return known[0] if is_same else None
        is_new = bool(piece.name and piece.id) and piece.slot is not None
        if not is_new or any(call.id == piece.id for call in self._calls):
            return None
        self._calls.append(_Call(piece.slot, piece.id, piece.name))
        return self._calls[-1]

    def _went(self, piece: Piece) -> None:
        match piece:
            case TextDelta(text):
                self._text = self._without(self._text, _bare(text))
            case ReasoningDelta(text):
                self._thought = self._without(self._thought, _bare(text))
            case CallStarted(index, name, id):
                self._started(index, self.asked.tool(name).name, id)
            case ArgumentsDelta(index, text):
                self._argued(index, _bare(text))
            case CallCompleted(index, call):
                self._completed(index, call.arguments)

    def _without(self, waiting: str, out: str) -> str:
        if not waiting.startswith(out):
            self.is_lost = True
        return waiting[len(out) :]

    def _started(self, index: int, name: str, id: str) -> None:
        call = self._at(index)
        if call is None or call.name != name or (self.numbered and call.id != id):
            self.is_lost = True
        else:
            call.is_out = True

    def _argued(self, index: int, out: str) -> None:
        call = self._at(index)
        if call is None or call.is_other:
            return
        if call.waiting.startswith(out):
            call.waiting = call.waiting[len(out) :]
        else:  # another spelling, perhaps: the whole will show
            call.is_other = True

    def _completed(self, index: int, arguments: Mapping[str, Any]) -> None:
        call = self._at(index)
        if call is None:
            return
        call.is_whole = True
        if call.value is None and not call.waiting and not call.is_other and call.came:
            return
        if self.blank and not arguments and not "".join(call.came).strip():
            return
        try:
            self.is_lost = self.is_lost or _written(call.given()) != _written(arguments)
        except (ValueError, RecursionError):
            self.is_lost = True

    def _at(self, index: int) -> _Call | None:
        if index < len(self._calls):
            return self._calls[index]
        self.is_lost = True
        return None


def _bare(text: str) -> str:
    return "".join(text.split())


def _written(value: Any) -> str:
    # Equal is not enough: 1, 1.0 and true are equal here, and three things to a client.
    return json.dumps(value, sort_keys=True)
