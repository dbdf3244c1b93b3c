"""A model in memory: loaded once per file, answering one request after the other."""

from __future__ import annotations

import atexit
import ctypes
import os
from collections import deque
from pathlib import Path
from threading import Lock, Thread
from typing import Any
from weakref import WeakValueDictionary

from ...protocol.errors import EndpointError, ToolProtoError
from .job import GenerationJob
from .loading import EngineOptions, load_model
from .models import check_known
from .overhearing import Overhearing

__all__ = ["Engine", "get_engine"]


class Engine:
    """The model in *path*, loaded when the first request comes.

    Requests wait for their turn in the order they came. The thread that serves them ends when
    there are none left.
    """

    def __init__(self, path: Path, options: EngineOptions) -> None:
        self._path = path
        self._options = options
        self._server: Any = None
        self._lock = Lock()
        #: The one being answered stands first.
        self._jobs: deque[GenerationJob] = deque()
        self._thread: Thread | None = None

    def submit(self, job: GenerationJob) -> None:
        """Answer *job* when its turn comes; returns at once."""
        with self._lock:
            self._jobs.append(job)
            if self._thread is None:
                # A daemon: a reply that nobody reads must not keep the program from ending.
                self._thread = Thread(target=self._work, name="toolproto-local", daemon=True)
                self._thread.start()

    def stop(self) -> None:
        """Cancel every request, and wait until the model is at rest."""
        with self._lock:
            thread = self._thread
            for job in self._jobs:
                job.cancel()
        if thread is not None:
            thread.join()

    def lose(self) -> None:
        """Give up in a forked process, which has the memory of llama.cpp but not its threads."""
        # Never freed: that would wait for a thread which is not there.
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(self._server))
        self._server = None
        self._lock, self._jobs, self._thread = Lock(), deque(), None

    def _work(self) -> None:
        while (job := self._first()) is not None:
            self._answer(job)
            with self._lock:
                self._jobs.popleft()

    def _first(self) -> GenerationJob | None:
        with self._lock:
            if self._jobs:
                return self._jobs[0]
            self._thread = None
            return None

    def _answer(self, job: GenerationJob) -> None:
        try:
            if not job.cancelled:
                self._server = self._server or self._loaded()
                self._ask(job)
            job.finish()
        except ToolProtoError as error:
            job.fail(error)
        except Exception as error:  # whatever the library raises for a request it cannot read
            job.fail(EndpointError(f"llama.cpp refuses the request: {error}"))

    def _loaded(self) -> Any:
        check_known(self._path)
        return load_model(self._path, self._options)

    def _ask(self, job: GenerationJob) -> None:
        if not job.has_grammar:
            self._server.handle_chat_completions(job.body, job.take)
            return
        with Overhearing() as overhearing:

            def take(frame: bytes) -> bool:
                job.complaint = job.complaint or overhearing.complaint()
                return job.take(frame)

            self._server.handle_chat_completions(job.body, take)


_engines: WeakValueDictionary[tuple[Path, EngineOptions], Engine] = WeakValueDictionary()
_lock = Lock()


def get_engine(path: Path, options: EngineOptions) -> Engine:
    """The engine of *path*: the same for all who ask for it with the same options."""
    with _lock:
        return _engines.setdefault((path, options), Engine(path, options))


def _stop_all() -> None:
    for engine in list(_engines.values()):
        engine.stop()


def _lose_all() -> None:
    for engine in list(_engines.values()):
        engine.lose()


# A thread that is still in llama.cpp while Python goes away ends the process with a crash.
atexit.register(_stop_all)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_lose_all)
