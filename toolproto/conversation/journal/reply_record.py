"""A whole reply as one record: written when it is over, and told again.

However a reply was cut into chunks, the record is the same: what is read from it is, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from itertools import groupby
from operator import itemgetter
from typing import Any

from ...protocol.messages import Chunk, NativePiece, Usage
from ..stores.base import Record
from .errors import read_error, write_error
from .messages import read_usage, write_usage
from .packing import in_pairs

__all__ = ["HeardReply", "chunks_of", "whole_pieces"]


@dataclass(slots=True)
class HeardReply:
    """What was heard of a reply so far, and the *error* that broke it off.

    A chunk that is None is its end. *arguments* are those of its calls.
    """

    chunks: list[Chunk | None] = field(default_factory=list)
    arguments: list[Any] = field(default_factory=list)
    error: Exception | None = None
    is_over: bool = False

    def ended(self) -> Record:
        """The record of it; the next reply can be heard."""
        chunks = [chunk for chunk in self.chunks if chunk is not None]
        usages = [chunk.usage for chunk in chunks if chunk.usage]
        reasons = [chunk.finish_reason for chunk in chunks if chunk.finish_reason]
        told: dict[str, Any] = {"parts": _parts(chunks)}
        if reasons:
            told["finish_reason"] = reasons[-1]
        if usages:
            told["usage"] = write_usage(sum(usages, Usage()))
        if self.error:
            told["error"] = write_error(self.error)
        if self.arguments:  # what is secret in them is taken out of the text; not kept itself
            told["arguments"] = self.arguments
        self.arguments, self.error, self.is_over = [], None, False
        self.chunks.clear()
        return Record("reply", told)


def chunks_of(data: Mapping[str, Any]) -> Iterator[Chunk | None]:
    """A whole reply as it was heard, then its end, or what broke it off."""
    for kind, said in in_pairs(data["parts"]):
        match kind:
            case "text":
                yield Chunk(said)
            case "calls":
                yield Chunk(calls=tuple(_read_piece(each) for each in said))
            case _:
                yield Chunk(reasoning=said)
    reason, usage = data.get("finish_reason"), data.get("usage")
    if reason or usage:
        yield Chunk(finish_reason=reason, usage=read_usage(usage) if usage else None)
    if data.get("error"):
        raise read_error(data["error"])
    yield None


def _parts(chunks: Iterable[Chunk]) -> list[Any]:
    """What *chunks* say, in turn: of which kind it is, and its text or its pieces of calls."""
    said: Iterator[tuple[str, Any]] = (
        piece
        for chunk in chunks
        for piece in (
            ("reasoning", chunk.reasoning),
            ("text", chunk.text),
            *(("calls", each) for each in chunk.calls),
        )
        if piece[1]
    )
    parts: list[Any] = []
    for kind, pieces in groupby(said, itemgetter(0)):
        each = [piece for _, piece in pieces]
        parts += (kind, whole_pieces(each) if kind == "calls" else "".join(each))
    return parts


def whole_pieces(pieces: Iterable[NativePiece]) -> list[dict[str, Any]]:
    """*pieces* as JSON, with arguments that came bit by bit in one."""
    whole: list[NativePiece] = []
    for piece in pieces:
        before = whole[-1] if whole else None
        if before is not None and _goes_on(before, piece):
            whole[-1] = replace(before, arguments=before.arguments + piece.arguments)
        else:
            whole.append(piece)
    return [_write_piece(each) for each in whole]


def _goes_on(before: NativePiece, piece: NativePiece) -> bool:
    """Return True if *piece* has more text for the arguments of *before*, and nothing else."""
    is_text = isinstance(before.arguments, str) and isinstance(piece.arguments, str)
    return is_text and not piece.id and not piece.name and piece.slot == before.slot


def _write_piece(piece: NativePiece) -> dict[str, Any]:
    told = {each.name: getattr(piece, each.name) for each in fields(piece)}
    return {name: value for name, value in told.items() if value not in (None, "")}


def _read_piece(told: Mapping[str, Any]) -> NativePiece:
    return NativePiece(**told)
