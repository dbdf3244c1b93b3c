from .decoding.argument_strings import (
    ArgumentStrings as ArgumentStrings,
)
from .decoding.argument_strings import (
    StringDelta as StringDelta,
)
from .decoding.contract import (
    Decoder as Decoder,
)
from .decoding.contract import (
    Limits as Limits,
)
from .decoding.patterns import Pattern as Pattern
from .decoding.reply.thinking import Reasoning as Reasoning
from .describe.base import Style as Style
from .describe.description import (
    Description as Description,
)
from .describe.description import (
    Presentation as Presentation,
)
from .describe.description import (
    describe_tools as describe_tools,
)
from .describe.lookup import description_tool as description_tool
from .describe.requests import example_request as example_request
from .describe.samples import example_call as example_call
from .describe.styles import (
    get_style as get_style,
)
from .describe.styles import (
    list_styles as list_styles,
)
from .describe.tokens import estimate_tokens as estimate_tokens
from .errors import (
    CallError as CallError,
)
from .errors import (
    EndpointError as EndpointError,
)
from .errors import (
    EndpointTimeout as EndpointTimeout,
)
from .errors import (
    LimitReached as LimitReached,
)
from .errors import (
    McpError as McpError,
)
from .errors import (
    SessionConflict as SessionConflict,
)
from .errors import (
    StoreError as StoreError,
)
from .errors import (
    ToolFailed as ToolFailed,
)
from .errors import (
    ToolProtoError as ToolProtoError,
)
from .errors import (
    TurnCancelled as TurnCancelled,
)
from .errors import (
    TurnTimeout as TurnTimeout,
)
from .errors import (
    UsageError as UsageError,
)
from .errors import (
    WireError as WireError,
)
from .events import (
    ArgumentsDelta as ArgumentsDelta,
)
from .events import (
    CallCompleted as CallCompleted,
)
from .events import (
    CallRejected as CallRejected,
)
from .events import (
    CallStarted as CallStarted,
)
from .events import (
    Event as Event,
)
from .events import (
    ReasoningDelta as ReasoningDelta,
)
from .events import (
    TextDelta as TextDelta,
)
from .events import (
    merge as merge,
)
from .grammar.accepting import departure as departure
from .grammar.constraint import Constraint as Constraint
from .grammar.ir import Grammar as Grammar
from .grammar.renderings import (
    RENDERINGS as RENDERINGS,
)
from .grammar.renderings import (
    Rendering as Rendering,
)
from .grammar.renderings import (
    render as render,
)
from .grammar.sampling import sample_reply as sample_reply
from .guard.concerns import Concern as Concern
from .guard.levels import Guard as Guard
from .guard.neutralise import neutraliser as neutraliser
from .guard.nonce import (
    new_nonce as new_nonce,
)
from .guard.nonce import (
    with_nonce as with_nonce,
)
from .messages import (
    Attachment as Attachment,
)
from .messages import (
    CallProblem as CallProblem,
)
from .messages import (
    ChatRequest as ChatRequest,
)
from .messages import (
    Chunk as Chunk,
)
from .messages import (
    Grade as Grade,
)
from .messages import (
    IdFactory as IdFactory,
)
from .messages import (
    Message as Message,
)
from .messages import (
    ProblemKind as ProblemKind,
)
from .messages import (
    Repair as Repair,
)
from .messages import (
    Span as Span,
)
from .messages import (
    ToolCall as ToolCall,
)
from .messages import (
    ToolResult as ToolResult,
)
from .messages import (
    Usage as Usage,
)
from .messages import (
    counted_ids as counted_ids,
)
from .paradigms.base import (
    NO_TOOLS as NO_TOOLS,
)
from .paradigms.base import (
    ToolContextDef as ToolContextDef,
)
from .paradigms.declared_payloads import (
    CustomCall as CustomCall,
)
from .paradigms.declared_payloads import (
    TemplateCall as TemplateCall,
)
from .paradigms.json_strict import JsonStrict as JsonStrict
from .paradigms.parsed import (
    ParsedResponse as ParsedResponse,
)
from .paradigms.parsed import (
    Segment as Segment,
)
from .paradigms.parsed import (
    SegmentKind as SegmentKind,
)
from .paradigms.payloads import (
    JsonCall as JsonCall,
)
from .paradigms.payloads import (
    NamedJson as NamedJson,
)
from .paradigms.payloads import (
    PythonCall as PythonCall,
)
from .paradigms.payloads import (
    TaggedCall as TaggedCall,
)
from .paradigms.payloads import (
    XmlCall as XmlCall,
)
from .paradigms.recommendations import (
    Recommendation as Recommendation,
)
from .paradigms.recommendations import (
    recommend as recommend,
)
from .paradigms.registry import (
    get_paradigm as get_paradigm,
)
from .paradigms.registry import (
    list_paradigms as list_paradigms,
)
from .paradigms.registry import (
    register_paradigm as register_paradigm,
)
from .paradigms.results import tagged_result as tagged_result
from .paradigms.salvage import parse_any as parse_any
from .paradigms.system_prompt import ToolContextBuilder as ToolContextBuilder
from .paradigms.teaching import Teaching as Teaching
from .paradigms.wire import (
    WireFormat as WireFormat,
)
from .paradigms.wire import (
    WireParadigm as WireParadigm,
)
from .paradigms.xml_tag import XmlTag as XmlTag
from .schemas.tame import tame as tame
from .secrets.redactor import Redactor as Redactor
from .tools.check import check_call as check_call
from .tools.context import ToolContext as ToolContext
from .tools.define import (
    Risk as Risk,
)
from .tools.define import (
    Tool as Tool,
)
from .tools.define import (
    tool as tool,
)
from .tools.outcome import ToolOutput as ToolOutput
from .tools.registry import ToolRegistry as ToolRegistry
from .tools.spec import (
    ToolOffer as ToolOffer,
)
from .tools.spec import (
    ToolSpec as ToolSpec,
)
from .tools.spec import (
    spec_from_openai as spec_from_openai,
)
