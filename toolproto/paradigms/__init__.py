"""The paradigms: how to talk to a model about tools in plain text."""

from .base import ToolContextDef
from .json_strict import JsonStrict
from .parsed import ParsedResponse, Segment, SegmentKind
from .registry import get_paradigm, paradigms, register_paradigm
from .wire import JsonCall, WireFormat, WireParadigm
from .xml_tag import XmlTag

__all__ = [
    "JsonCall",
    "JsonStrict",
    "ParsedResponse",
    "Segment",
    "SegmentKind",
    "ToolContextDef",
    "WireFormat",
    "WireParadigm",
    "XmlTag",
    "get_paradigm",
    "paradigms",
    "register_paradigm",
]
