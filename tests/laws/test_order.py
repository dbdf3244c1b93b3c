"""What was read before, by any reply of a process, changes nothing in how a reply is read."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import pytest

from toolproto import Event, Reasoning, get_paradigm
from toolproto.protocol.decoding.reply.landmarks import landmarks
from toolproto.protocol.paradigms import ToolContextDef
from toolproto.testing import STANDARD_OFFER
from toolproto.testing.laws.asking import read_in_pieces

# What may stand amid a marker.
_ODD = ("\\", "\\_", "\\x", "▁", " ", "\u200b")


@pytest.mark.parametrize("name", ["harmony", "json_strict", "xml_tag"])
def test_replies_are_read_alike_in_any_order(name):
    paradigm = get_paradigm(name)
    random = Random(7)
    tags = [tag for pair in Reasoning().tags for tag in pair]
    texts = [_oddly(random.choice(tags), random) + "so it is" for _ in range(1_000)]
    forward = _read_all(paradigm, texts)
    assert _read_all(paradigm, texts[::-1]) == forward[::-1]


def _read_all(paradigm: ToolContextDef, texts: Sequence[str]) -> list[list[Event]]:
    landmarks.cache_clear()  # as in a new process
    return [read_in_pieces(paradigm, text, STANDARD_OFFER) for text in texts]


def _oddly(marker: str, random: Random) -> str:
    """*marker* as Markdown escapes it, or with a sign in it that may belong to it or not."""
    at = random.randint(1, len(marker))
    return random.choice(
        (marker.replace("_", "\\_"), marker[:at] + random.choice(_ODD) + marker[at:])
    )
