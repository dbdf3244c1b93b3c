"""Does the beginning of a call that has no marker stand here?"""

from __future__ import annotations

import re

__all__ = ["MORE_KEY", "leading_key"]

_LEAD = re.compile(r"(?:\[\s{0,80}+)?\{\s{0,80}+[\"'“‘`]?([A-Za-z_]{0,30}+)([^A-Za-z_]?)")
_BEGUN = re.compile(r"(?:\[\s{0,80}+)?(?:\{\s{0,80}+[\"'“‘`]?)?\Z")

#: Instead of a key: it cannot be said yet. No member of ours is called that.
MORE_KEY = "…"


def leading_key(text: str, at: int, final: bool) -> str:
    """The first member of the object, or of the first object in the list, that begins at *at*.

    Empty where there is none; MORE_KEY where more text has to come first.
    """
    lead = _LEAD.match(text, at)
    if lead is None:
        return MORE_KEY if not final and _BEGUN.match(text, at) else ""
    key, after = lead.groups()
    return MORE_KEY if not after and not final else str(key)
