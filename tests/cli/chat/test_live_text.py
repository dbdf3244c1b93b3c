"""An answer that appears while it is written."""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import count

import pytest

from tests.patience import PATIENCE
from toolproto.cli.chat.live_text import LiveCount, LiveText, thought

from .people import Glass, Paper

ANSWER = """\
Here is **how**:

1. Look.
2. Leap.

```python
for name in names:
    print(name)
```

| a | b |
|---|---|
| 1 | 2 |

That is *all*.
"""
DRAWN = """\

Here is how:

 1 Look.
 2 Leap.

  for name in names:
      print(name)

 a  b
 ────
 1  2

That is all.
"""


def ticking(step: float) -> Callable[[], float]:
    """A clock that is *step* later each time it is looked at."""
    return map(lambda n: n * step, count()).__next__


def write(glass: Glass | Paper, text: str, size: int, step: float = 0.05) -> None:
    live = LiveText(glass.screen, clock=ticking(step))
    for at in range(0, len(text), size):
        live.feed(text[at : at + size])
    live.finish()


@pytest.mark.parametrize("size", [1, 4, 1000])
@pytest.mark.parametrize("rows", [6, 40])
def test_it_looks_the_same_however_it_came(size, rows):
    glass = Glass(rows=rows)
    write(glass, ANSWER, size)
    assert [row.rstrip() for row in glass.rows] == DRAWN.rstrip().split("\n")


def test_without_a_terminal_it_is_the_same():
    paper = Paper()
    write(paper, ANSWER, 3)
    assert "\n".join(row.rstrip() for row in paper.text.split("\n")) == DRAWN


def test_the_beginning_is_seen_at_once():
    glass = Glass()
    live = LiveText(glass.screen)
    live.feed("Hello")
    assert glass.rows == ["", "Hello"]


def test_the_last_piece_is_seen_though_nothing_follows():
    glass = Glass()
    live = LiveText(glass.screen)
    for word in ["I", "am", "thinking", "about", "it"]:
        live.feed(f"{word} ")
    given_up = time.monotonic() + PATIENCE
    while glass.rows != ["", "I am thinking about it"]:  # a timer paints it
        assert time.monotonic() < given_up
        time.sleep(0.01)


def test_a_long_answer_costs_in_proportion_and_repaints_nothing_that_scrolled_away():
    written = []
    for paragraphs in (50, 100):
        glass = Glass(rows=10)
        text = "".join(f"Paragraph {n} has a few words.\n\n" for n in range(paragraphs))
        write(glass, text, 5)
        written.append(len(glass.file.getvalue()))
        assert glass.rows[1::2] == [f"Paragraph {n} has a few words." for n in range(paragraphs)]
    assert written[1] < 2.3 * written[0]


def test_code_longer_than_the_window_appears_once_and_whole():
    code = [f"line_{number} = {number}" for number in range(100)]
    glass = Glass(rows=12)
    write(glass, "\n".join(["Look:", "```python", *code, "```", "Done."]), 7)
    assert glass.rows == ["", "Look:", "", *(f"  {line}" for line in code), "", "Done."]


def test_a_paragraph_longer_than_the_window_loses_no_word():
    words = [f"word{number}" for number in range(400)]
    glass = Glass(columns=40, rows=8)
    write(glass, " ".join(words), 5)
    assert " ".join(glass.rows).split() == words


def test_in_a_narrower_window_it_goes_on_below():
    glass = Glass(columns=60)
    live = LiveText(glass.screen, clock=ticking(1))
    live.feed("one two three four five six seven eight nine ten eleven")
    glass.console.width = 20
    live.feed(" twelve thirteen fourteen")
    live.finish()
    assert glass.rows == [
        "",
        "one two three four five six seven eight nine ten eleven",
        "twelve thirteen",
        "fourteen",
    ]


def test_thinking_is_plain_and_indented():
    paper = Paper()
    live = LiveText(paper.screen, thought)
    live.feed("Maybe **not**.\nOr yes.")
    live.finish()
    assert paper.text == "\n  Maybe **not**.\n  Or yes.\n"


def test_a_count_goes_up_and_stays_if_it_is_to():
    glass = Glass()
    for stays in (True, False):
        counting = LiveCount(
            glass.screen, lambda n, over: f"{n} {over}", stays=stays, clock=ticking(1)
        )
        counting.feed("ab")
        counting.feed("cd")
        assert glass.rows[-1] == "4 False"
        counting.finish()
    assert glass.rows == ["", "4 True"]


def test_nothing_but_blanks_is_nothing():
    glass = Glass()
    write(glass, " \n\n  ", 1)
    assert glass.rows == [""]
