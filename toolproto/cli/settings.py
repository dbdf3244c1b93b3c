"""What ``toolproto.toml`` says.

::

    endpoint = "http://localhost:8080/v1"      # for every command that has such an option
    model = "qwen2.5-0.5b"

    [chat]                                     # for one command
    tools = ["./my_tools.py"]

    [models."qwen2.5-0.5b"]                    # for one model; `toolproto probe` writes it
    paradigm = "hermes"

An option on the command line wins over the environment, and that over the file. The file is
read from the current folder only, and like a Makefile it is trusted: it can name Python files to
load.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..errors import UsageError

__all__ = ["FILE", "Settings", "load_settings"]

FILE = Path("toolproto.toml")
_MODEL_KEYS = frozenset(
    {"paradigm", "describe", "examples", "reasks", "constrain", "guard", "vision"}
)


@dataclass(frozen=True, slots=True)
class Settings:
    """The values of a settings file; none, if there is no file."""

    path: Path | None = None
    values: Mapping[str, Any] = field(default_factory=dict)

    def shared(self) -> dict[str, Any]:
        """What holds for every command that has an option of that name."""
        return {key: value for key, value in self.values.items() if not isinstance(value, dict)}

    def table(self, command: str) -> dict[str, Any]:
        """What holds for *command* alone."""
        return self._table(command)

    def for_model(self, model: str) -> dict[str, Any]:
        """What was found best for *model*: ``paradigm``, ``describe``, ``examples``."""
        found = self._table("models").get(model, {})
        if not isinstance(found, dict) or not found.keys() <= _MODEL_KEYS:
            raise UsageError(
                f'{self.path}: [models."{model}"] may hold {", ".join(sorted(_MODEL_KEYS))} only'
            )
        return found

    def _table(self, name: str) -> dict[str, Any]:
        found = self.values.get(name, {})
        if not isinstance(found, dict):
            raise UsageError(f"{self.path}: {name!r} is to be a table, like [{name}]")
        return found


def load_settings(path: Path | None = None) -> Settings:
    """The settings in *path*; without one, those of the current folder, if it has any."""
    if path is None and not FILE.is_file():
        return Settings()
    path = path or FILE
    try:
        return Settings(path, tomllib.loads(path.read_text(encoding="utf-8")))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} is not TOML: {error}") from None
