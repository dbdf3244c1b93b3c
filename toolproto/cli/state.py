"""Where the command line keeps what it remembers."""

from __future__ import annotations

from pathlib import Path

from platformdirs import user_state_dir

__all__ = ["state_folder"]


def state_folder() -> Path:
    """Where programs keep such things on this machine."""
    return Path(user_state_dir("toolproto", appauthor=False))
