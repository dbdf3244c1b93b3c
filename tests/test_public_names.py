"""The names people import: adding one is a decision, taking one away breaks somebody."""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
import subprocess
import sys
from enum import Enum
from pathlib import Path

import pytest

import toolproto
from tests.amount import together
from toolproto.public_names import homes

PUBLIC = [
    "Allow",
    "ApprovalRequest",
    "ArgumentStrings",
    "ArgumentsDelta",
    "AsyncChatSession",
    "Attachment",
    "CallCompleted",
    "CallDoubted",
    "CallError",
    "CallProblem",
    "CallRejected",
    "CallStarted",
    "ChatRequest",
    "ChatSession",
    "Chunk",
    "Concern",
    "CustomCall",
    "Decoder",
    "Defer",
    "Deny",
    "EndpointError",
    "EndpointTimeout",
    "Event",
    "Grade",
    "Guard",
    "Hooks",
    "HttpEndpoint",
    "JsonCall",
    "LimitReached",
    "Limits",
    "LocalEndpoint",
    "Message",
    "MessageAppended",
    "NamedJson",
    "NotRun",
    "ParsedResponse",
    "Policy",
    "ProblemKind",
    "PythonCall",
    "Reasoning",
    "ReasoningDelta",
    "Recommendation",
    "Repair",
    "Segment",
    "SegmentKind",
    "Span",
    "StateChanged",
    "StringDelta",
    "TaggedCall",
    "TemplateCall",
    "TextDelta",
    "Tool",
    "ToolCall",
    "ToolContext",
    "ToolContextBuilder",
    "ToolContextDef",
    "ToolFailed",
    "ToolOffer",
    "ToolOutput",
    "ToolProtoError",
    "ToolRegistry",
    "ToolResult",
    "ToolSpec",
    "ToolStatus",
    "ToolUpdated",
    "ToolsRefused",
    "TurnCancelled",
    "TurnEnded",
    "TurnLimits",
    "TurnResult",
    "TurnState",
    "TurnTimeout",
    "Usage",
    "UsageError",
    "WireError",
    "WireFormat",
    "WireParadigm",
    "XmlCall",
    "check_call",
    "counted_ids",
    "document",
    "get_paradigm",
    "image",
    "list_paradigms",
    "merge",
    "parse_any",
    "recommend",
    "register_paradigm",
    "tool",
]
#: A union has no place for a docstring; its module explains it.
UNIONS = {"Event"}


def test_the_public_names_are_these():
    assert toolproto.__all__ == PUBLIC


def test_the_list_is_in_order_and_without_repetition():
    assert sorted(set(PUBLIC)) == PUBLIC


@together(name=PUBLIC)
def test_a_public_name_is_there(name):
    assert hasattr(toolproto, name)


@together(name=[name for name in PUBLIC if name not in UNIONS])
def test_a_public_name_says_what_it_is(name):
    written = getattr(toolproto, name).__doc__
    # A dataclass without words gets its signature for a docstring.
    assert written and not written.startswith(f"{name}(")


def methods(cls: type) -> list[str]:
    """The public methods and properties that *cls* itself defines."""
    members = vars(cls).items()
    kinds = (property, classmethod, staticmethod)
    return [
        name
        for name, member in members
        if not name.startswith("_") and (inspect.isfunction(member) or isinstance(member, kinds))
    ]


METHODS = [
    (name, method)
    for name in PUBLIC
    if inspect.isclass(cls := getattr(toolproto, name)) and not issubclass(cls, Enum)
    for method in methods(cls)
]


@together(member=METHODS)
def test_a_public_method_says_what_it_does(member):
    name, method = member
    assert inspect.getdoc(getattr(getattr(toolproto, name), method))


def test_nothing_else_looks_public():
    """What can be reached without being listed is a submodule, or how the names are opened."""
    others = {name for name in vars(toolproto) if not name.startswith("_")} - set(PUBLIC)
    others -= {"open_lazily"}
    assert {name for name in others if not inspect.ismodule(vars(toolproto)[name])} == set()


def test_dir_shows_only_what_is_ours():
    assert [name for name in dir(toolproto) if not name.startswith("_")] == PUBLIC


