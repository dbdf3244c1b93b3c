from .calls.sink import ArgumentSink as SpokenCall

__all__ = ["SpokenCall"]
