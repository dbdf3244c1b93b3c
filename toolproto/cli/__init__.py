"""The command line: ``toolproto chat``, ``parse``, ``probe`` and the others.

``app.py`` finds the command; ``commands/`` holds one small module for each, which reads its options
and hands over to a package that knows nothing of a terminal's arguments. Data goes to stdout, all
else to stderr.
"""

from __future__ import annotations

from importlib.util import find_spec

__all__ = ["run"]


#: What the extra brings. Another package may have brought some of it, without the rest.
_NEEDED = ("click", "platformdirs", "prompt_toolkit", "rich", "tomlkit")


def run() -> None:
    """What the script ``toolproto`` does."""
    if not all(map(_is_there, _NEEDED)):
        from ..package import install_command

        raise SystemExit(
            f"toolproto: error: the command line needs an extra; run: {install_command('cli')}"
        )
    from .app import main

    main(prog_name="toolproto")


def _is_there(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except ModuleNotFoundError:
        return False
