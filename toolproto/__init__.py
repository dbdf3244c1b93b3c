"""Tool calling for any language model that can only read and write text."""

import typing

from .approvals import Allow, ApprovalRequest, Defer, Deny, Policy
from .decoding.argument_strings import ArgumentStrings, StringDelta
from .decoding.base import Decoder, Limits
from .decoding.reasoning import Reasoning
from .errors import (
    CallError,
    EndpointError,
    EndpointTimeout,
    LimitReached,
    ToolFailed,
    ToolProtoError,
    TurnCancelled,
    TurnTimeout,
    UsageError,
    WireError,
)
from .events import (
    ArgumentsDelta,
    CallCompleted,
    CallRejected,
    CallStarted,
    Event,
    ReasoningDelta,
    TextDelta,
    merge,
)
from .hooks import Hooks
from .messages import (
    CallProblem,
    ChatRequest,
    Chunk,
    Grade,
    Message,
    ProblemKind,
    Repair,
    Span,
    ToolCall,
    ToolResult,
    Usage,
    counted_ids,
)
from .paradigms import (
    JsonCall,
    NamedJson,
    ParsedResponse,
    PythonCall,
    Segment,
    SegmentKind,
    TaggedCall,
    ToolContextDef,
    WireFormat,
    WireParadigm,
    XmlCall,
    get_paradigm,
    paradigms,
    parse_any,
    register_paradigm,
)
from .prompt import ToolContextBuilder
from .recommend import Recommendation, recommend
from .tools import (
    Tool,
    ToolContext,
    ToolOffer,
    ToolOutput,
    ToolRegistry,
    ToolSpec,
    check_call,
    tool,
)
from .turn import (
    MessageAppended,
    StateChanged,
    ToolStatus,
    ToolUpdated,
    TurnEnded,
    TurnLimits,
    TurnResult,
    TurnState,
)

if typing.TYPE_CHECKING:
    from .session import AsyncChatSession, ChatSession

__version__ = "0.1.0"

__all__ = [
    "Allow",
    "ApprovalRequest",
    "ArgumentStrings",
    "ArgumentsDelta",
    "AsyncChatSession",
    "CallCompleted",
    "CallError",
    "CallProblem",
    "CallRejected",
    "CallStarted",
    "ChatRequest",
    "ChatSession",
    "Chunk",
    "Decoder",
    "Defer",
    "Deny",
    "EndpointError",
    "EndpointTimeout",
    "Event",
    "Grade",
    "Hooks",
    "JsonCall",
    "LimitReached",
    "Limits",
    "Message",
    "MessageAppended",
    "NamedJson",
    "ParsedResponse",
    "Policy",
    "ProblemKind",
    "PythonCall",
    "Reasoning",
    "ReasoningDelta",
    "Recommendation",
    "Repair",
    "Segment",
    "SegmentKind",
    "Span",
    "StateChanged",
    "StringDelta",
    "TaggedCall",
    "TextDelta",
    "Tool",
    "ToolCall",
    "ToolContext",
    "ToolContextBuilder",
    "ToolContextDef",
    "ToolFailed",
    "ToolOffer",
    "ToolOutput",
    "ToolProtoError",
    "ToolRegistry",
    "ToolResult",
    "ToolSpec",
    "ToolStatus",
    "ToolUpdated",
    "TurnCancelled",
    "TurnEnded",
    "TurnLimits",
    "TurnResult",
    "TurnState",
    "TurnTimeout",
    "Usage",
    "UsageError",
    "WireError",
    "WireFormat",
    "WireParadigm",
    "XmlCall",
    "check_call",
    "counted_ids",
    "get_paradigm",
    "merge",
    "paradigms",
    "parse_any",
    "recommend",
    "register_paradigm",
    "tool",
]


def __getattr__(name: str) -> typing.Any:
    # The sessions bring asyncio with them, which takes longer to import than all the rest.
    if name in ("AsyncChatSession", "ChatSession"):
        from . import session

        return getattr(session, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
