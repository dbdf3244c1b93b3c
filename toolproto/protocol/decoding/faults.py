"""Why something cannot be read, worded for the model that wrote it."""

from __future__ import annotations

from ..messages import ProblemKind

# Tools take shallow arguments; what walks a value after us (schemas, comparison) recurses.
MAX_DEPTH = 100


class Refused(Exception):
    """Why no value was read, worded for the model; *final* if no reader should try again.

    It ends a reading from inside, and never leaves :mod:`toolproto.protocol.decoding`.
    """

    def __init__(self, kind: ProblemKind, message: str, *, final: bool = True) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.final = final


def malformed(message: str) -> Refused:
    """The refusal of what is written wrongly; *message* is for the model."""
    return Refused(ProblemKind.MALFORMED, message)


def cut_short() -> Refused:
    """The refusal of a call that the end of the reply leaves open."""
    return Refused(ProblemKind.TRUNCATED, "it is cut short")


def too_deep(depth: int = MAX_DEPTH) -> Refused:
    """The refusal of a value nested deeper than is read."""
    return Refused(ProblemKind.TOO_LARGE, f"nested deeper than {depth} levels")
