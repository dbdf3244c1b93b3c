"""The command line: ``toolproto chat``, ``parse``, ``probe`` and the others.

``app.py`` finds the command; ``commands/`` holds one small module for each, which reads its options
and hands over to a package that knows nothing of a terminal's arguments. Data goes to stdout, all
else to stderr.
"""

from __future__ import annotations

__all__ = ["run"]


def run() -> None:
    """What the script ``toolproto`` does."""
    try:
        from .app import main
    except ModuleNotFoundError as error:
        if error.name not in ("click", "rich"):
            raise
        from ..extras import install_command

        raise SystemExit(
            f"toolproto: error: the command line needs an extra; run: {install_command('cli')}"
        ) from None
    main(prog_name="toolproto")
