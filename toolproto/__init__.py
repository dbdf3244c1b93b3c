"""Tool calling for any language model that can only read and write text."""

from .decoding.argument_strings import ArgumentStrings, StringDelta
from .decoding.base import Decoder, Limits
from .decoding.reasoning import Reasoning
from .errors import CallError, ToolFailed, ToolProtoError, UsageError
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
from .messages import (
    CallProblem,
    Grade,
    Message,
    ProblemKind,
    Repair,
    Span,
    ToolCall,
    ToolResult,
    counted_ids,
)
from .paradigms import (
    JsonCall,
    ParsedResponse,
    Segment,
    SegmentKind,
    ToolContextDef,
    WireFormat,
    WireParadigm,
    get_paradigm,
    paradigms,
    register_paradigm,
)
from .tools import Tool, ToolOffer, ToolRegistry, ToolSpec, check_call, tool

__version__ = "0.1.0"

__all__ = [
    "ArgumentStrings",
    "ArgumentsDelta",
    "CallCompleted",
    "CallError",
    "CallProblem",
    "CallRejected",
    "CallStarted",
    "Decoder",
    "Event",
    "Grade",
    "JsonCall",
    "Limits",
    "Message",
    "ParsedResponse",
    "ProblemKind",
    "Reasoning",
    "ReasoningDelta",
    "Repair",
    "Segment",
    "SegmentKind",
    "Span",
    "StringDelta",
    "TextDelta",
    "Tool",
    "ToolCall",
    "ToolContextDef",
    "ToolFailed",
    "ToolOffer",
    "ToolProtoError",
    "ToolRegistry",
    "ToolResult",
    "ToolSpec",
    "UsageError",
    "WireFormat",
    "WireParadigm",
    "check_call",
    "counted_ids",
    "get_paradigm",
    "merge",
    "paradigms",
    "register_paradigm",
    "tool",
]
