"""The turn's states and every legal move between them.

Whatever decides which state a turn is in lives in this file. The diagram in ``docs/chat.md`` is the
table :data:`MOVES`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from ...protocol.errors import UsageError
from ...protocol.messages import ChatRequest, Message
from .result import TurnResult

__all__ = ["MOVES", "TERMINAL", "TurnMachine", "TurnSnapshot", "TurnState"]


class TurnState(Enum):
    """Where a turn is."""

    IDLE = "idle"  # not begun
    PREPARING = "preparing"  # hooks, and the request is put together
    STREAMING = "streaming"  # a reply is being read
    TOOL_CALL = "tool_call"  # calls are approved and run
    FINALIZING = "finalizing"  # hooks and clean-ups
    COMPLETED = "completed"  # the answer is there, or calls wait for a decision
    ERROR = "error"  # the service, a hook or a limit ended it
    CANCELLED = "cancelled"  # somebody stopped it, or its time ran out


_S = TurnState
_STOPS = (_S.ERROR, _S.CANCELLED)

MOVES: dict[TurnState, tuple[TurnState, ...]] = {
    _S.IDLE: (_S.PREPARING,),
    # A resumed turn goes straight to its calls, or ends again if they still wait.
    _S.PREPARING: (_S.STREAMING, _S.TOOL_CALL, *_STOPS),
    _S.STREAMING: (_S.TOOL_CALL, _S.FINALIZING, *_STOPS),
    _S.TOOL_CALL: (_S.STREAMING, _S.FINALIZING, *_STOPS),
    _S.FINALIZING: (_S.COMPLETED, *_STOPS),
    _S.COMPLETED: (),
    _S.ERROR: (),
    _S.CANCELLED: (),
}
TERMINAL = frozenset(state for state, moves in MOVES.items() if not moves)


@dataclass(frozen=True, slots=True)
class TurnSnapshot:
    """A turn at the moment it entered *state*.

    *messages* is the conversation then, *request* what was sent last. *result* is there when the
    turn is over.
    """

    state: TurnState
    previous: TurnState
    requests: int = 0
    error: BaseException | None = None
    messages: tuple[Message, ...] = field(default=(), repr=False)
    request: ChatRequest | None = field(default=None, repr=False)
    result: TurnResult[Any] | None = field(default=None, repr=False)


class TurnMachine:
    """Remembers where a turn is and refuses impossible moves."""

    def __init__(self) -> None:
        self.state = TurnState.IDLE

    def to(self, state: TurnState) -> TurnState:
        """Enter *state*; the state before it."""
        if state not in MOVES[self.state]:
            raise UsageError(f"a turn cannot go from {self.state.value} to {state.value}")
        previous, self.state = self.state, state
        return previous
