"""Does a larger JSON value hold this place? Strict JSON that began a line and is not over."""

from __future__ import annotations

import json
import re
from typing import NamedTuple, NoReturn

from .words import STOOD


def _refuse(word: str) -> NoReturn:
    raise ValueError(word)


# Only where it ends matters. `NaN` is no JSON; str makes nothing of numbers, whatever their length.
_decoder = json.JSONDecoder(parse_int=str, parse_float=str, parse_constant=_refuse)
# A line, or an item or quote on it, that begins with a bracket: `{`, `  [1,`, `- {"a":`, `1. [`
_BEGINS = re.compile(r"^(?:[ \t]*+(?:[-+*>]|[0-9]{1,9}[.)])(?=[ \t>{\[]))*+[ \t]*+(?=[{\[])", re.M)
_CONTENT = re.compile(r'["\w]')


class Reach(NamedTuple):
    """How far a text is strict JSON."""

    end: int
    is_open: bool  # it is so to its end, and the value is not complete
    content: bool  # it holds a string, a number or a word, not only brackets and calls


class OpenValue(NamedTuple):
    """A JSON value that is not complete at the end of a text."""

    start: int
    content: bool


def reach(text: str, start: int = 0) -> Reach:
    """Return how far *text* is strict JSON from the bracket at *start* on; a call is a value."""
    # As long as the word, so that offsets hold.
    values = text.replace(STOOD, "0 ")
    end, is_open = _read(values, start)
    return Reach(end, is_open, holds_content(text[start:end]))


def open_value(text: str) -> OpenValue | None:
    """Return the first value that began a line of *text* and is still open at its end."""
    if "{" not in text and "[" not in text:
        return None
    values, at = text.replace(STOOD, "0 "), 0
    while found := _BEGINS.search(values, at):
        start = found.end()
        end, is_open = _read(values, start)
        if is_open:
            return OpenValue(start, holds_content(text[start:]))
        # The line that broke it may begin another; lines before it cannot.
        at = max(values.rfind("\n", 0, end) + 1, start + 1)
    return None


def _read(text: str, start: int) -> tuple[int, bool]:
    try:
        return _decoder.raw_decode(text, start)[1], False
    except json.JSONDecodeError as error:
        if error.msg.startswith("Unterminated string"):
            return len(text), True
        return error.pos, error.pos >= len(text)
    except ValueError:
        return start, False
    except RecursionError:  # a thousand brackets deep: no reply of calls
        return len(text), True


def holds_content(text: str) -> bool:
    """Return True if *text*, of a value, is more than brackets and calls."""
    return bool(_CONTENT.search(text.replace(STOOD, "")))
