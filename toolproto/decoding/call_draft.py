"""Moved to `calls/draft.py`."""

from .calls.draft import CallDraft, CallSetting, Outcome

__all__ = ["CallDraft", "CallSetting", "Outcome"]
