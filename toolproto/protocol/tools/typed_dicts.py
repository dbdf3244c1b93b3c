"""``typing.TypedDict`` as pydantic can read it, also before Python 3.12.

There pydantic takes only those of ``typing_extensions``. Others are made again as such.
"""

from __future__ import annotations

import sys
import typing
from collections.abc import Mapping
from typing import Any

__all__ = ["readable"]


def readable(hints: Mapping[str, Any]) -> dict[str, Any]:
    """*hints* with every TypedDict in them made anew, where pydantic would refuse it."""
    made: dict[Any, Any] = {}
    if sys.version_info >= (3, 12):
        return dict(hints)
    return {name: _again(hint, made) for name, hint in hints.items()}


def _again(hint: Any, made: dict[Any, Any]) -> Any:
    if typing.is_typeddict(hint):
        return _typed_dict(hint, made) if type(hint).__module__ == "typing" else hint
    arguments = typing.get_args(hint)
    if not arguments or typing.get_origin(hint) is typing.Literal:
        return hint
    changed = tuple(_again(each, made) if _may_hold(each) else each for each in arguments)
    if all(new is old for new, old in zip(changed, arguments, strict=True)):
        return hint
    if typing.get_origin(hint) is typing.Annotated:
        return typing.Annotated[(changed[0], *hint.__metadata__)]
    if typing.get_origin(hint) in (typing.Union, type(int | str)):
        return typing.Union[changed]  # noqa: UP007 (of a tuple)
    copy_with = getattr(hint, "copy_with", None)
    return copy_with(changed) if copy_with else typing.get_origin(hint)[changed]


def _may_hold(argument: Any) -> bool:
    return typing.is_typeddict(argument) or bool(typing.get_args(argument))


def _typed_dict(old: Any, made: dict[Any, Any]) -> Any:
    if old in made:  # it holds itself
        return made[old]
    from typing_extensions import TypedDict

    new: Any = TypedDict(old.__name__, {})  # type: ignore[misc]
    made[old] = new
    new.__module__, new.__qualname__, new.__doc__ = old.__module__, old.__qualname__, old.__doc__
    hints = typing.get_type_hints(old, include_extras=True)
    new.__annotations__ = {name: _again(_bare(hint), made) for name, hint in hints.items()}
    new.__required_keys__ = frozenset(
        name for name, hint in hints.items() if _is_required(hint, name in old.__required_keys__)
    )
    new.__optional_keys__ = frozenset(hints) - new.__required_keys__
    return new


def _is_required(hint: Any, known: bool) -> bool:
    # What the class itself knows is wrong where its annotations are strings: those of a module
    # with ``from __future__ import annotations``.
    wrapped: dict[Any, bool] = {typing.Required: True, typing.NotRequired: False}
    return wrapped.get(typing.get_origin(hint), known)


def _bare(hint: Any) -> Any:
    """*hint* without ``Required`` and ``NotRequired``."""
    if typing.get_origin(hint) in (typing.Required, typing.NotRequired):
        return typing.get_args(hint)[0]
    return hint
