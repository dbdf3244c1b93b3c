"""Whether the settings of a folder may choose code, addresses and variables.

Somebody who changes into a folder has not read its ``toolproto.toml``, and it could have a key sent
away, or Python run. So a folder is asked about once, and remembered by its path and by the digest
of the file and of all files that it has loaded: if one changed, it is asked about again. Until then
its settings may choose what does no harm (``HARMLESS``). A file that is named with ``--config`` was
chosen by whoever named it.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..protocol.errors import UsageError
from ..protocol.foreign_text import visible
from .console import err
from .loaded_files import digest_of_files, loaded_files
from .state import state_folder

__all__ = ["FolderTrust", "Trusted", "is_harmless", "risky_settings"]

#: What settings may choose unasked: how much is shown, and how a model is taught and sampled.
HARMLESS = frozenset(
    {"describe", "teaching", "examples", "reasks", "constrain", "thinking", "temperature"}
    | {"max-tokens", "seed", "max-requests", "budget", "json", "whole", "limit", "vision"}
    | {"native", "rescue"}
)
#: Settings that name a program, those that name code, and those that say where something is sent.
_RUN = frozenset({"command", "args", "env", "cwd"})
_LOADED = frozenset({"tools", "paradigm"})
_SENT = ("url", "endpoint", "upstream", "header", "key", "env", "mcp", "service", "dialect")


def is_harmless(name: str, value: Any) -> bool:
    """Whether a setting may hold whoever wrote it; a *name* may have small lines or hyphens."""
    name = name.replace("_", "-")
    if name == "paradigm":
        from ..protocol.paradigms import list_paradigms

        # Any other name may be that of a Python file here.
        return value == "auto" or (isinstance(value, str) and value in list_paradigms())
    return name in HARMLESS or (name, value) == ("guard", "strict")


def risky_settings(values: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """What of a settings file is not harmless, by its full name."""
    for name, value in values.items():
        if not prefix and name == "prices":  # they are only shown
            continue
        if isinstance(value, Mapping) and prefix.count(".") < 2:
            yield from risky_settings(value, f"{prefix}{name}.")
        elif not is_harmless(name, value):
            yield f"{prefix}{name}", value


class Trusted:
    """The folders that were trusted, in the user's state directory."""

    def __init__(self, path: Path | None = None) -> None:
        self.path = path or state_folder() / "trusted.json"

    def all(self) -> dict[str, str]:
        """Digests by folder; a file that cannot be read has none."""
        try:
            found = json.loads(self.path.read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError):
            return {}
        if not isinstance(found, dict):
            return {}
        return {key: each for key, each in found.items() if isinstance(each, str)}

    def remember(self, folder: str, digest: str) -> None:
        """Trust *folder* while its settings have *digest*."""
        self._write({**self.all(), folder: digest})

    def forget(self, folder: str) -> bool:
        """Trust *folder* no more; whether it was."""
        known = self.all()
        if folder not in known:
            return False
        self._write({key: each for key, each in known.items() if key != folder})
        return True

    def _write(self, known: Mapping[str, str]) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        draft = self.path.with_name(f"{self.path.name}.{os.getpid()}")
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | getattr(os, "O_NOFOLLOW", 0)
        with os.fdopen(os.open(draft, flags, 0o600), "w", encoding="utf-8") as file:
            json.dump(known, file, indent=1)
        draft.replace(self.path)


@dataclass(slots=True)
class FolderTrust:
    """Whether the settings file at *path*, which says *content*, is trusted; asked when needed."""

    path: Path
    content: bytes
    values: Mapping[str, Any]
    trusted: Trusted = field(default_factory=Trusted)
    _answer: bool | None = None

    @property
    def folder(self) -> str:
        """What the folder is remembered by."""
        return str(self.path.absolute().parent.resolve())

    @property
    def is_known(self) -> bool:
        """Whether the folder was trusted with just these settings."""
        return self.trusted.all().get(self.folder) == self._digest(self.content, self.values)

    def require(self, what: str) -> None:
        """Raise UsageError unless the setting *what* may be used; a person is asked once."""
        if self._answer is None:
            self._answer = self.is_known or (_is_attended() and self._ask())
        if not self._answer:
            raise UsageError(
                f"{self.path} chooses {what!r}, and this folder is not trusted, or what it loads "
                "has changed: read the file, then run `toolproto trust`, "
                f"or name it with --config {self.path}"
            )

    def remember(self, content: bytes | None = None) -> None:
        """Trust the folder from now on, with *content* if the file was changed by us."""
        if content is None:
            digest = self._digest(self.content, self.values)
        else:
            digest = self._digest(content, tomllib.loads(content.decode("utf-8")))
        self.trusted.remember(self.folder, digest)

    def shown(self) -> Iterator[str]:
        """All that the file chooses and that needs trust, whole, what could do most harm first.

        Behind what runs stand the files that are loaded.
        """
        risky = sorted(risky_settings(self.values), key=lambda each: _harm(each[0]))
        lines = [(_harm(name), f"{name} = {value!r}") for name, value in risky]
        yield from (visible(line) for harm, line in lines if harm < 2)
        yield from (visible(f"loads {path}") for path in self._loaded(self.values))
        yield from (visible(line) for harm, line in lines if harm >= 2)

    def _loaded(self, values: Mapping[str, Any]) -> list[Path]:
        return loaded_files(dict(risky_settings(values)), Path(self.folder))

    def _digest(self, content: bytes, values: Mapping[str, Any]) -> str:
        """The digest of settings that say *content*, and of the files that they have loaded."""
        files = digest_of_files(self._loaded(values))
        return hashlib.sha256(content + files.encode()).hexdigest()

    def _ask(self) -> bool:
        import click

        say: Callable[..., None] = err().print
        say(f"{self.path} is new here ({visible(self.folder)}), and chooses:", markup=False)
        for line in self.shown():
            say(f"  {line}", markup=False, soft_wrap=True)
        question = "Use it, and do not ask again until it or a file it loads changes? [y/N] "
        say(question, end="", markup=False)
        answer = click.getchar().lower() == "y"
        say("yes" if answer else "no")
        if answer:
            self.remember()
        return answer


def _is_attended() -> bool:
    return sys.stdin.isatty() and sys.stderr.isatty()


def _harm(name: str) -> int:
    """How far down the setting *name* is shown: what runs stands above what sends something."""
    last = name.rpartition(".")[2].replace("_", "-")
    if last in _RUN:
        return 0
    if last in _LOADED:
        return 1
    return 2 if any(word in last for word in _SENT) else 3
