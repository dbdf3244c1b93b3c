"""The paradigms: how to talk to a model about tools in plain text."""

from .base import ToolContextDef
from .declared_payloads import CustomCall, TemplateCall
from .json_strict import JsonStrict
from .parsed import ParsedResponse, Segment, SegmentKind
from .payloads import JsonCall, NamedJson, PythonCall, TaggedCall, XmlCall
from .registry import get_paradigm, list_paradigms, register_paradigm
from .salvage import parse_any
from .wire import WireFormat, WireParadigm
from .xml_tag import XmlTag

__all__ = [
    "CustomCall",
    "JsonCall",
    "JsonStrict",
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
    "XmlTag",
    "get_paradigm",
    "list_paradigms",
    "parse_any",
    "register_paradigm",
]
