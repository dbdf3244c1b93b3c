"""Ways through the real proxy, asked by clients that know nothing of it."""

from __future__ import annotations

import pytest

from tests.amount import some

from .clients import Got
from .matrix import judged_cell, proxied
from .ways import SOUND, WAYS

#: The matrix has them all (`benchmarks/rescue_matrix.py`); here is one of each table.
WORKING = [WAYS[name] for name in ("call", "two_calls", "call_behind_words")]


@pytest.fixture(scope="module")
def proxy():
    with proxied() as made:
        yield made


def test_working_answers_and_harmless_texts_arrive_as_they_were_sent(proxy):
    cells = list(proxy.cells([*WORKING, *some(SOUND, 12)], ["chat"], (0, 7)))
    assert len(cells) > 10
    assert [(cell.way.name, cell.got) for cell in cells if cell.outcome != "right"] == []


CALLS = WAYS["hermes"].calls
OUTCOMES = [
    ("hermes", Got(CALLS), "right"),
    ("hermes", Got(CALLS, "<tool_call>"), "markup left"),
    ("hermes", Got((("get_weather", {"city": "Rome"}),)), "wrong call"),
    ("hermes", Got((*CALLS, *CALLS)), "wrong call"),
    ("hermes", Got((), "<tool_call>"), "lost"),
    ("words", Got(CALLS), "false call"),
    ("words", Got((), "It is 21"), "markup left"),
    ("forbidden", Got(error=403), "right"),
    ("nothing", Got(CALLS, "Let me look."), "right"),
    ("nothing", Got(error=500), "error"),
    ("hermes", Got(error=599), "lost"),
]


@pytest.mark.parametrize(("name", "got", "outcome"), OUTCOMES)
def test_what_a_client_got_is_judged(name, got, outcome):
    assert judged_cell(WAYS[name], got) == outcome
