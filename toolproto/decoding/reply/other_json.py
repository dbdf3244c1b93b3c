"""A JSON object in prose that is no call, so that what looks like a call inside it is data."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ..source import Pull
from .markers import NO

if TYPE_CHECKING:
    from .attempts import Attempts

_BODY = re.compile(r'[^"\\]*+(?:\\.[^"\\]*+)*+', re.DOTALL)
_NOTHING = re.compile(r'[^\S\n]++|[^\s{}\[\],:"<]++')
_LONGEST_KEY = 100  # of which it is known what is in it


def read_other_json(reader: Attempts) -> Pull[bool]:
    """Say such an object to its end. Only double quotes quote in it.

    It is over, too, where it shows that it was no JSON: at a blank line, or before the marker of a
    call outside a string. True where the member of the object itself that holds calls opens a list:
    of calls after all, behind members nobody asked for.
    """
    source, wrapper = reader.source, reader.form.shape.wrapper
    depth = newlines = 0
    key, calls_next = "", False
    while char := (yield from source.peek()):
        if char == "\n":
            newlines += 1
            reader.say(source.at + 1)
            if newlines == 2:
                return False
        elif nothing := _NOTHING.match(source.text, source.at):
            newlines = newlines if char.isspace() else 0
            reader.say(nothing.end())
        elif char == "<" and (yield from source.ask(reader.landmarks.of_calls.end_at)) != NO:
            return False
        else:
            reader.say(source.at + 1)
            if char == "[" and calls_next:
                return True
            newlines, calls_next = 0, char == ":" and depth == 1 and key == wrapper
            depth += (char in "{[") - (char in "}]")
            if depth <= 0:
                return False
            if char == '"':
                key = yield from _string(reader)
    return False


def _string(reader: Attempts) -> Pull[str]:
    """Say a string to behind its closing quote; what it says, as far as that may be a key."""
    source, body = reader.source, ""
    while (yield from source.peek()):
        at, end = source.at, _BODY.match(source.text, source.at).end()  # type: ignore[union-attr]
        if len(body) < _LONGEST_KEY:
            body += source.text[at:end]
        reader.say(end)
        if source.text[end : end + 1] == '"':
            reader.say(end + 1)
            break
        if source.text[end:] and len((yield from source.peek(2))) < 2:
            reader.say(source.at + 1)  # half an escape, with which the reply ends
    return body
