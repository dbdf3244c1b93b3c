"""What both kinds of files have in common, and that they have it in common."""

from __future__ import annotations

import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolproto.conversation.toolsets import (
    Entry,
    FileLimits,
    FolderFiles,
    FolderListing,
    MemoryFiles,
)
from toolproto.protocol.errors import ToolFailed, UsageError

SMALL = FileLimits(file_bytes=20, entries=3, files=4, total_bytes=50)


@pytest.fixture(params=["memory", "folder"])
def make(request, tmp_path):
    """Make empty files, within limits."""
    if request.param == "memory":
        return lambda *limits: MemoryFiles({}, *limits)
    return lambda *limits: FolderFiles(tmp_path, *limits)


def failure(call, *args) -> str:
    with pytest.raises(ToolFailed) as failed:
        call(*args)
    return str(failed.value)


def test_what_was_written_is_read(make):
    files = make()
    assert files.write("a/b/c.txt", b"\x00\xff\r\n") is True
    assert files.read("/a/./b//c.txt") == b"\x00\xff\r\n"
    assert files.write("a/b/c.txt", b"") is False
    assert files.read("a/b/c.txt") == b""


def test_a_listing_is_sorted_and_gives_sizes(make):
    files = make()
    for path in ["b", "a/x", "a/y/z", "C", ".d"]:
        files.write(path, b"12")
    assert files.list() == FolderListing((Entry(".d", 2), Entry("C", 2), Entry("a"), Entry("b", 2)))
    assert files.list("a/") == FolderListing((Entry("x", 2), Entry("y")))


def test_nothing_is_in_an_empty_place(make):
    assert make().list("/") == FolderListing(())


WRONG = [
    ("read", "nothing", "'/nothing' does not exist"),
    ("read", "no/thing/here", "'/no' does not exist"),
    ("read", "dir/no/x", "'/dir/no' does not exist"),
    ("read", "dir", "'/dir' is a directory, not a file"),
    ("read", "dir/file/x", "'/dir/file' is a file, not a directory"),
    ("read", "", "names a directory"),
    ("read", "dir/file/", "names a directory"),
    ("list", "nothing", "'/nothing' does not exist"),
    ("list", "dir/file", "'/dir/file' is a file, not a directory"),
    ("list", "dir/file/x", "'/dir/file' is a file, not a directory"),
    ("list", "dir/..", "'..' is not used here"),
    ("write", "dir", "'/dir' is a directory, not a file"),
    ("write", "dir/file/x", "'/dir/file' is a file, not a directory"),
    ("write", "dir/", "names a directory"),
    ("write", "/", "names a directory"),
    ("write", "../x", "'..' is not used here"),
    ("write", ".git/hooks/post-checkout", "'.git' belongs to version control"),
    ("write", "dir/.git", "'.git' belongs to version control"),
    ("write", "dir/.GIT/config", "'.GIT' belongs to version control"),
    ("write", ".git./config", "'.git.' belongs to version control"),
    ("write", ".git /config", "'.git ' belongs to version control"),
    ("write", ".g\u200cit/config", "belongs to version control"),
    ("write", "GIT~1/config", "belongs to version control"),
    ("write", ".git::$INDEX_ALLOCATION/config", "belongs to version control"),
    ("write", ".hg/hgrc", "belongs to version control"),
]


@pytest.mark.parametrize("method, path, why", WRONG)
def test_what_cannot_be_done_is_told_with_the_path(make, method, path, why):
    files = make()
    files.write("dir/file", b"kept")
    more = [b"lost"] if method == "write" else []
    assert why in failure(getattr(files, method), path, *more)
    assert files.read("dir/file") == b"kept"
    assert files.list("dir").entries == (Entry("file", 4),)


@pytest.mark.parametrize("path", [".gitignore", ".github/workflows/x.yml", "git/x", "a.git"])
def test_what_is_only_called_alike_is_written(make, path):
    files = make()
    assert files.write(path, b"x") is True
    assert files.read(path) == b"x"


