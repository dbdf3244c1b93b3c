"""What llama.cpp prints instead of reporting it: why a grammar cannot be used."""

from __future__ import annotations

import os
import tempfile
from threading import Lock
from typing import IO, Self

__all__ = ["Overhearing"]

_STDERR = 2
_MARK = b"error parsing grammar: "
#: The standard error belongs to the whole process: one at a time.
_lock = Lock()


class Overhearing:
    """Listens on the process's standard error until :meth:`complaint` is asked for.

    That is done within a millisecond. Anything else that is written meanwhile, by another thread,
    comes through when it is over.
    """

    def __init__(self) -> None:
        self._told: IO[bytes] | None = None
        self._real = -1

    def __enter__(self) -> Self:
        try:
            told = tempfile.TemporaryFile(buffering=0)
            self._real = os.dup(_STDERR)
        except OSError:  # no standard error, or no room: then nothing is overheard
            return self
        _lock.acquire()
        self._told = told
        os.dup2(told.fileno(), _STDERR)
        return self

    def __exit__(self, *_: object) -> None:
        self.complaint()

    def complaint(self) -> str:
        """Stop listening; what was wrong with the grammar, empty for nothing."""
        if self._told is None:
            return ""
        with self._told as told:
            os.dup2(self._real, _STDERR)
            os.close(self._real)
            self._told = None
            _lock.release()
            told.seek(0)
            heard = told.read()
        if _MARK in heard:
            return heard.partition(_MARK)[2].decode("utf-8", "replace").partition("\n")[0][:300]
        if heard:
            os.write(_STDERR, heard)
        return ""
