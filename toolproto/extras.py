"""The command that installs an extra, for an error that says what is missing.

The package may have come from a clone or a wheel, and then ``pip install 'toolproto[sql]'`` would
look for it in vain. Where it came from is what pip wrote down.
"""

from __future__ import annotations

import json
from importlib import metadata
from pathlib import Path
from urllib.parse import unquote, urlsplit

__all__ = ["install_command"]


def install_command(extra: str, *, newer: bool = False) -> str:
    """``pip install …`` for the *extra*, from wherever this toolproto came."""
    editable, source = _origin()
    options = [*(["-U"] if newer else []), *(["-e"] if editable else [])]
    return " ".join(["pip install", *options, f"'{source}[{extra}]'"])


def _origin() -> tuple[bool, str]:
    """Whether it is a clone that is worked on, and what pip was given; its name, if unknown."""
    try:
        told = json.loads(metadata.distribution("toolproto").read_text("direct_url.json") or "{}")
        parts = urlsplit(told["url"])
        path = Path(unquote(parts.path))
    except (
        metadata.PackageNotFoundError,
        ValueError,
        KeyError,
        TypeError,
        AttributeError,
        OSError,
    ):
        return False, "toolproto"
    if parts.scheme != "file" or not path.exists():
        return False, "toolproto"
    return bool(told.get("dir_info", {}).get("editable")), _short(path)


def _short(path: Path) -> str:
    here = Path.cwd()
    if path == here:
        return "."
    return f"./{path.relative_to(here)}" if path.is_relative_to(here) else str(path)
