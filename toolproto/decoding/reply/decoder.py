"""The decoder of replies: events out of chunks.

It has two ways through: a reader that knows everything a reply can hold (`reader.py`), and
a hot path for the inside of long string arguments (`hot_string.py`).
"""

from __future__ import annotations

from collections.abc import Sequence

from ...errors import UsageError
from ...events import Event
from ...finish_reasons import cut_reason
from ...messages import IdFactory
from ...tools.spec import ToolOffer
from ..contract import Limits
from .events_out import Outbox
from .forms import ReplyForm
from .hot_string import StringFeed, string_feed
from .place import Standing
from .reader import PassedOver, ReplyReader
from .thinking import Reasoning

__all__ = ["ReplyDecoder"]


class ReplyDecoder:
    """Reads one reply. See :class:`~toolproto.decoding.contract.Decoder` for what it promises."""

    def __init__(
        self,
        form: ReplyForm,
        offer: ToolOffer,
        *,
        ids: IdFactory,
        reasoning: Reasoning,
        limits: Limits,
    ) -> None:
        self._outbox = Outbox(ids)
        self._reader = ReplyReader(form, offer, self._outbox, reasoning, limits)
        self._prose = self._reader.prose_feed(self._read)
        # Who calls ``feed`` gets there directly: the detour would be a tenth of the cost.
        self.__dict__["feed"] = self._prose
        self._finished = False
        self._string: StringFeed | None = None  # while a string argument is being read
        #: Whether the rest of the reply is not the model's to say: a result, another's turn. No
        #: property, since it is asked for every token.
        self.is_over = False

    @property
    def passed_over(self) -> Sequence[PassedOver]:
        """What was read like a call so far and is none, because of where it stands."""
        return self._reader.passed_over

    @property
    def standing(self) -> Standing:
        """How a call would stand that began behind all that was fed."""
        return self._reader.standing

    def feed(self, chunk: str) -> list[Event]:
        """Read on."""
        return self._prose(chunk)

    def finish(self, reason: str | None = None) -> list[Event]:
        """Say that the reply is over, and for which *reason*, in the words of any service.

        A reason that means neither "done" nor "calls" marks an open call as truncated.
        """
        if self._finished:
            raise UsageError("finish() twice: make a new decoder for each reply")
        self._finished = True
        self._leave_string()
        self._reader.finish(cut_reason(reason))
        return self._outbox.take()

    def _read(self, chunk: str) -> list[Event]:
        # Somebody may have kept the ``feed`` of before the string.
        return self._read_on(chunk) if self._string is None else self._string.feed(chunk)

    def _read_on(self, chunk: str) -> list[Event]:
        self._leave_string()
        if self._finished:
            raise UsageError("feed() after finish(): make a new decoder for each reply")
        self._reader.read(chunk)
        self.is_over = self._reader.is_over
        self._enter_string()
        return self._outbox.take()

    def _enter_string(self) -> None:
        """Leave what comes to the hot path, if reading stands in a string that may go out."""
        reader, string = self._reader, self._reader.streaming
        if string is not None:
            self._string = string_feed(string, reader.base, reader.text, self._read_on)
            self.__dict__["feed"] = self._string.feed

    def _leave_string(self) -> None:
        if self._string is not None:
            self._reader.base, self._reader.text = self._string.leave()
            self._string = None
            self.__dict__["feed"] = self._prose
