"""What ``toolproto.toml`` says.

::

    endpoint = "http://localhost:8080/v1"      # for every command that has such an option
    model = "qwen2.5-0.5b"

    [chat]                                     # for one command
    tools = ["./my_tools.py"]

    [models."qwen2.5-0.5b"]                    # for one model; `toolproto probe` writes it
    paradigm = "hermes"

An option on the command line wins over the environment, and that over the file. The file is
read from the current folder only. It can name Python files to load, and where a key is sent: that
needs trust, see ``trust.py``.
"""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from ..protocol.errors import UsageError
from .trust import FolderTrust, is_harmless

__all__ = ["FILE", "TABLES", "Settings", "load_settings"]

FILE = Path("toolproto.toml")
_LONGEST = 1024 * 1024
#: Tables that are no command's.
TABLES = ("models", "upstreams", "limits", "prices")
_MODEL_KEYS = frozenset(
    {"paradigm", "describe", "teaching", "examples", "reasks", "constrain", "guard", "vision"}
    | {"native", "rescue"}
)


@dataclass(frozen=True, slots=True)
class Settings:
    """The values of a settings file; none, if there is no file.

    *trust* is for a file that nobody named: what could do harm is used only if it is trusted.
    """

    path: Path | None = None
    values: Mapping[str, Any] = field(default_factory=dict)
    trust: FolderTrust | None = None

    def check(self, name: str, value: Any) -> None:
        """Raise UsageError for a setting that may not be used yet."""
        if self.trust is not None and not is_harmless(name, value):
            self.trust.require(name)

    def shared(self) -> dict[str, Any]:
        """What holds for every command that has an option of that name."""
        return {key: value for key, value in self.values.items() if not isinstance(value, dict)}

    def table(self, command: str) -> dict[str, Any]:
        """What holds for *command* alone; nobody has asked yet whether it may."""
        return self._table(command)

    def trusted_table(self, name: str) -> dict[str, Any]:
        """What stands under *name*, all of which may be used."""
        found = self._table(name)
        if found:
            self.check(name, found)
        return found

    def for_model(self, model: str) -> dict[str, Any]:
        """What was found best for *model*: ``paradigm``, ``describe``, ``examples``."""
        found = self._table("models").get(model, {})
        if not isinstance(found, dict) or not found.keys() <= _MODEL_KEYS:
            raise UsageError(
                f'{self.path}: [models."{model}"] may hold {", ".join(sorted(_MODEL_KEYS))} only'
            )
        for name, value in found.items():
            self.check(name, value)
        return found

    def check_tables(self, known: Collection[str]) -> None:
        """Raise UsageError for a table that is not one of *known*: nobody would ever read it."""
        for name, value in self.values.items():
            if isinstance(value, dict) and name not in known:
                near = get_close_matches(name, known, 1)
                hint = f"did you mean [{near[0]}]?" if near else f"there are {', '.join(known)}"
                raise UsageError(f"{self.path}: there is no table [{name}]; {hint}")

    def _table(self, name: str) -> dict[str, Any]:
        found = self.values.get(name, {})
        if not isinstance(found, dict):
            raise UsageError(f"{self.path}: {name!r} must be a table, like [{name}]")
        return found


def load_settings(path: Path | None = None, folder: Path | None = None) -> Settings:
    """The settings in *path*; without one, those of *folder*, or of the current one, if any."""
    place = path or (folder / FILE if folder else FILE)
    if path is None and not place.is_file():
        return Settings()
    with place.open("rb") as file:
        content = file.read(_LONGEST + 1)
    if len(content) > _LONGEST:
        raise UsageError(f"{place} is longer than {_LONGEST:,} bytes")
    try:
        values = tomllib.loads(content.decode("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise UsageError(f"{place} is not TOML: {error}") from None
    # Whoever names a file has chosen it.
    trust = FolderTrust(place, content, values) if path is None else None
    return Settings(place, values, trust)
