"""What a path means, and which paths mean nothing."""

from __future__ import annotations

import pytest

from toolproto.conversation.toolsets.paths import is_usable, show_parts, split_file_path, split_path
from toolproto.protocol.errors import ToolFailed

MEANINGS = [
    ("", ()),
    ("/", ()),
    (".", ()),
    ("./", ()),
    ("///", ()),
    ("a", ("a",)),
    ("/a", ("a",)),
    ("./a", ("a",)),
    ("a/", ("a",)),
    ("a/b", ("a", "b")),
    ("//a///./b/.", ("a", "b")),
    (".hidden/...", (".hidden", "...")),
    ("a b/ c ", ("a b", " c ")),
    ("~user/~$a.docx", ("~user", "~$a.docx")),
    ("12:30/a:b", ("12:30", "a:b")),
    ("%2e%2e/%2fetc", ("%2e%2e", "%2fetc")),
    ("\uff0e\uff0e/\u2215x", ("\uff0e\uff0e", "\u2215x")),  # wide dots, a slash-like sign
    ("caf\u00e9", ("caf\u00e9",)),
    ("cafe\u0301", ("cafe\u0301",)),  # another name: nothing is normalised
    ("👩\u200d💻.txt", ("👩\u200d💻.txt",)),
    ("$HOME/*?", ("$HOME", "*?")),
    ("a" * 255, ("a" * 255,)),
    ("/".join("a" * 32), tuple("a" * 32)),
]


@pytest.mark.parametrize("path, parts", MEANINGS)
def test_a_path_is_the_names_from_the_top(path, parts):
    assert split_path(path) == parts
    assert split_path(show_parts(parts)[1:-1]) == parts
    assert all(map(is_usable, parts))


REFUSED = [
    ("..", "'..' is not used here"),
    ("a/../b", "'..' is not used here"),
    ("/../etc", "from the top directory"),
    ("a\\b", "never a backslash"),
    ("..\\..\\x", "never a backslash"),
    ("C:/Windows", "'C:' looks like a drive"),
    ("file:///etc/passwd", "'file:' looks like a drive or a URL"),
    ("~/x", "'~' has no meaning"),
    ("a\0b", "control character"),
    ("a\nb", "control character"),
    ("a.txt\r", "control character"),
    ("\x1b[2Ja", "control character"),
    ("\x85", "control character"),
    ("a\u2028b", "control character"),
    ("\u202etxt.exe", "control character"),
    ("a\u2066b", "control character"),
    ("\ud800", "control character"),
    ("a" * 256, "more than 255 bytes"),
    ("é" * 128, "more than 255 bytes"),
    ("a/" * 33, "33 names deep, more than 32"),
    ("a/" * 600, "1200 characters, more than 1024"),
]


@pytest.mark.parametrize("path, why", REFUSED)
def test_a_path_that_can_name_nothing_is_refused_with_a_reason(path, why):
    with pytest.raises(ToolFailed) as refused:
        split_path(path)
    message = str(refused.value)
    assert why in message
    assert message.isprintable() and len(message) < 250


@pytest.mark.parametrize("path", ["", "/", ".", "a/", "a/.", "/a/b//"])
def test_a_file_has_a_name_at_the_end(path):
    split_path(path)
    with pytest.raises(ToolFailed, match="names a directory; put the name of a file"):
        split_file_path(path)


def test_the_path_of_a_file_is_split_alike():
    assert split_file_path("/a/./b") == ("a", "b")
