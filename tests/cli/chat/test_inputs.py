"""Messages of several lines."""

from __future__ import annotations

import pytest

from toolproto.cli.chat.inputs import gathered

GATHERED = [
    (["hello"], "hello"),
    (["one\\", "two\\", "three"], "one\ntwo\nthree"),
    (['"""', "one", "", "two", '"""'], "one\n\ntwo"),
    (['"""one', 'two"""'], "one\ntwo"),
    (['"""one"""'], "one"),
    (["```python", "x = 1", "```"], "```python\nx = 1\n```"),
    (["```", "x\\", "```"], "```\nx\\\n```"),
    (["one\ntwo, pasted"], "one\ntwo, pasted"),
    ([""], ""),
    (["one\\"], "one"),
    (['"""', "never closed"], "\nnever closed"),
]


@pytest.mark.parametrize("lines, message", GATHERED)
def test_lines_become_one_message(lines, message):
    typed = iter(lines)

    def line(more: bool) -> str:
        assert more == (len(seen) > 0)
        seen.append(more)
        try:
            return next(typed)
        except StopIteration:
            raise EOFError from None

    seen: list[bool] = []
    assert gathered(line) == message


def test_nothing_at_all_is_the_end():
    def line(more: bool) -> str:
        raise EOFError

    with pytest.raises(EOFError):
        gathered(line)
