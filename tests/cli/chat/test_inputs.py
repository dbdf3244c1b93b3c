"""Messages of several lines."""

from __future__ import annotations

import pytest

from toolproto.cli.chat.inputs import is_open, unquoted

WHOLE = [
    ("hello", "hello"),
    ("one\ntwo, pasted", "one\ntwo, pasted"),
    ("a pasted \\\ncommand", "a pasted \\\ncommand"),
    ("", ""),
    ('"""\none\n\ntwo\n"""', "one\n\ntwo"),
    ('"""one\ntwo"""', "one\ntwo"),
    ('"""one"""', "one"),
    ('""""""', ""),
    ("```python\nx = 1\n```", "```python\nx = 1\n```"),
    ("```\nx\\\n```", "```\nx\\\n```"),
    ("```\nx\n```\nWhat is it?", "```\nx\n```\nWhat is it?"),
]


@pytest.mark.parametrize("text, message", WHOLE)
def test_a_message_may_have_several_lines(text, message):
    assert not is_open(text) and unquoted(text) == message


@pytest.mark.parametrize(
    "text", ['"""', '"""one', '"""one\ntwo""', "```", "```python\nx = 1", "```\n"]
)
def test_what_was_begun_with_quotation_marks_or_a_fence_goes_on(text):
    assert is_open(text)
