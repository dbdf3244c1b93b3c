"""A type in words a model understands: ``integer``, ``"c" or "f"``, ``list of string``."""

from __future__ import annotations

from .text import literal, one_line
from .types import ANYTHING, Either, ListOf, MapOf, Member, ObjectType, OneOf, Scalar, Type

__all__ = ["in_words", "outer_words"]

_MOST = 20  # alternatives or members in one line of words


def in_words(type: Type) -> str:
    """*type* in words."""
    match type:
        case Scalar(name, format):
            return f"{name}, {format}" if format else name
        case OneOf(values, more):
            return _joined([literal(value) for value in values], more)
        case ListOf(item):
            return f"list of {in_words(item)}"
        case MapOf(value):
            return f"object of {in_words(value)}"
        case ObjectType(members):
            return f"object {{{', '.join(_member(member) for member in members[:_MOST])}}}"
        case Either(options):
            return _joined([in_words(option) for option in options])


def outer_words(type: Type) -> str:
    """*type* in words, without the members of objects."""
    match type:
        case ObjectType():
            return "object"
        case ListOf(ObjectType()):
            return "list of object"
    return in_words(type)


def _member(member: Member) -> str:
    """A member, marked if it is optional."""
    mark = "" if member.required else "?"
    match member.type:
        case Scalar(name, format) if format:
            return f"{one_line(member.name)}{mark}: {name} ({format})"
    return f"{one_line(member.name)}{mark}: {in_words(member.type)}"


def _joined(words: list[str], more: int = 0) -> str:
    different = list(dict.fromkeys(words))
    cut = ["…"] if more or len(different) > _MOST else []
    return " or ".join([*different[:_MOST], *cut]) or ANYTHING.name
