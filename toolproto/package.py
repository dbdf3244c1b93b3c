"""The package itself: its version, and the command that installs one of its extras.

Errors that miss a library name that command. The package may have come from a clone or a wheel,
where ``pip install 'toolproto[sql]'`` would find nothing, so pip's own note on the source is read.
"""

from __future__ import annotations

from pathlib import Path

__all__ = ["__version__", "install_command"]

__version__ = "0.2.0"


def install_command(extra: str, *, newer: bool = False) -> str:
    """Return the ``pip install …`` for *extra*, from wherever this toolproto came."""
    editable, source = _origin()
    options = [*(["-U"] if newer else []), *(["-e"] if editable else [])]
    return " ".join(["pip install", *options, f"'{source}[{extra}]'"])


def _origin() -> tuple[bool, str]:
    """Return whether it is an editable install, and what pip was given (its name, if unknown)."""
    import json  # Here: nearly every program asks for the version alone.
    from importlib import metadata
    from urllib.parse import unquote, urlsplit

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
