"""Files in memory."""

from __future__ import annotations

import pytest

from toolproto.conversation.toolsets import FileLimits, MemoryFiles
from toolproto.protocol.errors import UsageError


def test_files_may_be_there_from_the_beginning():
    files = MemoryFiles({"a/b.txt": "ü", "/c": b"\xff"})
    assert files.contents() == {"a/b.txt": "ü".encode(), "c": b"\xff"}


def test_what_was_given_out_is_a_copy():
    files = MemoryFiles({"a": "1"})
    files.contents()["a"] = b"2"
    buffer = bytearray(b"3")
    files.write("b", buffer)
    buffer[:] = b"4"
    assert files.contents() == {"a": b"1", "b": b"3"}


@pytest.mark.parametrize(
    "contents, why",
    [
        ({"../a": ""}, "'..' is not used here"),
        ({"a": "", "a/b": ""}, "'/a' is a file"),
        ({"a": "toolong"}, "has 7 bytes"),
        ({"a": "\ud800"}, "surrogates not allowed"),
    ],
)
def test_contents_that_cannot_be_are_a_mistake_of_the_program(contents, why):
    with pytest.raises(UsageError, match="contents cannot be taken over") as raised:
        MemoryFiles(contents, FileLimits(file_bytes=6))
    assert why in str(raised.value)
