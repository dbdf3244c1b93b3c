"""A call stands where markdown-it-py says that a word stands, asked of whole documents.

`TOOLPROTO_WHOLE=1` tries 100,000 documents, and `TOOLPROTO_SEED` says which.
"""

from __future__ import annotations

import collections
import os
import random

from tests.amount import amount
from toolproto.protocol.decoding.place import PLAIN, PlaceTracker
from toolproto.protocol.decoding.place.blocks import is_paragraph, parse

from .judge import judge
from .telling import C, document


def asked(text: str, piece: int) -> str:
    tracker = PlaceTracker()
    for n, part in enumerate(text.split(C)):
        if n:
            tracker.call()
        for at in range(0, len(part), piece or len(part) or 1):
            tracker.feed(part[at : at + (piece or len(part))])
    place = tracker.before()
    return "plain" if place == PLAIN else "shown" if place.shown else "doubted"


def test_no_place_is_plainer_than_the_standard_says():
    rng = random.Random(int(os.environ.get("TOOLPROTO_SEED", "1")))
    told: collections.Counter[str] = collections.Counter()
    documents = amount(3000, 100_000)
    for n in range(documents):
        text = document(rng)
        verdict, place, deviation = judge(text)
        got = asked(text, 7 if n % 10 == 0 else 0)
        if got == verdict:
            told[verdict] += 1
        elif deviation.startswith("8"):
            told["deviation 8"] += 1
        else:
            # Where both only doubt or show, judges disagree about code spans that lines break.
            assert "plain" not in (got, verdict), (text, got, verdict, place)
            told["doubted or shown"] += 1
    print(dict(told))
    assert min(told["plain"], told["doubted"], told["shown"]) > documents / 8
    assert told["doubted or shown"] < documents / 200


def test_what_is_taken_for_a_paragraph_without_the_library_is_one():
    rng = random.Random(int(os.environ.get("TOOLPROTO_SEED", "1")))
    pieces = (
        *("a", "word ", " ", "    ", "\t", "\n", "\n", "\n\n", "#", "# ", "> ", "- ", "1. ", "12)"),
        *("```", "`", "~~~", "---", "===", "*", "**b**", "_", "+", "|", "|-|", ":-", "[x]:", "["),
        *("<div", "</p>", "<b>", "<!--", "<script", "<?", "<", "\\", "\x0b", "\xa0", "\u2028"),
    )
    taken = 0
    for _ in range(amount(6000, 200_000)):
        text = "".join(rng.choices(pieces, k=rng.randint(1, 9)))
        if is_paragraph(text):
            taken += 1
            assert [token.type for token in parse(text) if token.nesting >= 0] == [
                "paragraph_open",
                "inline",
            ], text
    assert taken > 1000
