"""Tokens are guessed within the margin that the docs tell."""

from __future__ import annotations

import pytest

from toolproto.endpoints.apis.serving.estimate import estimated
from toolproto.protocol.messages import Message

#: Texts, and how many tokens twenty of them are to GPT-4o, Llama 3, Qwen 2.5, Gemma 2, Mistral Nemo
#: and DeepSeek.
TEXTS = [
    (
        "The proxy teaches the model a paradigm in the system prompt, reads the calls out of "
        "what it writes, and sends them on as your client's own API writes them. ",
        (661, 681, 681, 701, 681, 681),
    ),
    (
        "def total(prices: list[float], tax: float = 0.19) -> float:\n"
        "    return round(sum(prices) * (1 + tax), 2)\n",
        (740, 720, 740, 820, 800, 740),
    ),
    (
        "2026-11-16T07:18:00.123Z INFO request=5ba4b2e3acb23e49 status=200 seconds=0.1131\n",
        (800, 780, 1080, 1080, 1100, 800),
    ),
    (
        "Die Kosten eines Aufrufs hängen davon ab, wie viele Zeichen das Modell liest. ",
        (341, 441, 441, 341, 381, 421),
    ),
    (
        "Стоимость вызова зависит от того, сколько символов читает модель, "
        "и мы её только оцениваем. ",
        (460, 501, 581, 440, 502, 481),
    ),
    ("这个函数读取文件并返回其内容，如果文件不存在则报告错误。", (300, 320, 340, 320, 460, 320)),
    (
        "이 함수는 파일을 읽고 그 내용을 돌려주며 파일이 없으면 오류를 알립니다. ",
        (441, 481, 521, 501, 461, 501),
    ),
]


@pytest.mark.parametrize(("text", "counts"), TEXTS)
def test_a_guess_is_within_its_margin(text, counts):
    guessed = estimated([Message("user", text * 20)])
    assert all(0.7 < guessed / count < 1.3 for count in counts)


def test_a_key_is_not_taken_for_a_word():
    """Base64 has a token for every one or two characters."""
    key = "q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQq83vEjRWeJCrze8SNFZ4kA==" * 20
    assert estimated([Message("user", key)]) > len(key) / 3