ROOMS = ["protocol", "endpoints", "conversation", "gateway", "bulk", "testing", "web"]
ELSEWHERE = [
    (room, name) for room in ROOMS for name in homes(f"toolproto.{room}") if name not in PUBLIC
]


@together(place=ELSEWHERE)
def test_what_is_elsewhere_says_where(place):
    room, name = place
    assert hasattr(importlib.import_module(f"toolproto.{room}"), name)
    assert not hasattr(toolproto, name)
    with pytest.raises(AttributeError, match=rf"from toolproto.\w+ import {name}"):
        getattr(toolproto, name)


@together(room=["", *ROOMS])
def test_no_public_name_is_the_name_of_a_module_beside_it(room):
    """Importing that module would put it in the place of what people ask for."""
    package = f"toolproto.{room}".rstrip(".")
    folder = importlib.import_module(package).__path__
    beside = {each.name for each in pkgutil.iter_modules(folder)}
    assert beside & homes(package).keys() == set()


def test_no_public_name_is_the_name_of_a_package():
    """``import toolproto.paradigms as p`` would give whatever has that name."""
    walked = pkgutil.walk_packages(toolproto.__path__, "toolproto.")
    packages = {each.name.rpartition(".")[2] for each in walked if each.ispkg}
    public = {name for room in ["", *ROOMS] for name in homes(f"toolproto.{room}".rstrip("."))}
    assert packages & public == set()


def test_what_is_imported_from_elsewhere_says_where():
    with pytest.raises(ImportError, match=r"from toolproto.endpoints import ScriptedEndpoint"):
        from toolproto import ScriptedEndpoint  # noqa: F401


def test_there_is_a_version():
    assert toolproto.__version__.count(".") == 2


HEAVY = ["pytest", "hypothesis", "syrupy", "httpx", "lxml", "anyio", "asyncio"]


def loaded(statement: str) -> set[str]:
    """The modules that a fresh interpreter has loaded after *statement*."""
    program = f"import sys\n{statement}\nprint('\\n'.join(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    return set(done.stdout.split())


def test_importing_the_package_loads_nothing_heavy():
    assert loaded("import toolproto") & set(HEAVY) == set()


def test_importing_the_laws_needs_no_test_framework():
    assert loaded("import toolproto.testing.laws") & {"pytest", "hypothesis", "syrupy"} == set()


def test_a_module_beside_the_names_can_be_imported_first():
    assert "toolproto.testing.laws" in loaded("from toolproto.testing import laws")


def test_importing_the_package_loads_no_module_of_it():
    ours = [name for name in loaded("import toolproto") if name.startswith("toolproto.")]
    assert ours == ["toolproto.public_names"]


def test_star_gives_exactly_the_public_names():
    program = "from toolproto import *\nprint('\\n'.join(n for n in dir() if n[:2] != '__'))"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert sorted(done.stdout.split()) == PUBLIC


def exported_classes() -> dict[str, list[str]]:
    """Return the modules that define a class of each name and have it in their ``__all__``."""
    found: dict[str, list[str]] = {}
    for path in sorted(Path(toolproto.__path__[0]).rglob("*.py")):
        body = ast.parse(path.read_text("utf-8")).body
        exported = {
            name
            for node in body
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__"
            for name in ast.literal_eval(node.value)
        }
        for node in body:
            if isinstance(node, ast.ClassDef) and node.name in {*exported, *PUBLIC}:
                found.setdefault(node.name, []).append(str(path.relative_to(toolproto.__path__[0])))
    return found


def test_no_two_classes_that_modules_export_have_one_name():
    assert {name: homes for name, homes in exported_classes().items() if homes[1:]} == {}


def test_no_two_things_that_packages_give_have_one_name():
    packages = ["toolproto", *(
        each.name for each in pkgutil.walk_packages(toolproto.__path__, "toolproto.") if each.ispkg
    )]  # fmt: skip
    places: dict[str, dict[int, str]] = {}
    for package in packages:
        module = importlib.import_module(package)
        for name in getattr(module, "__all__", ()):
            places.setdefault(name, {})[id(getattr(module, name))] = package
    assert {name: each for name, each in places.items() if len(each) > 1} == {}
