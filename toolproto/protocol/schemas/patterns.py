"""Whether a schema's regular expression is found in a text, in time linear in the text.

A pattern in a tool's schema is a stranger's program, and Python's ``re`` backtracks without a
time limit. So it is run by the engine inside pydantic (Rust's ``regex``), which never backtracks.
Below stands ``ecmascript``, which writes a pattern as that engine reads it; above ``work``, which
pays.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from .ecmascript import LONGEST, Unenforced, translated

if TYPE_CHECKING:
    from pydantic_core import SchemaValidator

__all__ = [
    "MOST_PATTERNS",
    "Prepared",
    "Unenforced",
    "compiling_steps",
    "prepared",
    "reading_steps",
    "unenforced",
]

#: Patterns that are kept, for all and for the checks of one reply. A hundred hostile ones that had
#: been run held 226 MB, for the engine remembers up to 2 MB of states for each.
MOST_PATTERNS = 64
# Costs are told in steps of 50 ns, measured with pydantic-core 2.50: reading takes 2 us for each
# character, compiling 0.1 to 0.3 ms and up to 2 us for each state, searching at worst 25 ns for
# each state and character.
_FOR_EACH_CHARACTER, _COMPILING, _FOR_EACH_STATE, _SEARCHING = 40, 5_000, 40, 10


@dataclass(frozen=True, slots=True)
class Prepared:
    """A pattern that can be searched for."""

    states: int
    #: Only one way leads through it, from the text's start: the rest of its states sleep.
    is_straight: bool
    engine: SchemaValidator

    def searching_steps(self, length: int) -> int:
        """Return what searching a text of *length* characters costs at worst."""
        alive = 1 if self.is_straight else self.states
        return _SEARCHING + alive * (length + 1) // 2

    def search(self, text: str) -> bool | None:
        """Return whether the pattern is found; None in a text that is not Unicode."""
        if self.engine.isinstance_python(text):
            return True
        # Half of a surrogate pair has no UTF-8, and the engine then says no without looking.
        return None if any("\ud800" <= each <= "\udfff" for each in text) else False


def reading_steps(pattern: str) -> int:
    """Return what it costs to find out what compiling *pattern* costs."""
    return _FOR_EACH_CHARACTER * min(len(pattern), LONGEST)


def compiling_steps(pattern: str) -> int:
    """Return what compiling *pattern* costs, or raise Unenforced."""
    return _COMPILING + _FOR_EACH_STATE * translated(pattern).states


def unenforced(pattern: str) -> str | None:
    """Return why *pattern* is never enforced; None if it is, in a text that is not too long."""
    try:
        prepared(pattern)
    except Unenforced as reason:
        return str(reason)
    return None


@lru_cache(maxsize=MOST_PATTERNS)
def prepared(pattern: str) -> Prepared:
    """Compile *pattern*, or raise Unenforced."""
    # Not at the top: who checks no pattern does not wait for pydantic.
    from pydantic_core import SchemaError, SchemaValidator, core_schema

    read = translated(pattern)
    schema = core_schema.str_schema(pattern=read.rust, regex_engine="rust-regex")
    try:
        return Prepared(read.states, read.is_straight, SchemaValidator(schema))
    except SchemaError:
        raise Unenforced("it is not written correctly") from None
