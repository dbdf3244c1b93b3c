"""Does the beginning of a call that has no marker stand here?"""

from __future__ import annotations

from ..patterns import Pattern

__all__ = ["MORE_KEY", "leading_key"]

_LEAD = Pattern(r"(?:\[\s{0,80}+)?\{\s{0,80}+[\"'“‘`]?+([A-Za-z_]{0,30}+)[^A-Za-z_]")

#: Instead of a key: it cannot be said yet. No member of ours is called that.
MORE_KEY = "…"


def leading_key(text: str, at: int, final: bool) -> str:
    """The first member of the object, or of the first object in the list, that begins at *at*.

    Empty where there is none; MORE_KEY where more text has to come first.
    """
    if not final and _LEAD.may_change(text, at):
        return MORE_KEY
    lead = _LEAD.match(text, at)
    return str(lead.group(1)) if lead is not None else ""
