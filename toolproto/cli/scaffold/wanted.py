"""What somebody asks for who wants a new paradigm; what cannot be is refused at once."""

from __future__ import annotations

import builtins
import keyword
import re
import sys
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from ...protocol.errors import UsageError
from ...protocol.paradigms import list_paradigms

__all__ = ["PAYLOADS", "TAKEN", "NewParadigm"]

#: How the inside of a call is written: the class, and how it is made.
PAYLOADS = {
    "json": ("JsonCall", "JsonCall()"),
    "named-json": ("NamedJson", 'NamedJson("{name} {arguments}")'),
    "tags": ("TaggedCall", "TaggedCall()"),
    "python": ("PythonCall", "PythonCall(listed=False)"),
    "xml": ("XmlCall", "XmlCall()"),
}
_NAME = re.compile(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)*")
_TELLING = re.compile(r"[^\w\s]")
#: Classes that the files of a new paradigm use under these names.
TAKEN = frozenset(
    (
        *("ArgumentsDelta", "CallCompleted", "CallDoubted", "CallProblem", "CallRejected"),
        *("CallStarted", "Late", "PlaceTracker"),
        *("Callable", "Decoder", "Event", "Grade", "IdFactory", "JsonCall", "LineDecoder"),
        *(
            "NamedJson",
            "PLAIN",
            "ParadigmLaws",
            "Path",
            "Pattern",
            "Place",
            "ProblemKind",
            "PythonCall",
            "Reading",
        ),
        *("Reasoning", "ReasoningDelta", "Sequence", "Span", "TaggedCall", "TextDelta"),
        *(
            "ToolCall",
            "ToolContextDef",
            "ToolOffer",
            "ToolResult",
            "UsageError",
            "Verdict",
            "WireFormat",
        ),
        *("WireParadigm", "XmlCall"),
    )
)
_MARKDOWN = " \t>`~|#"
_LONGEST = 60
_SHORTEST = 3


@dataclass(frozen=True, slots=True)
class NewParadigm:
    """A paradigm to be written.

    Calls stand between *opener* and *closer*, their inside written as *payload*; or, *custom*, on
    a line that begins with *opener*, read by a decoder of their own. *package* makes a package of
    it, with an entry point.
    """

    name: str
    opener: str
    closer: str = ""
    payload: str = "json"
    custom: bool = False
    package: bool = False

    @property
    def class_name(self) -> str:
        """``MyForm`` for ``my_form``."""
        return "".join(word.capitalize() for word in self.name.split("_"))

    @property
    def module(self) -> str:
        """What is imported: the file, or the package it is in."""
        return f"toolproto_{self.name}" if self.package else self.name

    @property
    def distribution(self) -> str:
        """What a package of it is called."""
        return f"toolproto-{self.name.replace('_', '-')}"

    def check(self) -> None:
        """Raise UsageError for a name or a marker that cannot be."""
        _check_name(self.name)
        _check_module(self.module)
        _check_class(self.class_name)
        _check_markers(self.opener, self.closer)
        if self.custom and (self.closer or self.payload != "json"):
            raise UsageError("a custom paradigm reads lines: leave out --close and --payload")
        if self.custom:
            _check_begins_line(self.opener)
        else:
            _check_telling(self.opener)


def _check_name(name: str) -> None:
    if not _NAME.fullmatch(name) or len(name) > _LONGEST:
        raise UsageError(f"{name!r} cannot name a paradigm; use snake_case, as in 'my_form'")
    if keyword.iskeyword(name) or keyword.issoftkeyword(name):
        raise UsageError(f"{name!r} is a word of Python's own; choose another name")
    if name.startswith("test_") or name in ("conftest", "fixtures", "tests"):
        raise UsageError(f"pytest would take {name}.py for something else; choose another name")
    if name in list_paradigms():
        raise UsageError(f"there is a paradigm {name!r} already; choose another name")


def _check_module(module: str) -> None:
    """A file that is called like another module would hide it, or be hidden by it."""
    found = find_spec(module)
    elsewhere = found and found.origin and Path(found.origin).parent != Path.cwd()
    if module in sys.stdlib_module_names or elsewhere:
        raise UsageError(f"there is a module {module!r} already; choose another name")


def _check_class(name: str) -> None:
    if name in TAKEN or hasattr(builtins, name):
        raise UsageError(f"its class would be called {name}, which is taken; choose another name")


def _check_markers(opener: str, closer: str) -> None:
    if not opener.strip():
        raise UsageError("a call needs a marker before it: give --open, as in --open '[[call '")
    for marker in (opener, closer):
        if len(marker) > _LONGEST or not marker.replace("\n", "").isprintable():
            raise UsageError(f"{marker!r} is not a marker; use up to {_LONGEST} visible characters")
    if opener.strip() == closer.strip():
        raise UsageError(f"both markers of a call are {opener!r}; let them differ")


def _check_telling(opener: str) -> None:
    """Nobody may write it for another reason."""
    seen = opener.strip()
    if len(seen) < _SHORTEST or len(set(seen)) == 1 or not _TELLING.search(seen):
        raise UsageError(
            f"people write {seen!r} for other reasons; take a marker of three characters or more,"
            " one of them neither letter nor digit, as in '[[call '"
        )


def _check_begins_line(opener: str) -> None:
    if "\n" in opener or opener[0] in _MARKDOWN:
        raise UsageError(
            f"a line that begins with {opener!r} means something else in Markdown; choose another"
            " marker, as in '@call '"
        )
