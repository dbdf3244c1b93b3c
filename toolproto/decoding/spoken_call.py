"""The former name of :class:`~toolproto.decoding.calls.sink.ArgumentSink`."""

from .calls.sink import ArgumentSink as SpokenCall

__all__ = ["SpokenCall"]
