from .calls.sink import ArgumentSink as QuotingCall

__all__ = ["QuotingCall"]
