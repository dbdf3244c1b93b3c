"""Services with tools of their own: what they are sent, and what their answers really hold."""

from .paradigm import NativeTools
from .reader import NativeReader

__all__ = ["NativeReader", "NativeTools"]
