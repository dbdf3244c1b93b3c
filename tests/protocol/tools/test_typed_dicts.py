"""``typing.TypedDict`` in the parameters of a tool, on every Python."""

from __future__ import annotations

from typing import Annotated, NotRequired, Required, TypedDict

from toolproto import CallProblem, tool


class Point(TypedDict, total=False):
    x: Required[int]
    y: int


class Node(TypedDict):
    """A node."""

    name: str
    at: NotRequired[Point]
    children: list[Node]


class Named(Node, total=False):
    alias: str


@tool
def draw(
    node: Node,
    named: Annotated[list[Named], "more of them"] = [],  # noqa: B006 (never changed)
    points: dict[str, Point] | None = None,
) -> str:
    """Draw."""
    return node["name"]


def test_its_schema_says_which_keys_are_required():
    definitions = draw.spec.parameters["$defs"]
    assert definitions["Node"]["required"] == ["name", "children"]
    assert definitions["Named"]["required"] == ["name", "children"]
    assert definitions["Point"]["required"] == ["x"]
    assert definitions["Node"]["description"] == "A node."


def test_one_that_holds_itself_is_read():
    node = {"name": "a", "children": [{"name": "b", "at": {"x": 1}, "children": []}]}
    assert draw.bind({"node": node, "points": {"p": {"x": 2}}}) == {
        "node": node,
        "points": {"p": {"x": 2}},
    }


def test_what_is_missing_is_told():
    problem = draw.bind({"node": {"name": "a", "at": {}, "children": []}})
    assert isinstance(problem, CallProblem) and "arguments.node.at.x" in problem.message
