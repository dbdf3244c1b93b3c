"""Files in a store: they outlast the process, and several may share them."""

from __future__ import annotations

import threading

import pytest

from toolproto import ChatSession, Policy, ToolFailed, UsageError
from toolproto.conversation.stores import MemoryStore, Record, open_store
from toolproto.conversation.toolsets import FileLimits, StoredFiles, file_tools
from toolproto.endpoints import ScriptedEndpoint
from toolproto.protocol.errors import StoreError


@pytest.fixture(params=["memory", "sqlite"])
def store(request, tmp_path):
    place = MemoryStore() if request.param == "memory" else open_store(tmp_path / "x.db")
    yield place
    place.close()


def test_files_outlast_whoever_wrote_them(store):
    files = StoredFiles(store, "notes")
    assert files.write("a/b.txt", "ü".encode()) and files.write("image", b"\xff\0")
    assert not files.write("a/b.txt", b"new")
    files.write("gone", b"x")
    files.remove("gone")
    again = StoredFiles(store, "notes")
    assert again.contents() == {"a/b.txt": b"new", "image": b"\xff\0"}
    assert [entry.name for entry in again.list("/").entries] == ["a", "image"]
    assert StoredFiles(store, "others").contents() == {}


def test_two_see_what_the_other_writes(store):
    one, two = StoredFiles(store), StoredFiles(store)
    one.write("x", b"1")
    assert two.read("x") == b"1"
    two.write("x", b"2")
    two.write("y", b"3")
    assert one.contents() == {"x": b"2", "y": b"3"}


def test_of_many_who_write_nothing_is_lost(store):
    def work(n):
        files = StoredFiles(store)
        for at in range(5):
            files.write(f"{n}-{at}", b"x")

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(StoredFiles(store).contents()) == 20


def test_what_is_refused_is_not_written(store):
    files = StoredFiles(store, limits=FileLimits(file_bytes=3, files=2))
    for path, content in [("x", b"long"), ("../x", b"1"), ("", b"1")]:
        with pytest.raises(ToolFailed):
            files.write(path, content)
    with pytest.raises(ToolFailed):
        files.remove("nothing")
    files.write("a", b"1")
    files.write("b", b"1")
    with pytest.raises(ToolFailed):
        files.write("c", b"1")
    assert sorted(StoredFiles(store).contents()) == ["a", "b"]


@pytest.mark.parametrize(
    "data", [{}, {"path": 3, "text": "x"}, {"path": "x"}, {"path": "x", "base64": "!"},
             {"path": "../../etc", "text": "x"}],
)  # fmt: skip
def test_a_damaged_record_is_told(data):
    store = MemoryStore()
    store.create("files:files")
    store.append("files:files", [Record("file", data)], 0, durable=False)
    with pytest.raises(StoreError, match="damaged"):
        StoredFiles(store)


def test_a_path_is_a_store_of_its_own(tmp_path):
    files = StoredFiles(tmp_path / "x.db")
    files.write("a", b"1")
    files.close()
    again = StoredFiles(str(tmp_path / "x.db"))
    assert again.read("a") == b"1"
    again.close()
    with pytest.raises(UsageError):
        StoredFiles(None)


def test_a_session_and_its_files_share_a_store(store):
    call = (
        '<tool_code>{"name": "write_file", "arguments": {"path": "a", "content": "x"}}</tool_code>'
    )
    session = ChatSession(
        ScriptedEndpoint(call, "Done."), "xml_tag", file_tools(StoredFiles(store)),
        policy=Policy({"*": "allow"}), store=store, id="x",
    )  # fmt: skip
    assert session.send("write").steps[0].diff.endswith("+x\n\\ No newline at end of file\n")
    assert StoredFiles(store).read("a") == b"x"
    session.undo()
    assert StoredFiles(store).contents() == {}
