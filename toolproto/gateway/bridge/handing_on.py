"""The answer of a service that speaks its client's API: read, and handed on as it came.

Blocks of a stream go out byte for byte as long as what is read in them is what goes out anyway, and
wait while something in them waits. Once something has to be written otherwise (a call that leaked,
arguments that were mended), the API's own writer goes on behind what was handed on.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from ...endpoints.apis.asked import Asked
from ...endpoints.apis.dialect import Dialect
from ...endpoints.apis.frames import JsonLines
from ...endpoints.apis.pieces import Ended, Failed, Piece
from ...endpoints.apis.serving.api import Stamp, StreamWriter
from ...endpoints.apis.serving.begun import Begun
from ...endpoints.http.reply_reader import HttpReplyReader
from ...endpoints.joining import together
from ...protocol.errors import EndpointError
from ...protocol.events import ArgumentsDelta, CallCompleted, CallStarted
from ...protocol.finish_reasons import FinishKind, ending_of
from ...protocol.messages import Chunk
from .exchange import Exchange
from .failures import failure_of, fault_of
from .sameness import Sameness

__all__ = ["HandingOn", "is_same_end"]

#: Where a block of a stream ends: an event at an empty line, an object of JSON lines at its line's.
_EVENT_END = re.compile(rb"\r?\n\r?\n|\r\r")
_LINE_END = re.compile(rb"\n")


def is_same_end(ended: Ended, reason: str | None, begun: Begun) -> bool:
    """Whether a client may read *reason* as it came, where its answer *ended* so."""
    if ended.reason != "tool_calls" or not begun.tells_of_calls:
        return True
    return reason is not None and ending_of(reason) is FinishKind.CALLS


class HandingOn:
    """Hands a stream on, in which *exchange* reads the answer to *asked*.

    :meth:`feed` gives what goes out of the bytes that came, until it :attr:`is_over`; then call
    :meth:`finish`. If it :attr:`asks_again` after that, :attr:`writer` goes on with what comes.
    *refusal* says which error in the stream is one of tools.
    """

    def __init__(
        self,
        exchange: Exchange,
        asked: Asked,
        dialect: Dialect,
        begun: Begun,
        stamp: Stamp,
        refusal: Callable[[EndpointError], object | None],
    ) -> None:
        self._exchange = exchange
        self._asked = asked
        self._begun = begun
        self._stamp = stamp
        self._refusal = refusal
        self._reader = HttpReplyReader(dialect)
        self._ends = _LINE_END if dialect.frames is JsonLines else _EVENT_END
        self._same = Sameness(asked, begun.numbers_calls, begun.text_in_stream, begun.reads_nothing)
        self._rest = b""
        #: Blocks that wait, and the pieces that went out of them.
        self._held: list[bytes] = []
        self._unsent: list[Piece] = []
        self._writer: StreamWriter | None = None
        #: Whether the service reported an error: all that follows is its own.
        self._is_foreign = False
        #: Whether anything went out, and whether the writer has begun.
        self.has_begun = False
        self.has_written = False
        #: Whether the model is to be asked again, by the exchange's new request.
        self.asks_again = False
        #: What was wrong, if the answer failed.
        self.failed: Failed | None = None

    @property
    def is_over(self) -> bool:
        """Whether nothing more is wanted of the stream."""
        return self._reader.ended or self._exchange.is_over or self.asks_again

    @property
    def is_ending(self) -> bool:
        """Whether the reply is over, and only its tail may follow."""
        return self._reader.reason is not None

    @property
    def writer(self) -> StreamWriter:
        """What goes on where the stream was left."""
        if self._writer is None:
            self._writer = self._begun.writer(self._asked, self._stamp)
        return self._writer

    def feed(self, data: bytes) -> bytes:
        """What goes out now that *data* came."""
        whole = self._rest + data
        blocks: list[bytes] = []
        at = 0
        for found in self._ends.finditer(whole):
            blocks.append(whole[at : found.end()])
            at = found.end()
        self._rest = whole[at:]
        if not blocks:
            return b""
        # What came together is read together, which takes half the time; but for the last block,
        # which may wait for what follows.
        return (self._taken(*blocks[:-1]) if blocks[1:] else b"") + self._taken(blocks[-1])

    def finish(self) -> bytes:
        """What goes out at the end of the stream, or where it is left."""
        rest, self._rest = self._rest, b""
        out = self._taken(rest) if rest else b""
        if self._is_foreign or self.asks_again:
            return out
        if not self._exchange.is_over:
            try:
                for chunk in self._reader.finish():
                    self._hear(chunk)
            except EndpointError as error:
                return out + self._broken(error)
        return out + self._ended()

    def _taken(self, *blocks: bytes) -> bytes:
        """What goes out now that *blocks* came."""
        if self._is_foreign:
            return b"".join(blocks)
        self._held += blocks
        if self.is_over:
            return b""
        try:
            for chunk in together(self._reader.feed(b"".join(blocks))):
                self._hear(chunk)
        except EndpointError as error:
            return self._broken(error)
        if self._writer is not None or self._same.is_lost:
            return self._written()
        return b"" if self._waits else self._released()

    @property
    def _waits(self) -> bool:
        # From its end on everything waits until it is known whether that was the end.
        return self.is_over or self.is_ending or not self._same.is_at_rest

    def _hear(self, chunk: Chunk) -> None:
        pieces = self._exchange.feed(chunk)
        self._same.compare(chunk, pieces)
        self._unsent += pieces

    def _released(self) -> bytes:
        """The blocks that waited, as they came."""
        held, self._held = self._held, []
        self._unsent.clear()
        self.has_begun = True
        for block in held:
            self._begun.passed(block)
        return b"".join(held)

    def _written(self, end: Callable[[StreamWriter], Iterable[str]] | None = None) -> bytes:
        """What went out of the blocks that waited, in the words of the writer, and its *end*."""
        self._held.clear()
        unsent, self._unsent = self._unsent, []
        writer = self.writer
        if not unsent and end is None:
            return b""
        frames = [] if self.has_written else writer.begin()
        self.has_begun = self.has_written = True
        for piece in self._numbered(unsent):
            frames += writer.write(0, piece)
        if end is not None:
            frames += end(writer)
        return "".join(frames).encode("ascii")

    def _numbered(self, pieces: Sequence[Piece]) -> Iterable[Piece]:
        """*pieces* with the numbers that their calls have in the stream that has begun."""
        slots = self._same.slots
        if all(slot == at for at, slot in enumerate(slots)):
            return pieces
        most = max((slot for slot in slots if slot is not None), default=-1)
        return [_moved(piece, slots, most) for piece in pieces]

    def _ended(self) -> bytes:
        """What goes out at the end of the reply."""
        reason = self._reader.reason
        pieces = self._exchange.finish()
        self._same.compare(Chunk(), pieces)
        match self._exchange.verdict:
            case Ended() as ended:
                self._unsent += pieces
                same = is_same_end(ended, reason, self._begun) and self._same.is_kept(ended)
                is_read = self._writer is None and same
                return self._released() if is_read else self._written(_end)
            case Failed() as failed:
                self.failed = failed
                self._unsent += pieces[:-1]
                return self._told(failed)
        self.asks_again = True
        self._unsent += pieces
        return self._written()

    def _broken(self, error: EndpointError) -> bytes:
        """What goes out where the stream ends with *error*."""
        if self._refusal(error) is not None and self._exchange.refused():
            self.asks_again = True
            self._held.clear()
            return b""
        self.failed = failure_of(error)
        if self._writer is None and not self._unsent:
            self._is_foreign = True
            return self._released()  # the service's own words
        return self._told(self.failed)

    def _told(self, failed: Failed) -> bytes:
        """What tells of a failure; nothing yet, where a status of its own still can."""
        if not self.has_begun and not self._unsent:
            return b""
        return self._written(lambda writer: writer.fail(fault_of(failed)))


def _end(writer: StreamWriter) -> list[str]:
    return writer.end()


def _moved(piece: Piece, slots: Sequence[int | None], most: int) -> Piece:
    if not isinstance(piece, CallStarted | ArgumentsDelta | CallCompleted):
        return piece
    slot = slots[piece.index] if piece.index < len(slots) else None
    return replace(piece, index=most + 1 + piece.index if slot is None else slot)
