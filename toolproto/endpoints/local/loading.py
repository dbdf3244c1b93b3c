"""Loading a model with llama.cpp, and finding out why that failed.

llama.cpp comes as a whole server inside ``xllamacpp``. It is called as a function, but it insists
on listening on the loopback address as well, so a random key that nobody knows locks that door.
It is told to log nothing. When loading fails, a child process tries again with the errors logged:
the log goes to the standard error of the process, which is not ours to redirect.
"""

from __future__ import annotations

import os
import re
import secrets
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...package import install_command
from ...protocol.errors import EndpointError, UsageError

__all__ = ["EngineOptions", "load_model"]

#: Tokens of a prompt that are read at a stretch. Only between two stretches can a request be
#: stopped, and longer ones are hardly quicker on a processor.
_STRETCH = 64
_SILENT, _ERRORS = -1, 1
#: Seconds for finding out why a model cannot be loaded.
_PATIENCE = 120.0
_FIRST_ERROR = re.compile(r"^[0-9.]+ E (?:[^:\n]{0,80}: )?(.{1,300})", re.MULTILINE)
_FORKED = (
    "llama.cpp does not work in a process that was forked after a model was loaded; "
    "start the process with 'spawn', or load the model after the fork"
)
#: The process that loaded a model, where one has.
_loaded_by: int | None = None


@dataclass(frozen=True, slots=True)
class EngineOptions:
    """How a model is run: on how many threads, and with room for how many tokens."""

    threads: int = 1
    context: int = 4096

    def __post_init__(self) -> None:
        for name in ("threads", "context"):
            value = getattr(self, name)
            if type(value) is not int or value < 1:
                raise UsageError(f"{name} must be a positive whole number, not {value!r}")


def load_model(path: Path, options: EngineOptions) -> Any:
    """The ``xllamacpp.Server`` of the model in *path*; EndpointError with llama.cpp's reason."""
    global _loaded_by
    if _loaded_by not in (None, os.getpid()):
        raise EndpointError(_FORKED)
    _loaded_by = os.getpid()
    try:
        return _load(path, options, _SILENT)
    except RuntimeError:
        reason = _reason(path) or "llama.cpp cannot load it"
        raise EndpointError(f"{path.name} is not a usable model: {reason}") from None
    except AttributeError as error:
        raise EndpointError(
            f"this xllamacpp is too old ({error}): {install_command('local', newer=True)}"
        ) from None


def require_library() -> Any:
    """The module ``xllamacpp``, its threads told to sleep while they have nothing to do."""
    # Read when the library is loaded. Threads that wait busily for each other ran forty times
    # slower on a machine that had other work.
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    try:
        import xllamacpp
    except ImportError as error:
        raise UsageError(
            f"running a model in this process needs xllamacpp ({error}): {install_command('local')}"
        ) from None
    return xllamacpp


def _load(path: Path, options: EngineOptions, verbosity: int) -> Any:
    library = require_library()
    params = library.CommonParams()
    params.model.path = str(path)
    params.verbosity = verbosity
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = options.threads
    params.n_ctx = options.context
    params.n_batch = params.n_ubatch = _STRETCH
    params.n_parallel = 1
    params.warmup = False
    # Otherwise prompts that are no longer in use are kept in up to 8 GiB of memory.
    params.cache_ram_mib = 0
    # What the model writes is read by a paradigm, so llama.cpp must not read it first.
    params.force_pure_content_parser = True
    params.reasoning_format = library.common_reasoning_format.COMMON_REASONING_FORMAT_NONE
    params.ui = False
    params.endpoint_slots = False
    params.n_threads_http = 1
    params.api_keys = [secrets.token_hex(32)]
    return library.Server(params)


def _reason(path: Path) -> str:
    """Why *path* cannot be loaded, as llama.cpp puts it; empty if it does not say."""
    command = [sys.executable, "-m", __name__, str(path)]
    try:
        done = subprocess.run(
            command, capture_output=True, encoding="utf-8", errors="replace", timeout=_PATIENCE
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    found = _FIRST_ERROR.search(done.stderr)
    return found[1].strip() if found else ""


if __name__ == "__main__":
    _load(Path(sys.argv[1]), EngineOptions(), _ERRORS)
