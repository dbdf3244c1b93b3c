r"""Whether a schema's regular expression is found in a text, in time linear in the text.

A pattern in a tool's schema is a stranger's program, and Python's ``re`` backtracks without a time
limit. So it is run by the engine inside pydantic (Rust's ``regex``), which never backtracks. What
that engine refuses is not enforced, nor what is too large. Compiling within these bounds took
35 ms at worst (``[\p{L}\p{N}]{70}``). Above stands ``work``, which pays.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from pydantic_core import SchemaValidator

__all__ = ["MOST_PATTERNS", "Prepared", "Unenforced", "prepared", "size_of"]

#: Patterns that are kept, for all and for the checks of one reply. A hundred hostile ones that had
#: been run held 226 MB, for the engine remembers up to 2 MB of states for each.
MOST_PATTERNS = 64
# Longer patterns exist, but none that a model could be told to follow.
_LONGEST = 1_000
# Up to here a search takes less than 0.1 ms for each character of the text.
_LARGEST = 2_000
#: What has to be written otherwise to mean what ECMAScript means; the last three stand in sets.
_MEANT = {
    **{r"\d": "[0-9]", r"\D": "[^0-9]", r"\w": "[0-9A-Za-z_]", r"\W": "[^0-9A-Za-z_]"},
    **{r"\b": r"(?-u:\b)", r"\Z": r"\z", r"\<": "<", r"\>": ">"},
    **{"[": r"\[", "&": r"\&", "~": r"\~"},
}
#: An escape, a set, a group that is more than a group, a count, or any other character.
_ITEM = re.compile(
    r"\\(?:[pPux]\{[\w=]+\}|[uU]\w{4,8}|x\w\w|[pP]?.)|\[\^?\]|\[(?:\\.|[^\\\]])*\]?"
    r"|\(\?(?!:|P?<\w)<?.|\{(?P<least>\d+)(?:,(?P<most>\d*))?\}|.",
    re.DOTALL,
)
_MEMBER = re.compile(r"\\.|[\[&~]|--", re.DOTALL)
_HALF_PAIR = re.compile("[\ud800-\udfff]")


class Unenforced(Exception):
    """A pattern that is not run, and why not."""


class Prepared(NamedTuple):
    """A pattern that can be searched for."""

    size: int
    engine: SchemaValidator

    def search(self, text: str) -> bool | None:
        """Return whether the pattern is found; None in a text that is not Unicode."""
        if self.engine.isinstance_python(text):
            return True
        # Half of a surrogate pair has no UTF-8, and the engine then says no without looking.
        return None if _HALF_PAIR.search(text) else False


def size_of(pattern: str) -> int:
    """Return how large *pattern* is with its repetitions written out, or raise Unenforced."""
    groups = [[0]]  # the sizes of the items in each group that is open
    for item in _ITEM.finditer(pattern[: _LONGEST + 1]):
        found = item[0]
        if found == "(":
            groups.append([1])
        elif found == ")" and len(groups) > 1:
            inside = groups.pop()
            groups[-1].append(sum(inside))
        elif item["least"]:
            groups[-1][-1] *= max(1, int(item["least"]), int(item["most"] or 0))
        elif found not in "*+?":
            # A property of Unicode is an automaton of some hundred states.
            properties = 25 if r"\p" in found.lower() else 0
            groups[-1].append(1 + len(found.encode(errors="replace")) // 8 + properties)
    size = sum(map(sum, groups))
    if size > _LARGEST or len(pattern) > _LONGEST:
        raise Unenforced("it is too large with all of its repetitions")
    return size


@lru_cache(maxsize=MOST_PATTERNS)
def prepared(pattern: str) -> Prepared:
    """Compile *pattern*, or raise Unenforced."""
    # Not at the top: who checks no pattern does not wait for pydantic.
    from pydantic_core import SchemaError, SchemaValidator, core_schema

    size, rust = size_of(pattern), _ITEM.sub(_in_rust, pattern)
    try:
        engine = SchemaValidator(core_schema.str_schema(pattern=rust, regex_engine="rust-regex"))
    except SchemaError as error:
        raise Unenforced(str(error).rstrip().rsplit(": ", 1)[-1]) from None
    return Prepared(size, engine)


def _in_rust(item: re.Match[str]) -> str:
    found = item[0]
    if found.startswith("(?"):
        raise Unenforced("it looks ahead or behind, or sets flags")
    if found in ("[]", "[^]", "--", r"\B") or _HALF_PAIR.search(found):
        raise Unenforced(f"{found!r} means different things to different engines")
    if item.re is _ITEM and found.startswith("["):
        return "[" + _MEMBER.sub(_in_rust, found[1:])
    return _MEANT.get(found, found)
