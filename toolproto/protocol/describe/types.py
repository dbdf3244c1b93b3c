"""What a tool takes, as a small tree that every style writes in its own notation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

__all__ = [
    "ANYTHING",
    "Either",
    "ListOf",
    "MapOf",
    "Member",
    "ObjectType",
    "OneOf",
    "Scalar",
    "Type",
    "format_of",
    "members_of",
]


@dataclass(frozen=True, slots=True)
class Scalar:
    """A value without parts; *name* is JSON Schema's, *format* says more where it is known."""

    name: str
    format: str = ""


@dataclass(frozen=True, slots=True)
class OneOf:
    """One of these values; *more* were left out."""

    values: tuple[Any, ...]
    more: int = 0


@dataclass(frozen=True, slots=True)
class ListOf:
    """A list of values of one type."""

    item: Type


@dataclass(frozen=True, slots=True)
class MapOf:
    """An object with any keys and values of one type."""

    value: Type


@dataclass(frozen=True, slots=True)
class ObjectType:
    """An object with known members."""

    members: tuple[Member, ...]


@dataclass(frozen=True, slots=True)
class Either:
    """A value of any of these types."""

    options: tuple[Type, ...]


Type = Scalar | OneOf | ListOf | MapOf | ObjectType | Either
ANYTHING = Scalar("any value")


@dataclass(frozen=True, slots=True)
class Member:
    """An argument, or a member of one.

    *default* is a JSON literal, empty if there is none; *bounds* and examples are in words.
    """

    name: str
    type: Type
    required: bool
    description: str = ""
    default: str = ""
    bounds: tuple[str, ...] = ()

    @property
    def notes(self) -> tuple[str, ...]:
        """The bounds and the default, in words."""
        return (*self.bounds, f"default {self.default}") if self.default else self.bounds


def format_of(type: Type) -> str:
    """The format of a string, or of the strings in a list."""
    match type:
        case Scalar(_, format) | ListOf(Scalar(_, format)):
            return format
    return ""


def members_of(type: Type) -> tuple[Member, ...]:
    """The members of an object, or of the objects in a list."""
    match type:
        case ObjectType(members) | ListOf(ObjectType(members)):
            return members
    return ()
