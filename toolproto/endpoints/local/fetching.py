"""Fetching a large file: going on where it stopped, and checked when it is whole."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from http.client import HTTPException
from pathlib import Path
from typing import IO, Any
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

from ...errors import EndpointError, WireError

__all__ = ["Progress", "RemoteFile", "check_file", "fetch", "size_of"]

#: Told the bytes that are here, and the bytes there will be, if that is known.
Progress = Callable[[int, int | None], None]

_PIECE = 256 * 1024
#: Seconds without a byte after which a connection counts as broken.
_SILENCE = 30.0
#: Connections that may break in one go, if each has brought something.
_ATTEMPTS = 5


@dataclass(frozen=True, slots=True)
class RemoteFile:
    """A file elsewhere, and what it has to be. Its *url* may hold a key and is never shown."""

    name: str
    url: str
    size: int | None = None
    sha256: str | None = None


def fetch(file: RemoteFile, part: Path, progress: Progress) -> None:
    """Bring *file* to *part*, which may hold its beginning already, and check it.

    Raises EndpointError if it does not come; what came stays for the next time. Raises WireError if
    something else came; nothing stays.
    """
    for left in reversed(range(_ATTEMPTS)):
        before = size_of(part)
        try:
            _fetch_rest(file, part, progress)
            break
        except EndpointError:
            if not left or size_of(part) <= before:
                raise
    check_file(part, file)


def check_file(path: Path, file: RemoteFile) -> None:
    """Raise WireError, and remove *path*, unless it holds *file*."""
    if file.size is not None and size_of(path) != file.size:
        fault = f"{size_of(path)} bytes instead of {file.size}"
    elif file.sha256 is not None and _digest(path) != file.sha256:
        fault = f"a wrong checksum, not SHA-256 {file.sha256}"
    else:
        return
    path.unlink(missing_ok=True)
    raise WireError(f"{file.name} arrived with {fault}, and was deleted; try again")


def size_of(path: Path) -> int:
    """Bytes in *path*, none if there is no such file."""
    return path.stat().st_size if path.exists() else 0


def _fetch_rest(file: RemoteFile, part: Path, progress: Progress) -> None:
    have = size_of(part)
    answer = _open(file, have)
    if answer is None:
        return
    with answer:
        have = have if _continues(answer, have) else 0
        length = answer.headers.get("Content-Length") or ""
        total = have + int(length) if length.isdecimal() else file.size
        with part.open("ab" if have else "wb") as sink:
            _copy(file, answer, sink, have, total, progress)


def _open(file: RemoteFile, have: int) -> Any:
    """The answer that brings *file* from byte *have* on; None if there is nothing after it."""
    headers = {"User-Agent": "toolproto"} | ({"Range": f"bytes={have}-"} if have else {})
    try:
        return urlopen(Request(file.url, headers=headers), timeout=_SILENCE)
    except HTTPError as error:
        error.close()
        if error.code == 416 and have:
            return None
        told = f"{file.name}: the answer was {error.code} {error.reason}"
        raise EndpointError(told, status=error.code) from None
    except (OSError, HTTPException, ValueError) as error:
        raise _broken(file, error) from None


def _continues(answer: Any, have: int) -> bool:
    """Whether *answer* begins where we stopped: a server may send all of it instead."""
    span = answer.headers.get("Content-Range") or ""
    return bool(have) and answer.status == 206 and span.startswith(f"bytes {have}-")


def _copy(
    file: RemoteFile,
    answer: Any,
    sink: IO[bytes],
    have: int,
    total: int | None,
    progress: Progress,
) -> None:
    progress(have, total)
    while piece := _read(file, answer):
        sink.write(piece)
        have += len(piece)
        progress(have, total)
        if file.size is not None and have > file.size:
            return  # somebody sends without end; what there is is too much already
    if total is not None and have < total:
        raise _broken(file, ConnectionError("the connection ended too early"))


def _read(file: RemoteFile, answer: Any) -> bytes:
    try:
        piece: bytes = answer.read(_PIECE)
    except (OSError, HTTPException, ValueError) as error:
        raise _broken(file, error) from None
    return piece


def _broken(file: RemoteFile, error: Exception) -> EndpointError:
    reason = error.reason if isinstance(error, URLError) else error
    return EndpointError(
        f"{file.name} could not be fetched: {reason or type(error).__name__}; "
        "the same command continues where it stopped"
    )


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
