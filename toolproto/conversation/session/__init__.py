"""Conversations: ChatSession waits, AsyncChatSession is awaited."""

from ..journal.export import export_jsonl, export_markdown, import_jsonl
from ..journal.redacting import Redaction
from .chat import AsyncChatSession, ChatSession
from .options import SessionOptions, TurnTerms

__all__ = [
    "AsyncChatSession",
    "ChatSession",
    "Redaction",
    "SessionOptions",
    "TurnTerms",
    "export_jsonl",
    "export_markdown",
    "import_jsonl",
]
