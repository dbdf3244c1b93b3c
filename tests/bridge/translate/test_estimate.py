"""Tokens are guessed within the margin that the docs tell."""

from __future__ import annotations

import pytest

from toolproto.bridge.translate.estimate import estimated
from toolproto.messages import Message

#: Texts, and how many tokens twenty of them are to GPT-4 (cl100k) and to Claude (its published
#: tokenizer).
TEXTS = [
    (
        "The proxy teaches the model a paradigm in the system prompt, reads the calls out of "
        "what it writes, and sends them on as your client's own API writes them. ",
        (681, 681),
    ),
    (
        "def total(prices: list[float], tax: float = 0.19) -> float:\n"
        "    return round(sum(prices) * (1 + tax), 2)\n",
        (720, 740),
    ),
    (
        "2026-11-16T07:18:00.123Z INFO request=5ba4b2e3acb23e49 status=200 seconds=0.1131\n",
        (780, 800),
    ),
    ("Die Kosten eines Aufrufs hängen davon ab, wie viele Zeichen das Modell liest. ", (441, 481)),
    ("这个函数读取文件并返回其内容，如果文件不存在则报告错误。", (380, 340)),
]


@pytest.mark.parametrize(("text", "counts"), TEXTS)
def test_a_guess_is_within_its_margin(text, counts):
    guessed = estimated([Message("user", text * 20)])
    assert all(0.7 < guessed / count < 1.3 for count in counts)
