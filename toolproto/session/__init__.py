"""Conversations: ChatSession waits, AsyncChatSession is awaited."""

from .base import SessionOptions, TurnTerms
from .chat import AsyncChatSession, ChatSession

__all__ = ["AsyncChatSession", "ChatSession", "SessionOptions", "TurnTerms"]
