"""The tools over files, as a loop uses them."""

from __future__ import annotations

import pytest

from toolproto.conversation.toolsets import FileLimits, FolderFiles, MemoryFiles, file_tools
from toolproto.protocol.errors import ToolFailed, UsageError
from toolproto.protocol.messages import CallProblem, ToolCall
from toolproto.protocol.tools import ToolRegistry
from toolproto.protocol.tools.outcome import ToolOutput

LIMITS = FileLimits(read_bytes=20, entries=3)


@pytest.fixture(params=["memory", "folder"])
def files(request, tmp_path):
    return (
        MemoryFiles(limits=LIMITS) if request.param == "memory" else FolderFiles(tmp_path, LIMITS)
    )


@pytest.fixture
def run(files):
    """Run a call as a loop does: check it, bind it, call it."""
    registry = ToolRegistry(file_tools(files))

    def run(name, **arguments):
        call = registry.check(ToolCall(name, arguments))
        assert isinstance(call, ToolCall), call
        bound = registry[call.name].bind(call.arguments)
        assert not isinstance(bound, CallProblem), bound
        said = registry[call.name](**bound)
        return said.output if isinstance(said, ToolOutput) else said

    return run


def test_what_each_tool_can_do_is_declared():
    tools = file_tools(MemoryFiles(), prefix="notes_")
    assert [(each.name, each.risk, each.idempotent) for each in tools] == [
        ("notes_list_directory", "read", True),
        ("notes_read_file", "read", True),
        ("notes_write_file", "write", True),
    ]


def test_every_tool_and_argument_is_described():
    for each in file_tools(MemoryFiles()):
        assert each.spec.description
        for argument in each.spec.parameters["properties"].values():
            assert argument["description"]


def test_a_folder_may_be_given_by_its_path(tmp_path):
    for root in (tmp_path, str(tmp_path)):
        write = file_tools(root)[2]
        write("a.txt", "text")
    assert (tmp_path / "a.txt").read_text() == "text"


def test_a_prefix_must_make_a_name():
    with pytest.raises(UsageError, match="cannot name a tool"):
        file_tools(MemoryFiles(), prefix="my files ")


def test_a_model_writes_lists_and_reads(run):
    assert run("list_directory") == "'/' is empty"
    assert run("write_file", path="a/b.txt", content="ü\n") == "wrote new file '/a/b.txt', 3 bytes"
    assert run("write_file", path="/a/b.txt", content="x") == "replaced '/a/b.txt', 1 bytes"
    assert run("list_directory", path="/") == "a/"
    assert run("list_directory", path="a") == "b.txt (1 bytes)"
    assert run("read_file", path="a/b.txt") == "x"


def test_a_listing_that_is_cut_says_so(run):
    for name in "abcde":
        run("write_file", path=name, content="")
    assert run("list_directory") == "a (0 bytes)\nb (0 bytes)\nc (0 bytes)\n(2 more not shown)"


TEXTS = ["", "\n", "a", "a\n", "a\r\nb\rc", "\ufeffa", "a\x00b", "a\u2028b\x0bc", "\n\n\n", "🦊"]


@pytest.mark.parametrize("text", TEXTS)
def test_text_comes_back_as_it_was_written(run, text):
    run("write_file", path="a", content=text)
    assert run("read_file", path="a") == text


LINES = [
    ({}, "1\n2\n3\n4"),
    ({"offset": 2}, "2\n3\n4"),
    ({"limit": 2}, "1\n2\n"),
    ({"offset": 2, "limit": 2}, "2\n3\n"),
    ({"offset": 4, "limit": 9}, "4"),
    ({"offset": 1, "limit": 10**400}, "1\n2\n3\n4"),
    ({"offset": "2", "limit": None}, "2\n3\n4"),
]


@pytest.mark.parametrize("arguments, text", LINES)
def test_some_lines_may_be_asked_for(run, arguments, text):
    run("write_file", path="a", content="1\n2\n3\n4")
    assert run("read_file", path="a", **arguments) == text


PAST = [("1\n2\n", 3, "has 2 lines"), ("1\n2", 10**30, "has 2 lines"), ("", 2, "has 0 lines")]


@pytest.mark.parametrize("text, offset, why", PAST)
def test_lines_past_the_end_are_no_lines(run, text, offset, why):
    run("write_file", path="a", content=text)
    with pytest.raises(ToolFailed, match=why):
        run("read_file", path="a", offset=offset)


@pytest.mark.parametrize("arguments", [{"offset": 0}, {"offset": -1}, {"limit": 0}, {"limit": -5}])
def test_lines_are_counted_from_one(run, arguments):
    run("write_file", path="a", content="1\n2\n")
    with pytest.raises(ToolFailed, match="begin at 1"):
        run("read_file", path="a", **arguments)


def test_a_long_file_is_never_cut_but_read_in_parts(run):
    run("write_file", path="a", content="12345678\n" * 4)
    with pytest.raises(ToolFailed, match="36 bytes in 4 lines, of at most 20 bytes; ask for some"):
        run("read_file", path="a")
    parts = [run("read_file", path="a", offset=at, limit=2) for at in (1, 3)]
    assert "".join(parts) == "12345678\n" * 4


def test_a_line_that_is_too_long_is_said_to_be(run):
    run("write_file", path="a", content="short\n" + "x" * 30)
    with pytest.raises(ToolFailed, match="has a line of 30 bytes; 20 can be read at once"):
        run("read_file", path="a", offset=2, limit=1)
    assert run("read_file", path="a", limit=1) == "short\n"


def test_a_file_that_is_no_text_is_said_to_be_none(run, files):
    files.write("a", b"text\n\xff\xfe")
    with pytest.raises(ToolFailed, match="'/a' is not UTF-8 text: byte 5 is 0xff"):
        run("read_file", path="a")
    with pytest.raises(ToolFailed, match="byte 5 is 0xff"):
        run("read_file", path="a", offset=2)
    assert run("read_file", path="a", limit=1) == "text\n"


def test_half_a_character_cannot_be_written(run):
    with pytest.raises(ToolFailed, match=r"cannot hold U\+D83D, half a character, at place 2"):
        run("write_file", path="a", content="ok\ud83d")
    assert run("list_directory") == "'/' is empty"


def test_millions_of_lines_are_read_within_their_limit():
    files = MemoryFiles({"a": b"\n" * 8_000_000})
    read = file_tools(files)[1]
    assert read("a", 7_999_990) == "\n" * 11
    with pytest.raises(ToolFailed, match="8000000 lines"):
        read("a")
