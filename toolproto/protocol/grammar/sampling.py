"""Replies of a grammar, drawn at random: the way a model would write that knows nothing else.

At each place one of the characters that may follow is drawn, oftener than not one of *pieces* as a
whole: markers, quotes and the like, so that values are full of what could be taken for an end.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from .accepting import GrammarWalk
from .charset import Ranges, holds
from .ir import Grammar

__all__ = ["sample_reply"]

_ODD = " \n\t\"'\\<>&{}[](),:;=-_|/.`#é😀\u2028"


def sample_reply(
    grammar: Grammar | GrammarWalk, random: Random, pieces: Sequence[str] = (), length: int = 200
) -> str:
    """A whole reply, of about *length* characters or more.

    Where many are drawn of one grammar, a walk through it is quicker than the grammar itself.
    """
    walk, written = (
        grammar.again() if isinstance(grammar, GrammarWalk) else GrammarWalk(grammar),
        "",
    )
    while walk.is_alive:
        if walk.may_end and (len(written) >= length or random.random() < 0.1):
            return written
        if len(written) >= length:
            return written + (walk.ending() or "")
        more = _piece(walk, random, pieces) or _character(walk, random)
        if not more:
            return written
        walk.take(more)
        written += more
    return written


def _piece(walk: GrammarWalk, random: Random, pieces: Sequence[str]) -> str:
    if not pieces or random.random() < 0.7:
        return ""
    piece = random.choice(pieces)
    return piece if walk.fork().take(piece) == len(piece) else ""


def _character(walk: GrammarWalk, random: Random) -> str:
    sets = walk.next_sets()
    return _drawn(random.choice(sets), random) if sets else ""


def _drawn(ranges: Ranges, random: Random) -> str:
    if random.random() < 0.8:
        for _ in range(4):
            wanted = random.choice(_ODD) if random.random() < 0.3 else chr(random.randint(97, 122))
            if holds(ranges, wanted):
                return wanted
    first, last = random.choice(ranges)
    drawn = random.randint(first, min(last, first + 200))
    # Half a pair of surrogates cannot be sent anywhere.
    return chr(drawn) if not 0xD800 <= drawn <= 0xDFFF else chr(first)
