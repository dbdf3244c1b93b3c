"""Tools together."""

from __future__ import annotations

import pytest

from toolproto.protocol.errors import UsageError
from toolproto.protocol.messages import CallProblem, ProblemKind, ToolCall
from toolproto.protocol.tools import Tool, ToolOffer, ToolRegistry, tool


@tool(risk="write")
def fs_write(path: str, text: str) -> None:
    """Write a file."""


def fs_read(path: str) -> str:
    """Read a file."""
    return path


def search(query: str) -> str:
    """Search the web."""
    return query


@pytest.fixture
def registry():
    return ToolRegistry([fs_write, fs_read, search])


def test_a_registry_is_a_mapping_in_the_order_of_adding(registry):
    assert list(registry) == ["fs_write", "fs_read", "search"]
    assert len(registry) == 3
    assert "search" in registry and "nothing" not in registry
    assert registry["fs_write"] is fs_write
    assert isinstance(registry["search"], Tool)
    assert repr(registry) == "ToolRegistry(fs_write, fs_read, search)"


def test_a_name_is_taken_once(registry):
    with pytest.raises(UsageError, match=r"already a tool named 'search'.*remove"):
        registry.add(search)


def test_a_function_without_a_usable_name_is_refused():
    with pytest.raises(UsageError, match="'<lambda>' cannot name a tool"):
        ToolRegistry([lambda: None])


def test_a_removed_tool_may_come_back(registry):
    removed = registry.remove("search")
    assert "search" not in registry
    assert registry.add(removed) is removed


def grouped():
    return ToolRegistry({"files": [fs_write, fs_read], "web": [search]})


def test_groups_are_named_sets_of_tools():
    registry = grouped()
    assert registry.groups == {"files": ("fs_write", "fs_read"), "web": ("search",)}
    registry.disable("files")
    assert registry.offer().names == {"search"} and not registry.is_enabled("fs_read")
    registry.enable("fs_read")
    assert registry.offer().names == {"fs_read", "search"}
    registry.enable("files")
    assert registry.offer().names == set(registry) and registry.offer().groups == {"files", "web"}
    assert set(registry.only("files")) == {"fs_write", "fs_read"}
    assert set(registry.without("files")) == {"search"}
    assert registry.without("fs_read").groups == {"files": ("fs_write",), "web": ("search",)}
    for wrong in ("file", "f?les"):  # the name of a group is no pattern
        with pytest.raises(UsageError, match="no tool named"):
            registry.disable(wrong)


def test_only_enabled_tools_are_offered(registry):
    registry.disable("fs_write")
    assert [spec.name for spec in registry.offer().tools] == ["fs_read", "search"]
    assert not registry.is_enabled("fs_write")
    registry.enable("fs_write")
    assert [spec.name for spec in registry.offer().tools] == ["fs_write", "fs_read", "search"]


@pytest.mark.parametrize("method", ["remove", "enable", "disable", "is_enabled"])
def test_a_name_nobody_has_is_a_mistake_with_a_remedy(registry, method):
    with pytest.raises(UsageError, match=r"no tool named 'serch'.*'search'"):
        getattr(registry, method)("serch")


def test_filters_share_the_tools_and_leave_the_registry_alone(registry):
    registry.disable("fs_read")
    files = registry.only("fs_*")
    assert list(files) == ["fs_write", "fs_read"]
    assert files["fs_write"] is registry["fs_write"]
    assert not files.is_enabled("fs_read")
    files.enable("fs_read")
    assert not registry.is_enabled("fs_read")
    assert list(registry.without("fs_*", "nothing")) == ["search"]
    assert list(registry.only("search", "*_read")) == ["fs_read", "search"]


def test_the_same_registry_makes_the_same_offer(registry):
    assert repr(registry.offer()) == repr(ToolRegistry([fs_write, fs_read, search]).offer())
    assert registry.offer("required", parallel=False) == ToolOffer(
        registry.offer().tools, "required", False
    )


@pytest.mark.parametrize("choice", ["any", "fs_delete", ""])
def test_a_choice_must_be_a_term_or_a_tool(registry, choice):
    with pytest.raises(UsageError, match="enabled tools are"):
        registry.offer(choice)


def test_a_disabled_tool_cannot_be_chosen(registry):
    assert registry.offer("search").choice == "search"
    registry.disable("search")
    with pytest.raises(UsageError):
        registry.offer("search")


def test_a_call_is_checked_against_what_is_offered(registry):
    call = ToolCall("search", {"query": "x"})
    assert registry.check(call) is call
    problem = registry.check(call, registry.offer("none"))
    assert isinstance(problem, CallProblem) and problem.kind is ProblemKind.NOT_ALLOWED
    registry.disable("search")
    problem = registry.check(call)
    assert isinstance(problem, CallProblem) and problem.kind is ProblemKind.UNKNOWN_TOOL
