"""Models on disk: a folder of GGUF files, and of notes on files that stand elsewhere."""

from __future__ import annotations

import difflib
import os
import re
from dataclasses import dataclass
from pathlib import Path

from ...errors import UsageError
from ...package import install_command

__all__ = [
    "DEFAULT_MODEL",
    "InstalledModel",
    "find_model",
    "installed_models",
    "kept_file",
    "model_name",
    "models_folder",
    "name_taken",
    "register",
    "remove_model",
]

#: What ``LocalEndpoint()`` runs, and what ``toolproto model pull smollm2`` gets.
DEFAULT_MODEL = "smollm2"
#: Names the folder, instead of the user's cache.
FOLDER_VARIABLE = "TOOLPROTO_MODELS"

_KEPT, _NOTE = ".gguf", ".path"
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
_ODD = re.compile(r"[^A-Za-z0-9._-]+")
#: A path is shorter than this on every system.
_LONGEST_NOTE = 10_000


@dataclass(frozen=True, slots=True)
class InstalledModel:
    """A model that can be asked for by its name; *kept* if the file is ours to remove."""

    name: str
    path: Path
    kept: bool

    @property
    def size(self) -> int | None:
        """Bytes of the file, None if it is gone."""
        try:
            return self.path.stat().st_size
        except (OSError, ValueError):
            return None


def models_folder() -> Path:
    """Where models are kept: ``TOOLPROTO_MODELS``, or a folder in the user's cache."""
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
    """Every model that was pulled, by name."""
    folder = models_folder()
    if not folder.is_dir():
        return []
    found = [_installed(entry) for entry in sorted(folder.iterdir())]
    return [model for model in found if model is not None]


def find_model(model: str | Path | None = None) -> Path:
    """The file of *model*: a name, a path, or None for the default one.

    Raises UsageError for one that is not there, or is no GGUF file.
    """
    known = {each.name: each.path for each in installed_models()}
    name = DEFAULT_MODEL if model is None else model
    if isinstance(name, str) and name in known:
        return _checked(known[name])
    path = Path(name).expanduser()
    if isinstance(name, str) and not path.exists() and path.name == name:
        raise _unknown(name, list(known))
    return _checked(path.absolute())


def remove_model(name: str) -> InstalledModel:
    """Forget the model *name*; a file that was only registered stays where it is."""
    models = {each.name: each for each in installed_models()}
    if name not in models:
        raise _unknown(name, list(models))
    (models_folder() / f"{name}{_KEPT if models[name].kept else _NOTE}").unlink(missing_ok=True)
    return models[name]


def register(name: str, path: Path) -> Path:
    """Make the file at *path* known as *name*, without copying it."""
    path = _checked(path.expanduser().absolute())
    _claim(name, path)
    folder = models_folder()
    folder.mkdir(parents=True, exist_ok=True)
    unfinished = folder / f".{name}{_NOTE}"
    unfinished.write_text(str(path), encoding="utf-8")
    unfinished.replace(folder / f"{name}{_NOTE}")
    return path


def kept_file(name: str) -> Path:
    """Where the file of the model *name* stands, or will stand; UsageError if it is another's."""
    path = models_folder() / f"{name}{_KEPT}"
    _claim(name, path)
    return path


def name_taken(name: str, path: Path) -> UsageError:
    """The error for a name that the model in *path* has already."""
    return UsageError(
        f"the name {name!r} is taken by {path}; choose another one (--name), "
        f"or free it: toolproto model remove {name}"
    )


def model_name(text: str) -> str:
    """*text* as the name of a model: the stem of a file, without what names cannot hold."""
    name = _ODD.sub("-", text).lstrip("._-")[:100]
    if not _NAME.fullmatch(name):
        raise UsageError(f"{text!r} cannot name a model; use letters, digits and . _ -")
    return name


def _claim(name: str, path: Path) -> None:
    taken = {each.name: each.path for each in installed_models()}.get(name, path)
    if taken != path:
        raise name_taken(name, taken)


def _installed(entry: Path) -> InstalledModel | None:
    if not _NAME.fullmatch(entry.stem) or not entry.is_file():
        return None
    if entry.suffix == _KEPT:
        return InstalledModel(entry.stem, entry, kept=True)
    if entry.suffix != _NOTE:
        return None
    with entry.open(encoding="utf-8", errors="replace") as note:
        return InstalledModel(entry.stem, Path(note.read(_LONGEST_NOTE)), kept=False)


def _checked(path: Path) -> Path:
    try:
        with path.open("rb") as file:
            beginning = file.read(4)
    except (OSError, ValueError) as error:  # a note may hold what can be no path
        reason = getattr(error, "strerror", None) or error
        raise UsageError(f"the model {path} cannot be read: {reason}") from None
    if beginning != b"GGUF":
        raise UsageError(f"{path} is not a model in a GGUF file: it begins with {beginning!r}")
    return path


def _unknown(name: str, known: list[str]) -> UsageError:
    near = difflib.get_close_matches(name, known, 1)
    if near:
        remedy = f"did you mean {near[0]!r}?"
    elif name == DEFAULT_MODEL:
        remedy = f"get it with: toolproto model pull {DEFAULT_MODEL}"
    else:
        remedy = "`toolproto model list` shows what there is, `toolproto model pull` gets more"
    return UsageError(f"there is no model {name!r} on this machine; {remedy}")
