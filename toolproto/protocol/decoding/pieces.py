"""Joining the many pieces in which a text came: a string takes fifty bytes, however short it is."""

from __future__ import annotations

#: More pieces than this should be joined.
MOST_PIECES = 1024


def join_pieces(pieces: list[str], joined: int) -> int:
    """Make one of all *pieces* behind the first *joined*; return how many were made so by now."""
    pieces[joined:] = ["".join(pieces[joined:])]
    return joined + 1
