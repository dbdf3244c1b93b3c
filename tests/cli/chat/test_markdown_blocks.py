"""Where blocks of Markdown end while they are still coming."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolproto.cli.chat.markdown_blocks import LONGEST, Block, Blocks

ANSWER = """\
# Title

A paragraph
of two lines.

1. one

   ```sh
   ls

   pwd
   ```

2. two
   - deeper

| a | b |
|---|---|
| 1 | 2 |

```python
x = 1

y = 2
```
> quoted

The end.
"""
BLOCKS = [
    "# Title",
    "A paragraph\nof two lines.",
    "1. one\n\n   ```sh\n   ls\n\n   pwd\n   ```\n\n2. two\n   - deeper",
    "| a | b |\n|---|---|\n| 1 | 2 |",
    "```python\nx = 1\n\ny = 2\n```",
    "> quoted",
    "The end.",
]


def split(pieces: list[str]) -> list[Block]:
    blocks = Blocks()
    return [*(block for piece in pieces for block in blocks.feed(piece)), *blocks.finish()]


def texts(pieces: list[str]) -> list[str]:
    return [block.text.strip("\n") for block in split(pieces)]


@pytest.mark.parametrize("size", [1, 3, 7, 1000])
def test_each_block_comes_out_once_it_is_over(size):
    assert texts([ANSWER[at : at + size] for at in range(0, len(ANSWER), size)]) == BLOCKS


def test_a_block_is_finished_by_the_line_behind_it():
    blocks = Blocks()
    assert list(blocks.feed("One.\n\n")) == []
    assert list(blocks.feed("T")) == []  # it may still become anything
    assert [block.text for block in blocks.feed("wo.\n")] == ["One.\n"]
    assert blocks.open == Block("Two.\n")


MARKDOWN = st.lists(
    st.sampled_from(
        [
            "a",
            "word ",
            "\n",
            "\n\n",
            "- ",
            "1. ",
            "# ",
            "```",
            "    ",
            "> ",
            "|",
            "---",
            "**",
            "~~~",
        ]
    ),
    max_size=60,
).map("".join)


def words(text: str) -> list[str]:
    return re.findall(r"\S+", text)


@given(MARKDOWN)
def test_no_word_is_lost_or_said_twice(text):
    assert words("\n".join(block.text for block in split(list(text)))) == words(text)


def test_a_long_paragraph_is_cut_at_a_word():
    text = "word " * LONGEST
    blocks = split([text])
    assert len(blocks) > 2 and all(len(block.text) <= 2 * LONGEST for block in blocks)
    assert "".join(block.text for block in blocks) == text
    assert [block.is_rest for block in blocks[:2]] == [False, True]


def test_a_long_fence_is_opened_again_where_it_was_cut():
    code = "".join(f"line_{number} = {number}\n" for number in range(1_000))
    first, *more = split([f"```python\n{code}```\n\nDone.\n"])
    assert first.text.startswith("```python\nline_0") and first.text.endswith("\n")
    assert all(block.text.startswith("```python\nline_") for block in more[:-1])
    assert more[-1] == Block("Done.\n")
    assert re.findall(r"line_\d+", "".join(b.text for b in [first, *more])) == [
        f"line_{number}" for number in range(1_000)
    ]


def test_a_long_table_has_its_head_again():
    rows = "".join(f"| {number} | x |\n" for number in range(1_000))
    blocks = split([f"| n | v |\n|---|---|\n{rows}"])
    assert len(blocks) > 1
    assert all(block.text.startswith("| n | v |\n|---|---|\n| ") for block in blocks)


def test_a_long_list_is_cut_between_items():
    blocks = split(["".join(f"- item {number}\n  - more\n" for number in range(500))])
    assert all(re.match(r"- item \d+\n  - more\n", block.text) for block in blocks)
    assert len(blocks) > 1 and blocks[-1].text.endswith("- item 499\n  - more\n")


UGLY = [
    "x" * 50_000,
    "```" + "x" * 20_000 + "\n" + "y\n" * 9_000,
    "|" + "a|" * 9_000 + "\n" + "|-" * 9_000,
    "- " * 20_000,
    "> " * 20_000,
    "[" * 20_000,
    "\n" * 50_000,
    " " * 50_000,
    "```\n" * 9_000,
    "1. a\n" + "   b\n" * 9_000,
]


@pytest.mark.parametrize("text", UGLY, ids=lambda text: repr(text[:12]))
def test_ugly_text_comes_out_in_bounded_pieces(text):
    blocks = split([text])
    assert all(len(block.text) <= 2 * LONGEST for block in blocks)
    assert sum(len(words(block.text)) for block in blocks) >= len(words(text))


def test_what_was_left_half_shown_goes_on_without_it():
    blocks = Blocks()
    list(blocks.feed("```py\none\ntwo"))
    blocks.end_here()
    assert blocks.open == Block("```py\n", True)
    list(blocks.feed(" more\n```\n"))
    assert [block.text for block in blocks.finish()] == ["```py\n more\n```\n"]
