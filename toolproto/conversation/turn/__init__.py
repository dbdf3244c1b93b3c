"""One turn of a conversation, without doing any of its I/O.

:mod:`.flow` is the turn, a generator of the commands in :mod:`.commands`; a driver performs them
(:mod:`toolproto.conversation.session`), or a test does by hand.
"""

from .compaction import Compaction
from .events import (
    ApprovalAsked,
    CompactionFailed,
    Decided,
    HistoryCompacted,
    MessageAppended,
    ReasoningEnded,
    ReasoningStarted,
    ReplyConstrained,
    SessionEvent,
    StateChanged,
    StepEnded,
    StepStarted,
    ToolProgressed,
    ToolStatus,
    ToolUpdated,
    TurnEnded,
)
from .flow import Turn
from .limits import TurnLimits
from .result import CallRecord, TurnResult, TurnStats
from .setup import Conversation, Terms, TurnSetup
from .states import TurnSnapshot, TurnState

__all__ = [
    "ApprovalAsked",
    "CallRecord",
    "Compaction",
    "CompactionFailed",
    "Conversation",
    "Decided",
    "HistoryCompacted",
    "MessageAppended",
    "ReasoningEnded",
    "ReasoningStarted",
    "ReplyConstrained",
    "SessionEvent",
    "StateChanged",
    "StepEnded",
    "StepStarted",
    "Terms",
    "ToolProgressed",
    "ToolStatus",
    "ToolUpdated",
    "Turn",
    "TurnEnded",
    "TurnLimits",
    "TurnResult",
    "TurnSetup",
    "TurnSnapshot",
    "TurnState",
    "TurnStats",
]
