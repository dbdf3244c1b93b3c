"""Writing what a probe found best into ``toolproto.toml``, and nothing else of the file.

tomlkit keeps the comments, the order and the spaces of what it does not touch. Before anything is
written, the new text is read by Python's own reader too: if more would differ than was meant, the
file stays as it is and the reader is told what to write by hand.
"""

from __future__ import annotations

import os
import re
import tempfile
import tomllib
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError

from ..protocol.describe.styles import get_style
from ..protocol.errors import UsageError
from ..protocol.paradigms.teaching import PRESETS
from ..testing.probe import Arm
from ..testing.probe.arms import NATIVE

__all__ = ["choice_of", "save_choice", "with_choice"]


def save_choice(path: Path, model: str, arm: Arm, *, tried_native: bool = False) -> bool:
    """Have ``[models."…"]`` of the file at *path* name *arm*; whether anything changed.

    Where the service's own tools were tried, it says whether to use them.

    The file is replaced in one step, or not at all. UsageError if it is not TOML, or has something
    else than tables there.
    """
    target = Path(os.path.realpath(path))  # a link stays one
    before = _read(target)
    choice = choice_of(arm)
    if tried_native:
        choice = {"native": "never", **choice}
    after = with_choice(before, model, choice, str(path))
    if after == before and target.exists():
        return False
    _replace(target, after)
    return True


def choice_of(arm: Arm) -> dict[str, str | bool]:
    """Return what the settings say about a model for which *arm* was best."""
    if arm == NATIVE:  # the paradigm is what a session falls back to, and was not tried by this
        return {"native": "auto"}
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
    """Return the settings *text* with *choice* in its table of *model*, all else as it was."""
    wanted = _parsed(text, name)
    models = wanted.setdefault("models", {})
    table = models.setdefault(model, {}) if isinstance(models, dict) else None
    if isinstance(table, dict):
        table.update(choice)
        # tomlkit refuses what it cannot keep the form of: a table inside an inline one.
        with suppress(TOMLKitError, ValueError):
            after = _edited(text, model, choice)
            if tomllib.loads(after) == wanted:
                return after
    lines = tomlkit.dumps(choice).splitlines()
    raise UsageError(
        f"{name} has [models.{tomlkit.key(model).as_string()}] in a form that cannot be edited; "
        f"write there yourself: {', '.join(lines)}"
    )


def _parsed(text: str, name: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise UsageError(f"{name} is not TOML: {error}") from None


def _edited(text: str, model: str, choice: Mapping[str, str | bool]) -> str:
    document = tomlkit.parse(text)
    models: Any = document.setdefault("models", tomlkit.table(is_super_table=True))
    table = models.setdefault(model, tomlkit.table())
    for key, value in choice.items():
        if key not in table or table[key] != value:
            table[key] = value
    after = tomlkit.dumps(document)
    # New tables come with line feeds alone, whatever the rest of the file has.
    if text.count("\r\n") == text.count("\n") > 0:
        return re.sub(r"(?<!\r)\n", "\r\n", after)
    return after


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
