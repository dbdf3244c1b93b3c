"""Tools come from Python, from schemas, from commands and from the file system."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from toolproto import ToolFailed, UsageError
from toolproto.cli.tool_sources import load_offer, load_tools

PARAMETERS = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
PYTHON = '''
from __future__ import annotations
from dataclasses import dataclass
from toolproto import tool
from neighbour import GREETING

@dataclass
class Point:
    x: int

@tool
def hello(name: str) -> str:
    """Greet somebody."""
    return GREETING + name

@tool(risk="write")
def put(point: Point) -> int:
    return point.x

again = hello
'''


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    modules = dict(sys.modules)
    yield
    for name in sys.modules.keys() - modules.keys():
        del sys.modules[name]


def write(name: str, content: str | object) -> str:
    text = content if isinstance(content, str) else json.dumps(content)
    Path(name).write_text(text, encoding="utf-8")
    return name


def test_a_python_file_gives_what_it_marks_and_may_import_its_neighbours():
    write("neighbour.py", "GREETING = 'Hi '")
    tools = load_tools([write("mine.py", PYTHON)])
    assert list(tools) == ["hello", "put"]
    assert tools["hello"]("Ada") == "Hi Ada"
    assert tools["put"].risk == "write"


def test_a_list_called_tools_says_which_functions_count():
    source = "def a(x: int) -> int: return x\ndef b(x: int) -> int: return x\nTOOLS = [b]\n"
    assert list(load_tools([write("some.py", source)])) == ["b"]


def test_a_module_is_found_by_its_name():
    write("neighbour.py", "GREETING = 'Hi '")
    write("by_name.py", PYTHON)
    assert list(load_tools(["by_name"])) == ["hello", "put"]


ONE = {"name": "shout", "description": "Louder.", "parameters": PARAMETERS}
SHAPES = [
    [ONE],
    ONE,
    {"tools": [ONE]},
    {"shout": {"description": "Louder.", "parameters": PARAMETERS}},
    [{"type": "function", "function": ONE}],
    [{"name": "shout", "description": "Louder.", "input_schema": PARAMETERS}],
    [{"name": "shout", "description": "Louder.", "inputSchema": PARAMETERS}],
]


@pytest.mark.parametrize("shape", SHAPES, ids=range(len(SHAPES)))
def test_schemas_may_come_as_everybody_writes_them(shape):
    (tool,) = load_offer([write("tools.json", shape)]).tools
    assert (tool.name, tool.description, tool.parameters) == ("shout", "Louder.", PARAMETERS)


def test_schemas_may_be_toml():
    write("tools.toml", '[[tools]]\nname = "now"\ndescription = "The time."\n')
    assert load_offer(["tools.toml"]).names == {"now"}


def test_sources_add_up_and_the_file_tools_are_one():
    Path("notes").mkdir()
    Path("notes/a.txt").write_text("milk")
    tools = load_tools([write("tools.json", [ONE]), "files:notes"])
    assert list(tools) == ["shout", "list_directory", "read_file", "write_file"]
    assert "milk" in str(tools["read_file"]("a.txt"))
    assert "wrote" in str(load_tools(["files:"])["write_file"]("a", "b"))


def command(*words: str, **terms: object) -> dict[str, object]:
    return {**ONE, "command": [sys.executable, "-c", *words], **terms}


def test_a_command_gets_its_arguments_as_words_and_on_its_input():
    program = "import sys, json; print(sys.argv[1:], json.load(sys.stdin))"
    tool = load_tools([write("t.json", [command(program, "<{text}>", "{text}")])])["shout"]
    said = "a b; $(rm) 'q'"
    assert tool(text=said).strip() == f"{[f'<{said}>', said]} {{'text': {said!r}}}"
    assert tool.risk == "exec"


def test_a_command_may_be_called_harmless():
    (tool,) = load_tools([write("t.json", [command("pass", risk="read", timeout=5)])]).values()
    assert (tool.risk, tool.timeout) == ("read", 5)


def test_a_command_is_not_told_our_keys(monkeypatch):
    monkeypatch.setenv("TOOLPROTO_API_KEY", "sk-secret")
    program = "import os; print([k for k in os.environ if 'TOOLPROTO' in k])"
    assert load_tools([write("t.json", [command(program)])])["shout"](text="").strip() == "[]"


FAILING = [
    (command("import sys; sys.exit('no such thing')"), "a", "exit code 1: no such thing"),
    (command("import time; time.sleep(60)", timeout=0.2), "a", "longer than 0.2 seconds"),
    ({**ONE, "command": ["./not-there"]}, "a", "cannot be run"),
    (command("pass", "{text}"), "a\0b", "cannot be run"),
]


@pytest.mark.parametrize("definition, text, told", FAILING)
def test_a_command_that_fails_tells_the_model(definition, text, told):
    tool = load_tools([write("t.json", [definition])])["shout"]
    with pytest.raises(ToolFailed, match=told):
        tool(text=text)


BAD = [
    ("empty.py", "x = 1", "has no tools"),
    ("raises.py", "1 / 0", "ZeroDivisionError"),
    ("syntax.py", "def", "SyntaxError"),
    ("list.json", [1], "must be an object"),
    ("number.json", 3, "list of tools"),
    ("broken.json", "{", "cannot be read"),
    ("deep.json", "[" * 100_000, "cannot be read"),
    ("schema.json", [{"name": "x", "parameters": {"type": "array"}}], "x"),
    ("name.json", [{"name": "x y"}], "x y"),
    ("twice.json", [ONE, ONE], "already a tool named 'shout'"),
    ("word.json", [{**ONE, "command": "rm -rf {text}"}], "list of words"),
    ("place.json", [{**ONE, "command": ["echo", "{other}"]}], "not an argument"),
    ("program.json", [{**ONE, "command": ["{text}"]}], "lets the model choose the program"),
    ("risk.json", [{**ONE, "risk": "none"}], "risk"),
]


@pytest.mark.parametrize("name, content, told", BAD, ids=[name for name, _, _ in BAD])
def test_a_source_that_cannot_be_used_is_named(name, content, told):
    with pytest.raises(UsageError, match=told):
        load_tools([write(name, content)])


def test_a_module_that_is_not_there_is_named():
    with pytest.raises(UsageError, match=r"no_such_module cannot be loaded"):
        load_tools(["no_such_module"])
