"""Filling placeholders with their values, in text that may arrive in pieces."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping

__all__ = ["PREFIX", "Filling", "JsonFilling", "Placeholders"]

#: What every placeholder begins with, and has nowhere else.
PREFIX = "PRIVATE-"


class Placeholders:
    """Values by placeholder. No placeholder is the beginning of another."""

    def __init__(self, values: Mapping[str, str]) -> None:
        self.values = values
        self._pattern = re.compile("|".join(map(re.escape, values)) or r"(?!)")
        self._longest = max(map(len, values), default=0)
        self._beginnings = frozenset(each[:end] for each in values for end in range(1, len(each)))

    def fill(self, text: str) -> str:
        """*text* with the values in it."""
        return self._pattern.sub(lambda found: self.values[found.group()], text)

    def certain(self, text: str) -> int:
        """How much of *text* is settled whatever comes behind it."""
        # A placeholder may well end in the letter that another begins with.
        settled = max((found.end() for found in self._pattern.finditer(text)), default=0)
        start = text.find(PREFIX[0], max(settled, len(text) - self._longest))
        while start >= 0 and text[start:] not in self._beginnings:
            start = text.find(PREFIX[0], start + 1)
        return len(text) if start < 0 else start

    def in_json(self) -> Placeholders:
        """The same for JSON text: values as they stand between quotes."""
        return Placeholders(
            {own: json.dumps(value, ensure_ascii=False)[1:-1] for own, value in self.values.items()}
        )


class Filling:
    """One text in pieces; at most a placeholder's beginning is held back."""

    def __init__(self, placeholders: Placeholders) -> None:
        self._placeholders = placeholders
        self._held = ""

    def feed(self, piece: str) -> str:
        """What has become certain."""
        text = self._held + piece
        end = self._placeholders.certain(text)
        self._held = text[end:]
        return self._placeholders.fill(text[:end])

    def finish(self) -> str:
        """What was held back and is no placeholder."""
        held, self._held = self._held, ""
        return held


class JsonFilling:
    r"""One JSON text in pieces, in which a placeholder may be written with ``\u`` escapes."""

    def __init__(self, placeholders: Placeholders) -> None:
        self._filling = Filling(placeholders)
        self._begun = ""  # an escape

    def feed(self, piece: str) -> str:
        """What has become certain; letters, digits and hyphens in it are written plainly."""
        text = self._begun + piece
        end = _last_escape_begun(text)
        self._begun = text[end:]
        return self._filling.feed(_ESCAPE.sub(_plainly, text[:end]))

    def finish(self) -> str:
        """What was held back and is no placeholder."""
        begun, self._begun = self._begun, ""
        return self._filling.finish() + begun


_ESCAPE = re.compile(r"\\(?:u00([2-7][0-9a-fA-F])|[^u])", re.DOTALL)
_LONGEST_ESCAPE = len(r"\u0000")


def _plainly(escape: re.Match[str]) -> str:
    char = chr(int(escape.group(1), 16)) if escape.group(1) else ""
    return char if char.isalnum() or char == "-" else escape.group()


def _last_escape_begun(text: str) -> int:
    """Where the escape begins that *text* ends in the middle of; the end if it does not."""
    at = text.rfind("\\", max(0, len(text) - _LONGEST_ESCAPE + 1))
    if at < 0 or (at + 1 < len(text) and text[at + 1] != "u"):
        return len(text)
    before = text[:at]
    is_escaped = (at - len(before.rstrip("\\"))) % 2 == 1
    return len(text) if is_escaped else at