def test_what_version_control_keeps_is_read(make, tmp_path):
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "HEAD").write_text("ref: x")
    assert FolderFiles(tmp_path).read(".git/HEAD") == b"ref: x"


def test_a_file_may_not_be_too_large(make):
    files = make(SMALL)
    files.write("a", b"x" * 20)
    told = failure(files.write, "a", b"x" * 21)
    assert told == "'/a' has 21 bytes; a file may have 20 here"
    assert files.read("a") == b"x" * 20


def test_there_may_not_be_too_many_files(make):
    files = make(SMALL)
    for name in "abcd":
        files.write(name, b"")
    assert failure(files.write, "new/e", b"") == (
        "'/new/e' would be one file too many; there may be 4"
    )
    files.write("a", b"again")
    assert files.list() == FolderListing((Entry("a", 5), Entry("b", 0), Entry("c", 0)), more=1)


def test_there_may_not_be_too_much_in_all(make):
    files = make(SMALL)
    for name in "ab":
        files.write(name, b"x" * 20)
    assert failure(files.write, "c", b"x" * 11) == (
        "'/c' would make 51 bytes in all; there may be 50"
    )
    files.write("b", b"")
    files.write("c", b"x" * 11)


def test_a_long_listing_says_how_much_is_missing(make):
    files = make(SMALL)
    for name in "dbca":
        files.write(name, b"")
    assert files.list() == FolderListing((Entry("a", 0), Entry("b", 0), Entry("c", 0)), more=1)


def test_names_that_look_alike_stay_apart(make):
    files = make()
    names = ["e\u0301", "\u00e9", "\uff0e\uff0e", "%2e%2e", "A", "a"]
    for number, name in enumerate(names):
        files.write(name, str(number).encode())
    if len(files.list().entries) < len(names):
        pytest.skip("this file system itself takes some of the names for one")
    assert [files.read(name) for name in names] == [b"0", b"1", b"2", b"3", b"4", b"5"]


def test_the_bounds_hold_when_many_write_at_once(make):
    files = make(FileLimits(files=50))
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(8) as pool:
            done = list(pool.map(lambda n: succeeds(files.write, f"{n % 8}/{n}", b"x"), range(120)))
    finally:
        sys.setswitchinterval(interval)
    held = [each for folder in range(8) for each in files.list(str(folder)).entries]
    assert sum(done) == 50 == len(held)


def succeeds(call, *args) -> bool:
    try:
        call(*args)
    except ToolFailed:
        return False
    return True


@pytest.mark.parametrize("limit", ["file_bytes", "read_bytes", "entries", "files", "total_bytes"])
@pytest.mark.parametrize("value", [0, -1, 1.5, None])
def test_a_limit_is_a_number_above_zero(limit, value):
    with pytest.raises(UsageError, match=f"{limit} is .*; use a whole number above 0"):
        FileLimits(**{limit: value})


# -- both do the same ---------------------------------------------------------------------

names = st.sampled_from(["a", "b", "c", "a b", "é", ".", "", "..", "~", "a\\", "x" * 256])
paths = st.lists(names, max_size=4).map("/".join)
steps = st.one_of(
    st.tuples(st.just("write"), paths, st.binary(max_size=22)),
    st.tuples(st.just("read"), paths),
    st.tuples(st.just("list"), paths),
)


def outcome(files, method, *args):
    try:
        return getattr(files, method)(*args)
    except ToolFailed as failed:
        return str(failed)


@given(st.lists(steps, max_size=20))
def test_a_folder_and_memory_cannot_be_told_apart(played):
    with tempfile.TemporaryDirectory() as root:
        memory, folder = MemoryFiles(limits=SMALL), FolderFiles(root, SMALL)
        for step in played:
            assert outcome(folder, *step) == outcome(memory, *step)
        for path, content in memory.contents().items():
            assert folder.read(path) == content
