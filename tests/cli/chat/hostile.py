"""Texts that want a terminal to do, or a person to believe, something else."""

from __future__ import annotations

HOSTILE = {
    "clipboard": "\x1b]52;c;cm0gLXJmIC8=\x07",
    "colour": "\x1b[8mhidden\x1b[0m",
    "cursor": "\x1b[2J\x1b[Hrun it? [y]es",
    "title": "\x1b]0;root@host\x07",
    "link": "\x1b]8;;http://evil.example\x1b\\bank\x1b]8;;\x1b\\",
    "eight bit": "\x9b31m\x9d52;c;eA==\x9c",
    "device": "\x1bP$q\x1b\\\x1b_G\x1b\\",
    "return": "rm -rf /\rls       ",
    "backspace": "evil\b\b\b\bgood",
    "bidi": "photo_\u202egnp.exe",
    "isolate": "\u2066a\u2069\u061c",
    "zero width": "pay\u200bpal",
    "tag": "a\U000e0041b",
    "separator": "one\u2028two\u2029three\x85four\x0bfive\x0csix",
    "surrogate": "half \ud83d of it",
    "entity": "&#13;&#x202e;&#x200b;&lrm;&#27;[31m",
    "nul": "a\x00b",
}


def obeyed(text: str) -> list[str]:
    """The characters in *text* that a terminal would obey or nobody would see.

    Joiners are left out: within a composed emoji they are all right.
    """
    return [char for char in text if not (char.isprintable() or char in "\n\u200d")]
