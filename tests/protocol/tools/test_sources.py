"""Tools that come from elsewhere, and change."""

from __future__ import annotations

import pytest

from toolproto.protocol.errors import UsageError
from toolproto.protocol.tools import Tool, ToolRegistry, tool
from toolproto.protocol.tools.sources import LONGEST_NAME, ToolSource, free_name


class Shelf(ToolSource):
    """A source whose tools the test changes."""

    def __init__(self, name: str, *names: str) -> None:
        self.name = name
        self.put(*names)

    def put(self, *names: str) -> None:
        self._tools = tuple(Tool.from_schema(each, f"{each} of {self.name}", {}) for each in names)

    def tools(self):
        return self._tools

    @property
    def is_open(self):
        return True

    def open(self):
        """Nothing to wait for."""

    async def aopen(self):
        """Nothing to wait for."""

    def close(self):
        """Nothing to give back."""


@tool
def look(where: str) -> str:
    """Look."""
    return where


def test_the_tools_of_a_source_stand_behind_the_programs_own():
    registry = ToolRegistry([Shelf("shop", "buy", "sell"), look])
    assert list(registry) == ["look", "buy", "sell"]
    assert [spec.name for spec in registry.offer().tools] == ["look", "buy", "sell"]


def test_what_a_source_changes_is_offered_from_then_on():
    shelf = Shelf("shop", "buy")
    registry = ToolRegistry([look, shelf])
    assert list(registry) == ["look", "buy"]
    shelf.put("rent")
    assert list(registry) == ["look", "rent"]
    assert "buy" not in registry


def test_a_name_that_is_taken_gets_the_name_of_the_source_in_front():
    registry = ToolRegistry([look, Shelf("one", "look", "buy"), Shelf("two", "buy")])
    assert list(registry) == ["look", "one__look", "buy", "two__buy"]
    assert registry["two__buy"].spec.description == "buy of two"


def test_a_tool_that_appears_later_renames_no_other():
    one, two = Shelf("one"), Shelf("two", "buy")
    registry = ToolRegistry([one, two])
    assert list(registry) == ["buy"]
    two.put("buy", "one__buy")
    assert list(registry) == ["buy", "one__buy"]


def test_two_tools_of_one_source_with_the_same_name_are_two_tools():
    registry = ToolRegistry([Shelf("one", "buy", "buy", "buy")])
    assert list(registry) == ["buy", "one__buy", "one__buy_2"]


def test_names_that_are_too_long_are_cut_and_stay_apart():
    long = "n" * LONGEST_NAME
    registry = ToolRegistry([Shelf("one", long, long, long)])
    assert len(registry) == 3
    assert all(len(name) <= LONGEST_NAME for name in registry)


@pytest.mark.parametrize("taken, free", [([], "a"), (["a"], "a_2"), (["a", "a_2"], "a_3")])
def test_a_free_name_has_a_number_behind_it(taken, free):
    assert free_name("a", dict.fromkeys(taken)) == free


def test_a_program_may_take_the_name_of_a_tool_that_is_there_already():
    registry = ToolRegistry([Shelf("one", "look")])
    registry.add(look)
    assert registry["look"] is look
    assert list(registry) == ["look", "one__look"]


def test_filters_and_switches_hold_for_what_comes_later():
    shelf = Shelf("one", "fs_read")
    registry = ToolRegistry([look, shelf])
    kept = registry.only("fs_*").without("*_write")
    assert list(kept) == ["fs_read"]
    kept.disable("fs_read")
    shelf.put("fs_read", "fs_list", "fs_write")
    assert list(kept) == ["fs_read", "fs_list"]
    assert kept.offer().names == {"fs_list"}


def test_a_tool_of_a_source_is_disabled_and_not_removed():
    registry = ToolRegistry([Shelf("one", "buy")])
    with pytest.raises(UsageError, match=r"belongs to a source of tools; disable\(\) it"):
        registry.remove("buy")


def test_two_sources_have_two_names():
    with pytest.raises(UsageError, match="already a source of tools named 'one'"):
        ToolRegistry([Shelf("one"), Shelf("one")])


def test_as_long_as_nothing_changes_the_same_tools_are_given():
    registry = ToolRegistry([look, Shelf("one", "buy")])
    assert registry.offer().tools[1] is registry.offer().tools[1]
    assert registry["buy"] is registry["buy"]


def test_a_source_is_a_group_and_stays_off_whatever_tools_it_gets():
    shelf = Shelf("shop", "one")
    registry = ToolRegistry({"own": [Tool.from_schema("add", "Add.", None)], "more": [shelf]})
    assert registry.groups == {"own": ("add",), "shop": ("one",)}
    registry.disable("shop")
    shelf.put("one", "add")
    assert registry.groups["shop"] == ("one", "shop__add")
    assert registry.offer().names == {"add"} and registry.offer().groups == {"own"}
    registry.enable("shop")
    assert registry.offer().names == {"add", "one", "shop__add"}
