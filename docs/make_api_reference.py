"""Writes docs/api.md: every public name with its signature and what its docstring says.

python docs/make_api_reference.py
"""

from __future__ import annotations

import dataclasses
import enum
import inspect
import re
import typing
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import toolproto
from toolproto.conversation import TurnTerms
from toolproto.public_names import homes

PAGE = Path(__file__).parent / "api.md"
_WIDEST = 96

_HEAD = """\
# API reference

Everything that `from toolproto import …` gives. The guides say how to use it; this page is written
from the docstrings by `docs/make_api_reference.py`.

```python
import toolproto

print("ChatSession" in dir(toolproto))  # True
```
"""
#: The chapters, by where a name is defined.
_CHAPTERS = {
    "Conversations": (
        *("conversation.session", "conversation.turn", "protocol.paradigms.prompt"),
        "conversation.hooks",
    ),
    "Endpoints": ("endpoints",),
    "Tools": ("protocol.tools",),
    "Who decides": ("conversation.deciding", "protocol.deciding", "protocol.guard"),
    "Messages": ("protocol.messages", "endpoints.attachments"),
    "Paradigms": ("protocol.paradigms", "protocol.paradigms.recommendations"),
    "Reading replies": ("protocol.events", "protocol.decoding"),
    "Errors": ("protocol.errors",),
}
#: What a chapter begins with, and what is like another class but awaited.
_FIRST = ("ChatSession",)
_AWAITED = ("AsyncChatSession",)
_ROLE = re.compile(r":(?:class|meth|func|attr|mod):`[~.]?(?:[\w.]*\.)?(\w+)`")
_EMPHASIS = re.compile(r"(?<![\w*])\*(\w+)\*(?![\w*])")


def page() -> str:
    """The whole page."""
    chapters = (f"## {title}\n\n{_chapter(homes)}" for title, homes in _CHAPTERS.items())
    return "\n".join([_HEAD, *chapters])


def _chapter(homes: tuple[str, ...]) -> str:
    names = [name for name in toolproto.__all__ if _home(name) in homes]
    names.sort(key=lambda name: name not in _FIRST)
    entries = [_entry(name, getattr(toolproto, name)) for name in names]
    if "conversation.session" in homes:
        entries.insert(2, f"### Terms of a turn\n\n{_words(TurnTerms.__doc__)}\n")
    return "\n".join(entries)


def _home(name: str) -> str:
    module = homes("toolproto")[name].removeprefix("toolproto.")
    known = [home for chapter in _CHAPTERS.values() for home in chapter]
    return max((home for home in known if f"{module}.".startswith(f"{home}.")), key=len)


def _entry(name: str, value: Any) -> str:
    parts = [f"### `{name}`", *_facts(name, value)]
    if inspect.isclass(value):
        whose = (value,) if name in _AWAITED else value.__mro__
        parts += [_method(*each) for each in _methods(whose)]
    return "\n\n".join(parts) + "\n"


def _facts(name: str, value: Any) -> Iterator[str]:
    if typing.get_args(value):
        members = ", ".join(f"`{each.__name__}`" for each in typing.get_args(value))
        yield f"One of {members}."
        return
    if inspect.isclass(value) and issubclass(value, enum.Enum):
        yield f"{_words(value.__doc__)}\n\nOne of {', '.join(f'`{each.name}`' for each in value)}."
        return
    abstract = inspect.isclass(value) and getattr(value, "_is_protocol", False)
    if not abstract and name not in _AWAITED and (shown := _signature(name, value)):
        yield f"```text\n{shown}\n```"
    yield _words(value.__doc__)
    init = vars(value).get("__init__") or getattr(value, "__init__", None)
    if (
        name not in _AWAITED
        and inspect.isclass(value)
        and "Args:" in ((init and init.__doc__) or "")
    ):
        yield _words(init.__doc__)


def _methods(classes: Iterable[type]) -> Iterator[tuple[str, Any]]:
    """The public methods and properties of ours that *classes* have, as they stand there."""
    seen: set[str] = set()
    for each in classes:
        if not each.__module__.startswith("toolproto") or issubclass(each, enum.Enum):
            continue
        for name, member in vars(each).items():
            member = getattr(member, "__func__", member)  # a classmethod's
            is_one = inspect.isfunction(member) or isinstance(member, property)
            if is_one and not name.startswith("_") and name not in seen:
                seen.add(name)
                yield name, member


def _method(name: str, member: Any) -> str:
    if isinstance(member, property):
        return f"- **`{name}`**: {_indented(member.fget.__doc__)}"
    return f"- **`{_signature(name, member, short=True)}`**: {_indented(member.__doc__)}"


def _signature(name: str, value: Any, short: bool = False) -> str:
    try:
        signature = inspect.signature(value)
    except (TypeError, ValueError):
        return ""
    shown = [_parameter(each, short) for each in _open_to_people(signature)]
    kinds = [each.kind for each in _open_to_people(signature)]
    for at, kind in enumerate(kinds):
        if kind is inspect.Parameter.KEYWORD_ONLY:
            if inspect.Parameter.VAR_POSITIONAL not in kinds:
                shown.insert(at, "*")
            break
    written = f"{name}({', '.join(shown)})"
    if short or len(written) <= _WIDEST:
        return written
    return f"{name}(\n" + "".join(f"    {each},\n" for each in shown) + ")"


def _open_to_people(signature: inspect.Signature) -> list[inspect.Parameter]:
    hidden = ("self", "cls")
    return [
        each
        for each in signature.parameters.values()
        if each.name not in hidden and not each.name.startswith("_")
    ]


def _parameter(parameter: inspect.Parameter, short: bool) -> str:
    stars = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}
    shown = f"{stars.get(parameter.kind, '')}{parameter.name}"
    if not short and isinstance(parameter.annotation, str):
        shown += f": {parameter.annotation}"
    if parameter.default is inspect.Parameter.empty:
        return shown
    return f"{shown}{'=' if short else ' = '}{_default(parameter.default)}"


def _default(value: Any) -> str:
    # A factory, or an object whose repr says where in memory it lies.
    if value is dataclasses.MISSING or type(value).__repr__ is object.__repr__ or callable(value):
        return "…"
    shown = repr(value)
    return shown if len(shown) <= 40 and "<" not in shown else "…"


def _words(docstring: str | None) -> str:
    """A docstring as Markdown."""
    text = inspect.cleandoc(docstring or "")
    text = _ROLE.sub(r"`\1`", text).replace("``", "`")
    text, found, listed = text.partition("Args:\n")
    text = _EMPHASIS.sub(r"`\1`", _blocks(text)).strip()
    if not found:
        return text
    items = re.sub(r"\n\s+", " ", inspect.cleandoc("\n" + listed))
    lines = (re.sub(r"^(\w+):", r"- `\1`:", line) for line in items.splitlines() if line)
    return "\n".join([text, "", *(_EMPHASIS.sub(r"`\1`", line) for line in lines)])


def _blocks(text: str) -> str:
    """Indented blocks behind ``::``, and tables, as fenced text."""
    made = re.sub(
        r"::\n\n((?:    .*\n?|\n)+)",
        lambda block: f":\n\n```text\n{inspect.cleandoc(block[1])}\n```\n\n",
        text,
    )
    return re.sub(r"((?:^=+ .*$)(?:.|\n)*?^=+ +=+$)(?!\n\S)", r"```text\n\1\n```", made, flags=re.M)


def _indented(docstring: str | None) -> str:
    return _words(docstring).replace("\n", "\n  ").replace("\n  \n", "\n\n")


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
