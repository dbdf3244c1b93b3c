"""Writing what a probe found best into ``toolproto.toml``, and nothing else of the file.

Python reads TOML and does not write it. A library that does would bring the whole file through
its own writer; here, lines are put in or replaced, and then both files are read and held against
each other. If more would differ than was meant, nothing is written and the reader is told what to
write by hand. So every file keeps its comments, order and line ends, and none is spoilt.
"""

from __future__ import annotations

import json
import os
import re
import tempfile
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from copy import deepcopy
from pathlib import Path
from typing import Any

from ..describe.styles import get_style
from ..errors import UsageError
from ..paradigms.teaching import PRESETS
from .arms import Arm

__all__ = ["choice_of", "save_choice", "with_choice"]

_HEAD = re.compile(r"^[ \t]*\[[^\r\n]*\][ \t]*(?:#[^\r\n]*)?(?:\r?\n|\Z)", re.MULTILINE)
#: A value as we write it, up to the end of its line or a comment.
_VALUE = r"(\"(?:[^\"\\\r\n]|\\.)*\"|'[^'\r\n]*'|true|false)(?=[ \t]*(?:#|\r?\n|\Z))"


def save_choice(path: Path, model: str, arm: Arm) -> bool:
    """Have ``[models."…"]`` of the file at *path* name *arm*; whether anything changed.

    The file is replaced in one step, or not at all. UsageError if it is not TOML, or has that
    table in a form that cannot be edited line by line.
    """
    target = Path(os.path.realpath(path))  # a link stays one
    before = _read(target)
    after = with_choice(before, model, choice_of(arm), str(path))
    if after == before and target.exists():
        return False
    _replace(target, after)
    return True


def choice_of(arm: Arm) -> dict[str, str | bool]:
    """What the settings say about a model for which *arm* was best."""
    # All is written down, the paradigm's own ways too: an older choice may stand in the table.
    made = arm.made()
    preset = next((name for name, each in PRESETS.items() if each == made.teaching), "")
    return {
        "paradigm": arm.paradigm,
        **({"teaching": preset} if preset else {}),
        "describe": get_style(made.presentation.style).name,
        "examples": arm.examples,
    }


def with_choice(
    text: str, model: str, choice: Mapping[str, str | bool], name: str = "toolproto.toml"
) -> str:
    """The settings *text* with *choice* in its table of *model*, all else as it was."""
    wanted = deepcopy(_parsed(text, name))
    models = wanted.setdefault("models", {})
    table = models.setdefault(model, {}) if isinstance(models, dict) else None
    if isinstance(table, dict):
        table.update(choice)
        for candidate in (*_edited(text, model, choice), _appended(text, model, choice)):
            with suppress(tomllib.TOMLDecodeError):
                if tomllib.loads(candidate) == wanted:
                    return candidate
    told = ", ".join(_lines(choice))
    raise UsageError(
        f"{name} has [models.{_written(model)}] in a form that cannot be edited; "
        f"write there yourself: {told}"
    )


def _parsed(text: str, name: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise UsageError(f"{name} is not TOML: {error}") from None


def _appended(text: str, model: str, choice: Mapping[str, str | bool]) -> str:
    end = _line_end(text)
    gap = "" if not text else end if text.endswith("\n") else end * 2
    return f"{text}{gap}{_table(model, choice, end)}"


def _edited(text: str, model: str, choice: Mapping[str, str | bool]) -> Iterator[str]:
    """*text* with *choice* behind each line that may be the head of the table of *model*.

    Such a line may as well stand inside a string of many lines: reading the outcome tells.
    """
    for head in _HEAD.finditer(text):
        if _is_head(head.group(), model):
            gap = "" if head.group().endswith("\n") else _line_end(text)
            changed = _changed(text[head.end() :], choice, _line_end(text))
            yield f"{text[: head.end()]}{gap}{changed}"


def _is_head(line: str, model: str) -> bool:
    try:
        return tomllib.loads(line) == {"models": {model: {}}}
    except tomllib.TOMLDecodeError:
        return False


def _changed(rest: str, choice: Mapping[str, str | bool], end: str) -> str:
    """*rest*, which follows the head of the table, with its keys set or put in front."""
    section = re.search(r"^[ \t]*\[", rest, re.MULTILINE)
    own, after = (rest[: section.start()], rest[section.start() :]) if section else (rest, "")
    missing = []
    for key, value in choice.items():
        found = re.search(rf"^([ \t]*{key}[ \t]*=[ \t]*){_VALUE}", own, re.MULTILINE)
        if found is None:
            missing.append(f"{key} = {_written(value)}{end}")
        else:
            own = own[: found.end(1)] + _written(value) + own[found.end() :]
    return "".join(missing) + own + after


def _table(model: str, choice: Mapping[str, str | bool], end: str) -> str:
    return end.join([f"[models.{_written(model)}]", *_lines(choice), ""])


def _lines(choice: Mapping[str, str | bool]) -> list[str]:
    return [f"{key} = {_written(value)}" for key, value in choice.items()]


def _written(value: str | bool) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    # JSON's strings are TOML's, but for one character that TOML does not allow bare.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _line_end(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _read(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8") if path.exists() else ""
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is not TOML: {error}") from None


def _replace(path: Path, text: str) -> None:
    mode = path.stat().st_mode & 0o777 if path.exists() else 0o644
    handle, beside = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(text.encode("utf-8"))
        os.chmod(beside, mode)
        os.replace(beside, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(beside)
        raise
