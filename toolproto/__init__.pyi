from .conversation.deciding.approvals import (
    Allow as Allow,
)
from .conversation.deciding.approvals import (
    ApprovalRequest as ApprovalRequest,
)
from .conversation.deciding.approvals import (
    Defer as Defer,
)
from .conversation.deciding.approvals import (
    Deny as Deny,
)
from .conversation.hooks import Hooks as Hooks
from .conversation.session.chat import (
    AsyncChatSession as AsyncChatSession,
)
from .conversation.session.chat import (
    ChatSession as ChatSession,
)
from .conversation.turn.events import (
    MessageAppended as MessageAppended,
)
from .conversation.turn.events import (
    StateChanged as StateChanged,
)
from .conversation.turn.events import (
    ToolStatus as ToolStatus,
)
from .conversation.turn.events import (
    ToolUpdated as ToolUpdated,
)
from .conversation.turn.events import (
    TurnEnded as TurnEnded,
)
from .conversation.turn.limits import TurnLimits as TurnLimits
from .conversation.turn.not_run import NotRun as NotRun
from .conversation.turn.result import TurnResult as TurnResult
from .conversation.turn.states import TurnState as TurnState
from .endpoints.attachments import (
    document as document,
)
from .endpoints.attachments import (
    image as image,
)
from .endpoints.http.http_endpoint import HttpEndpoint as HttpEndpoint
from .endpoints.local.endpoint import LocalEndpoint as LocalEndpoint
from .package import __version__ as __version__
from .protocol.deciding.policy import Policy as Policy
from .protocol.decoding.argument_strings import (
    ArgumentStrings as ArgumentStrings,
)
from .protocol.decoding.argument_strings import (
    StringDelta as StringDelta,
)
from .protocol.decoding.contract import (
    Decoder as Decoder,
)
from .protocol.decoding.contract import (
    Limits as Limits,
)
from .protocol.decoding.reply.thinking_tokens import Reasoning as Reasoning
from .protocol.errors import (
    CallError as CallError,
)
from .protocol.errors import (
    EndpointError as EndpointError,
)
from .protocol.errors import (
    EndpointTimeout as EndpointTimeout,
)
from .protocol.errors import (
    LimitReached as LimitReached,
)
from .protocol.errors import (
    ToolFailed as ToolFailed,
)
from .protocol.errors import (
    ToolProtoError as ToolProtoError,
)
from .protocol.errors import (
    ToolsRefused as ToolsRefused,
)
from .protocol.errors import (
    TurnCancelled as TurnCancelled,
)
from .protocol.errors import (
    TurnTimeout as TurnTimeout,
)
from .protocol.errors import (
    UsageError as UsageError,
)
from .protocol.errors import (
    WireError as WireError,
)
from .protocol.events import (
    ArgumentsDelta as ArgumentsDelta,
)
from .protocol.events import (
    CallCompleted as CallCompleted,
)
from .protocol.events import (
    CallDoubted as CallDoubted,
)
from .protocol.events import (
    CallRejected as CallRejected,
)
from .protocol.events import (
    CallStarted as CallStarted,
)
from .protocol.events import (
    Event as Event,
)
from .protocol.events import (
    ReasoningDelta as ReasoningDelta,
)
from .protocol.events import (
    TextDelta as TextDelta,
)
from .protocol.events import (
    merge as merge,
)
from .protocol.guard.concerns import Concern as Concern
from .protocol.guard.levels import Guard as Guard
from .protocol.messages import (
    Attachment as Attachment,
)
from .protocol.messages import (
    CallProblem as CallProblem,
)
from .protocol.messages import (
    ChatRequest as ChatRequest,
)
from .protocol.messages import (
    Chunk as Chunk,
)
from .protocol.messages import (
    Grade as Grade,
)
from .protocol.messages import (
    Message as Message,
)
from .protocol.messages import (
    NativePiece as NativePiece,
)
from .protocol.messages import (
    ProblemKind as ProblemKind,
)
from .protocol.messages import (
    Repair as Repair,
)
from .protocol.messages import (
    Span as Span,
)
from .protocol.messages import (
    ToolCall as ToolCall,
)
from .protocol.messages import (
    ToolResult as ToolResult,
)
from .protocol.messages import (
    Usage as Usage,
)
from .protocol.messages import (
    counted_ids as counted_ids,
)
from .protocol.paradigms.base import ToolContextDef as ToolContextDef
from .protocol.paradigms.declared_payloads import (
    CustomCall as CustomCall,
)
from .protocol.paradigms.declared_payloads import (
    TemplateCall as TemplateCall,
)
from .protocol.paradigms.parsed import (
    ParsedResponse as ParsedResponse,
)
from .protocol.paradigms.parsed import (
    Segment as Segment,
)
from .protocol.paradigms.parsed import (
    SegmentKind as SegmentKind,
)
from .protocol.paradigms.payloads import (
    JsonCall as JsonCall,
)
from .protocol.paradigms.payloads import (
    NamedJson as NamedJson,
)
from .protocol.paradigms.payloads import (
    PythonCall as PythonCall,
)
from .protocol.paradigms.payloads import (
    TaggedCall as TaggedCall,
)
from .protocol.paradigms.payloads import (
    XmlCall as XmlCall,
)
from .protocol.paradigms.recommendations import (
    Recommendation as Recommendation,
)
from .protocol.paradigms.recommendations import (
    recommend as recommend,
)
from .protocol.paradigms.registry import (
    get_paradigm as get_paradigm,
)
from .protocol.paradigms.registry import (
    list_paradigms as list_paradigms,
)
from .protocol.paradigms.registry import (
    register_paradigm as register_paradigm,
)
from .protocol.paradigms.salvage import parse_any as parse_any
from .protocol.paradigms.system_prompt import ToolContextBuilder as ToolContextBuilder
from .protocol.paradigms.wire import (
    WireFormat as WireFormat,
)
from .protocol.paradigms.wire import (
    WireParadigm as WireParadigm,
)
from .protocol.tools.check import check_call as check_call
from .protocol.tools.context import ToolContext as ToolContext
from .protocol.tools.define import (
    Tool as Tool,
)
from .protocol.tools.define import (
    tool as tool,
)
from .protocol.tools.outcome import ToolOutput as ToolOutput
from .protocol.tools.registry import ToolRegistry as ToolRegistry
from .protocol.tools.spec import (
    ToolOffer as ToolOffer,
)
from .protocol.tools.spec import (
    ToolSpec as ToolSpec,
)
