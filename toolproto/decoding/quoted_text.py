"""The former name of :class:`~toolproto.decoding.calls.sink.ArgumentSink`."""

from .calls.sink import ArgumentSink as QuotingCall

__all__ = ["QuotingCall"]
