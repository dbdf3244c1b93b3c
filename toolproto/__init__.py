"""Tool calling for any language model that can only read and write text.

Each public name is imported from its module when it is first asked for, so that a program, a
test run or the command line waits only for what it uses.
"""

import importlib
import sys
import types
import typing

if typing.TYPE_CHECKING:
    from .conversation.deciding.approvals import Allow, ApprovalRequest, Defer, Deny, Policy
    from .conversation.hooks import Hooks
    from .conversation.session import AsyncChatSession, ChatSession
    from .conversation.turn import (
        MessageAppended,
        StateChanged,
        ToolStatus,
        ToolUpdated,
        TurnEnded,
        TurnLimits,
        TurnResult,
        TurnState,
    )
    from .endpoints import HttpEndpoint, LocalEndpoint
    from .endpoints.attachments import document, image
    from .package import __version__ as __version__
    from .protocol.decoding.argument_strings import ArgumentStrings, StringDelta
    from .protocol.decoding.contract import Decoder, Limits
    from .protocol.decoding.reply.thinking import Reasoning
    from .protocol.errors import (
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
    from .protocol.events import (
        ArgumentsDelta,
        CallCompleted,
        CallRejected,
        CallStarted,
        Event,
        ReasoningDelta,
        TextDelta,
        merge,
    )
    from .protocol.guard.concerns import Concern
    from .protocol.guard.levels import Guard
    from .protocol.messages import (
        Attachment,
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
    from .protocol.paradigms import (
        CustomCall,
        JsonCall,
        NamedJson,
        ParsedResponse,
        PythonCall,
        Segment,
        SegmentKind,
        TaggedCall,
        TemplateCall,
        ToolContextDef,
        WireFormat,
        WireParadigm,
        XmlCall,
        get_paradigm,
        list_paradigms,
        parse_any,
        register_paradigm,
    )
    from .protocol.paradigms.prompt import ToolContextBuilder
    from .protocol.paradigms.recommendations import Recommendation, recommend
    from .protocol.tools import (
        Tool,
        ToolContext,
        ToolOffer,
        ToolOutput,
        ToolRegistry,
        ToolSpec,
        check_call,
        tool,
    )

__all__ = [
    "Allow",
    "ApprovalRequest",
    "ArgumentStrings",
    "ArgumentsDelta",
    "AsyncChatSession",
    "Attachment",
    "CallCompleted",
    "CallError",
    "CallProblem",
    "CallRejected",
    "CallStarted",
    "ChatRequest",
    "ChatSession",
    "Chunk",
    "Concern",
    "CustomCall",
    "Decoder",
    "Defer",
    "Deny",
    "EndpointError",
    "EndpointTimeout",
    "Event",
    "Grade",
    "Guard",
    "Hooks",
    "HttpEndpoint",
    "JsonCall",
    "LimitReached",
    "Limits",
    "LocalEndpoint",
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
    "TemplateCall",
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
    "document",
    "get_paradigm",
    "image",
    "list_paradigms",
    "merge",
    "parse_any",
    "recommend",
    "register_paradigm",
    "tool",
]

#: Where each public name is defined; what a type checker reads above, for the run time.
_NAMES = {
    "conversation.deciding.approvals": ("Allow", "ApprovalRequest", "Defer", "Deny", "Policy"),
    "endpoints.attachments": ("document", "image"),
    "protocol.decoding.argument_strings": ("ArgumentStrings", "StringDelta"),
    "protocol.decoding.contract": ("Decoder", "Limits"),
    "protocol.decoding.reply.thinking": ("Reasoning",),
    "endpoints": ("HttpEndpoint", "LocalEndpoint"),
    "protocol.errors": (
        "CallError",
        "EndpointError",
        "EndpointTimeout",
        "LimitReached",
        "ToolFailed",
        "ToolProtoError",
        "TurnCancelled",
        "TurnTimeout",
        "UsageError",
        "WireError",
    ),
    "protocol.events": (
        "ArgumentsDelta",
        "CallCompleted",
        "CallRejected",
        "CallStarted",
        "Event",
        "ReasoningDelta",
        "TextDelta",
        "merge",
    ),
    "protocol.guard.concerns": ("Concern",),
    "protocol.guard.levels": ("Guard",),
    "conversation.hooks": ("Hooks",),
    "protocol.messages": (
        "Attachment",
        "CallProblem",
        "ChatRequest",
        "Chunk",
        "Grade",
        "Message",
        "ProblemKind",
        "Repair",
        "Span",
        "ToolCall",
        "ToolResult",
        "Usage",
        "counted_ids",
    ),
    "protocol.paradigms": (
        "CustomCall",
        "JsonCall",
        "NamedJson",
        "ParsedResponse",
        "PythonCall",
        "Segment",
        "SegmentKind",
        "TaggedCall",
        "TemplateCall",
        "ToolContextDef",
        "WireFormat",
        "WireParadigm",
        "XmlCall",
        "get_paradigm",
        "paradigms",
        "parse_any",
        "register_paradigm",
    ),
    "package": ("__version__",),
    "protocol.paradigms.prompt": ("ToolContextBuilder",),
    "protocol.paradigms.recommendations": ("Recommendation", "recommend"),
    "conversation.session": ("AsyncChatSession", "ChatSession"),
    "protocol.tools": (
        "Tool",
        "ToolContext",
        "ToolOffer",
        "ToolOutput",
        "ToolRegistry",
        "ToolSpec",
        "check_call",
        "tool",
    ),
    "conversation.turn": (
        "MessageAppended",
        "StateChanged",
        "ToolStatus",
        "ToolUpdated",
        "TurnEnded",
        "TurnLimits",
        "TurnResult",
        "TurnState",
    ),
}
_HOMES = {name: module for module, names in _NAMES.items() for name in names}

#: What people look for here, and find in a package of ours.
_ELSEWHERE = {
    "endpoints": (
        *("Anthropic", "AsyncEndpoint", "AzureOpenAI", "ClientEndpoint", "Dialect", "Endpoint"),
        *("FunctionEndpoint", "Gemini", "Ollama", "OpenAIChat", "OpenAICompletions"),
        *("PromptTemplate", "RecordingEndpoint", "ReplayEndpoint", "Retries", "ScriptedEndpoint"),
        *("ScriptedReply", "Timeouts", "chat_template"),
    ),
    "conversation.masking": ("Masking",),
    "conversation.mcp": ("McpServer",),
    "gateway.proxy": ("ProxyConfig", "make_app"),
    "conversation.session": (
        "Redaction",
        "TurnTerms",
        "export_jsonl",
        "export_markdown",
        "import_jsonl",
    ),
    "conversation.stores": ("MemoryStore", "SqlStore", "Store", "open_store"),
    "testing": ("ParadigmLaws",),
    "gateway.transport": (
        "AsyncToolTransport",
        "ToolTransport",
        "anthropic_client",
        "openai_client",
    ),
    "conversation.toolsets": ("FolderFiles", "MemoryFiles", "StoredFiles", "file_tools"),
    "conversation.turn": (
        "CallRecord",
        "Compaction",
        "SessionEvent",
        "StepEnded",
        "StepStarted",
        "TurnStats",
    ),
    "web": ("WebConfig", "make_web_app"),
}


class _Package(types.ModuleType):
    def __setattr__(self, name: str, value: typing.Any) -> None:
        # Importing ``toolproto.protocol.paradigms`` would put that package in the place of the
        # function.
        if name not in _HOMES or not isinstance(value, types.ModuleType):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package


def __getattr__(name: str) -> typing.Any:
    if name not in _HOMES:
        _say_where(name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(importlib.import_module(f".{_HOMES[name]}", __name__), name)
    globals()[name] = found
    return found


def _say_where(name: str) -> None:
    for module, names in _ELSEWHERE.items():
        if name in names:
            # An AttributeError would lose its words on the way through ``from toolproto import``.
            raise ImportError(
                f"{name} is in {__name__}.{module}: from {__name__}.{module} import {name}",
                name=__name__,
            )


def __dir__() -> list[str]:
    return sorted(["__all__", "__doc__", "__version__", *__all__])
