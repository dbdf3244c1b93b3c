"""The laws that every paradigm keeps, as functions that raise :class:`LawBroken`.

Each takes a paradigm and one case; what cases to try is the caller's business
(:class:`~toolproto.testing.ParadigmLaws` draws them with Hypothesis). A message names the law,
shows the smallest facts that contradict it, and says what to change. ``docs/laws.md`` explains
each, with an example of breaking it.
"""

from collections.abc import Callable
from typing import Any

from .asking import read_in_pieces, read_whole
from .broken import LawBroken
from .exercise import exercise, made
from .grammars import grammar_accepts, grammar_allows
from .growth import linearity
from .neutral import neutrality
from .places import place, placed
from .reading import lossless, streamed_arguments, totality, verbatim
from .speaking import inertness, teaching
from .streaming import chunking, freshness, promptness
from .writing import round_trip, sequence, stopping, truncation

__all__ = [
    "LAWS",
    "LawBroken",
    "chunking",
    "exercise",
    "freshness",
    "grammar_accepts",
    "grammar_allows",
    "inertness",
    "linearity",
    "lossless",
    "made",
    "neutrality",
    "place",
    "placed",
    "promptness",
    "read_in_pieces",
    "read_whole",
    "round_trip",
    "sequence",
    "stopping",
    "streamed_arguments",
    "teaching",
    "totality",
    "truncation",
    "verbatim",
]

LAWS: dict[str, Callable[..., Any]] = {
    "round trip": round_trip,
    "chunking": chunking,
    "totality": totality,
    "streaming arguments": streamed_arguments,
    "lossless": lossless,
    "promptness": promptness,
    "linearity": linearity,
    "teaching": teaching,
    "grammar": grammar_allows,
    "inertness": inertness,
    "sequence": sequence,
    "freshness": freshness,
    "verbatim": verbatim,
    "truncation": truncation,
    "stopping": stopping,
    "place": place,
    "neutrality": neutrality,
}
