"""Conversations: ChatSession waits, AsyncChatSession is awaited."""

from .chat import AsyncChatSession, ChatSession
from .export import export_jsonl, export_markdown, import_jsonl
from .options import SessionOptions, TurnTerms
from .redacting import Redaction

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
