"""One response in the making: what the model's pieces come to, whole or streamed."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...endpoints.apis.asked import ApiFault, Asked
from ...endpoints.apis.pieces import Failed, Piece, joined
from ...endpoints.apis.serving.api import Answer, Api, Stamp, StreamWriter, collected
from ..bridge.exchange import Exchange
from ..bridge.failures import fault_headers, fault_of

__all__ = ["Answering", "ReadyResponse", "refused"]

_JSON = {"content-type": "application/json"}


@dataclass(frozen=True, slots=True)
class ReadyResponse:
    """A response that is there already."""

    body: bytes
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=lambda: dict(_JSON))

    @classmethod
    def of(cls, values: Any) -> ReadyResponse:
        """*values* as JSON, in which no character can be misread."""
        return cls(json.dumps(values).encode("ascii"))


def refused(api: Api, fault: ApiFault, retry_after: float | None = None) -> ReadyResponse:
    """The response that tells *fault*, in the words of *api*."""
    body = json.dumps(api.error(fault)).encode("ascii")
    return ReadyResponse(body, fault.status, {**_JSON, **fault_headers(fault, retry_after)})


@dataclass(slots=True)
class Answering:
    """The response to what was *asked* in the words of *api*, made of one answer or several.

    Hand over the pieces as they come, with :meth:`take`; :attr:`is_over` once nothing more is
    wanted. What fails before anything went out is told with a status of its own, by
    :attr:`refusal`; later it is the end of the stream.
    """

    api: Api
    asked: Asked
    exchanges: Sequence[Exchange]
    stamp: Stamp
    model: str
    key: str | None
    is_over: bool = False
    refusal: ReadyResponse | None = None
    _writer: StreamWriter | None = None
    _pieces: dict[int, list[Piece]] = field(default_factory=dict)

    def take(self, choice: int, pieces: Sequence[Piece]) -> bytes:
        """What of *pieces*, which belong to the answer number *choice*, goes out now."""
        if not pieces:
            return b""
        if isinstance(pieces[-1], Failed):  # nothing follows a failure
            return self._failed(pieces[-1])
        if not self.asked.stream:
            self._pieces.setdefault(choice, []).extend(pieces)
            return b""
        frames: list[str] = []
        if self._writer is None:
            self._writer = self.api.writer(self.asked, self.stamp)
            frames += self._writer.begin()
        for piece in joined(pieces):
            frames += self._writer.write(choice, piece)
        return "".join(frames).encode("ascii")

    def end(self) -> bytes:
        """What comes after the last answer."""
        self.is_over = True
        if self._writer is not None:
            return "".join(self._writer.end()).encode("ascii")
        answers = [collected(self._pieces.get(at, ())) for at in range(len(self.exchanges))]
        whole = [answer for answer in answers if isinstance(answer, Answer)]
        return ReadyResponse.of(self.api.whole(self.asked, whole, self.stamp)).body

    @property
    def headers(self) -> dict[str, str]:
        """Those of the response."""
        if not self.asked.stream:
            return dict(_JSON)
        return {"content-type": self.api.media_type, "cache-control": "no-cache"}

    def _failed(self, failed: Failed) -> bytes:
        self.is_over = True
        fault = fault_of(failed)
        if self._writer is not None:
            return "".join(self._writer.fail(fault)).encode("ascii")
        self.refusal = refused(self.api, fault, failed.retry_after)
        return b""
