"""What a paradigm's author tests with."""

from .laws import LAWS, LawBroken

__all__ = ["LAWS", "LawBroken"]
