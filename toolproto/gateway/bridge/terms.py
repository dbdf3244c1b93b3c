"""The terms on which a model is asked: how it is taught, and how its mistakes are met."""

from __future__ import annotations

from dataclasses import dataclass

from ...protocol.errors import UsageError
from ...protocol.grammar.constraint import checked_mode
from ...protocol.guard.levels import guard_from
from ...protocol.judge import REASKS
from ...protocol.native_mode import Native, checked_native
from ...protocol.paradigms.teaching import teaching_of

__all__ = ["ModelTerms"]

#: Settings that nobody knows are a mistake, and pydantic is to say so.
_KNOWN_ONLY = {"extra": "forbid"}


@dataclass(frozen=True, slots=True)
class ModelTerms:
    """How a model is taught its tools, and how often its mistakes are put to it.

    *constrain* is whether it is held to a grammar: ``auto``, ``calls`` or ``off``. *guard* is how
    careful to be with the results that clients send: ``standard``, ``strict`` or ``off``. *vision*
    is whether it can be shown images; others are told that there was one. *native* is whether the
    tools of its service are used (None: as that is set up), *rescue* whether answers to those are
    read for calls that the service lost.
    """

    __pydantic_config__ = _KNOWN_ONLY

    paradigm: str = "auto"
    describe: str | None = None
    teaching: str | None = None
    examples: bool = False
    reasks: int = REASKS
    constrain: str = "auto"
    guard: str = "standard"
    vision: bool = False
    native: Native | None = None
    rescue: bool = True

    def __post_init__(self) -> None:
        if not 0 <= self.reasks <= 10:
            raise UsageError(f"reasks is {self.reasks!r}; give a number from 0 to 10")
        checked_mode(self.constrain)
        if self.native is not None:
            checked_native(self.native)
        if self.teaching is not None:
            teaching_of(self.teaching)
        if guard_from(self.guard).nonce:
            # The markers would have to be the same in every request of a conversation, and nothing
            # is kept between two of them.
            raise UsageError(
                "a guard with nonce=True needs a session that keeps the nonce; clients of a proxy "
                "or a bridge have none: leave it out, or use ChatSession"
            )
