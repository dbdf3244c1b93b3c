"""Text from outside, changed so that nothing in it opens a call, a result or somebody's turn.

A web page, a file, a paste or a tool's description may hold the very text by which a model acts.
A model that repeats it would act on it. So a break, an invisible character that no reader reads
through, is put into whatever could begin something; the text looks the same to a person, is
readable for a model, and :meth:`Neutraliser.restore` gives it back as it was.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Protocol
from weakref import WeakKeyDictionary

from ..decoding.calls.names import Offered
from ..tools.spec import ToolOffer, ToolSpec
from .neutralise_openers import FormReading, Openers

__all__ = ["BREAK", "Neutral", "Neutraliser", "neutraliser", "restore"]

#: U+2063, INVISIBLE SEPARATOR: neither space nor letter, so that no marker may have it in the
#: middle; and unlike U+200B, U+2060 and U+FEFF, the reader never skips it.
BREAK = "\u2063"
_MOST_KEPT = 32
_BREAKS = re.compile(f"{BREAK}+")


class HasReading(Protocol):
    """A paradigm, as far as the guard needs one: it says how it reads replies."""

    @property
    def reading(self) -> FormReading:
        """How replies are read, and by which markers."""
        ...


class Neutral(str):
    """Text that is neutral already: neutralising it again changes nothing."""

    __slots__ = ()


class Neutraliser:
    """Takes the meaning that text has to a paradigm's reader out of what strangers wrote."""

    def __init__(self, openers: Openers) -> None:
        self._openers = openers
        #: Tools that were made neutral, by their identity: they are offered in every request.
        self.tools: dict[int, tuple[ToolSpec, ToolSpec]] = {}

    def neutralise(self, text: str) -> str:
        """*text* with a break in whatever could begin something.

        The time it takes grows with the text's length and with nothing else.
        """
        if isinstance(text, Neutral):
            return text
        places = self._openers.find(text)
        ends = [*places, len(text)]
        pieces = (text[start:end] for start, end in zip([0, *places], ends, strict=True))
        # A break that was there before is doubled, so that it can be told from ours.
        return Neutral(BREAK.join(piece.replace(BREAK, BREAK * 2) for piece in pieces))

    def restore(self, text: str) -> str:
        """What :meth:`neutralise` made *text* of."""
        return restore(text)


#: The neutralisers made for each way of reading, by the names of the tools they know.
_KEPT: WeakKeyDictionary[FormReading, dict[tuple[str, ...] | None, Neutraliser]] = (
    WeakKeyDictionary()
)


def restore(text: str) -> str:
    """What a neutraliser, of whatever paradigm, made *text* of."""
    return _BREAKS.sub(lambda run: BREAK * (len(run.group()) // 2), text)


def neutraliser(paradigm: HasReading, tools: Iterable[str] | None = None) -> Neutraliser:
    """What makes text neutral to the replies of *paradigm*; made once for each kind of it.

    *tools* are the names that replies may call. They spare ordinary code and data: without them
    any name could be one.
    """
    names = None if tools is None else tuple(sorted(set(tools)))
    kept = _KEPT.setdefault(paradigm.reading, {})
    made = kept.get(names)
    if made is None:
        made = Neutraliser(Openers(paradigm.reading, _offered(names)))
        if len(kept) >= _MOST_KEPT:
            kept.clear()
        kept[names] = made
    return made


def _offered(names: tuple[str, ...] | None) -> Offered | None:
    """The tools of that name; None if there are none, since then any name may be meant."""
    return Offered(ToolOffer(tuple(ToolSpec(name, "", {}) for name in names))) if names else None
