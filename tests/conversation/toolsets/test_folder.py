"""The folder that lets nothing out and nobody through."""

from __future__ import annotations

import os
import shutil
import stat
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest

from tests.amount import amount
from tests.patience import PATIENCE
from toolproto.conversation.toolsets import (
    Entry,
    FileLimits,
    FolderFiles,
    FolderListing,
    file_tools,
    folder,
)
from toolproto.conversation.toolsets.openat import closing, enter, look, open_to_read
from toolproto.protocol.errors import ToolFailed, UsageError

pytestmark = pytest.mark.skipif(not hasattr(os, "O_NOFOLLOW"), reason="needs openat")

SECRET = "SECRET of the outside"


class Place:
    """A folder with every kind of link in it, and an outside that must stay as it is."""

    def __init__(self, base: Path) -> None:
        self.root, self.outside = base / "root", base / "outside"
        (self.root / "dir").mkdir(parents=True)
        (self.outside / "sub").mkdir(parents=True)
        for secret in (self.outside / "secret.txt", self.outside / "sub/secret.txt"):
            secret.write_text(SECRET)
        (self.root / "dir/file.txt").write_text("inside")
        for name, target in self.links().items():
            (self.root / name).symlink_to(target)
        self.base, self.before = base, snapshot(base)

    def links(self) -> dict[str, str | Path]:
        return {
            "to_file": "../outside/secret.txt",
            "to_dir": "../outside",
            "absolute_file": self.outside / "secret.txt",
            "absolute_dir": self.outside,
            "dangling": "../outside/new.txt",
            "loop": "loop",
            "ping": "pong",
            "pong": "ping",
            "chain": "chain2",
            "chain2": "to_dir",
            "dir/up": "..",
            "dir/out": "../../outside",
            "to_inside": "dir/file.txt",
            "to_inside_dir": "dir",
            "to_root": "/",
            "to_dot": ".",
            "to_proc": "/proc/self/root",
            "to_null": "/dev/null",
        }

    def check_outside(self) -> None:
        after = snapshot(self.base)
        assert {path: after[path] for path in after if not path.startswith("root/")} == {
            path: self.before[path] for path in self.before if not path.startswith("root/")
        }


def snapshot(base: Path) -> dict[str, str | None]:
    found = {}
    for above, directories, files in os.walk(base):
        for name in directories + files:
            path = Path(above, name)
            is_text = path.is_file() and not path.is_symlink()
            found[path.relative_to(base).as_posix()] = path.read_text() if is_text else None
    return found


@pytest.fixture
def place(tmp_path):
    return Place(tmp_path)


LINKS = [
    *["to_file", "to_dir", "absolute_file", "absolute_dir", "dangling", "loop", "ping", "chain"],
    *["dir/up", "dir/out", "to_inside", "to_inside_dir", "to_root", "to_dot", "to_proc", "to_null"],
]
THROUGH = [
    *["to_dir/secret.txt", "to_dir/new.txt", "to_dir/sub/secret.txt", "to_dir/sub/new/er.txt"],
    *["absolute_dir/secret.txt", "absolute_dir/./sub//secret.txt", "chain/secret.txt", "loop/x"],
    *["ping/pong/x", "dir/up/dir/file.txt", "dir/out/secret.txt", "dir/up/to_file", "to_file/x"],
    *["to_inside_dir/file.txt", "to_root/etc/passwd", "to_dot/dir/file.txt", "to_null/x"],
    *["to_proc/etc/passwd", "to_dot/to_dot/to_dot/to_dir/secret.txt", "dangling/x"],
]
CLIMBING = [
    *["..", "../", "../outside", "../outside/secret.txt", "/../outside/secret.txt", "dir/../.."],
    *["dir/../../outside/secret.txt", "./../outside/secret.txt", "dir/./../../outside/new.txt"],
    *["....//outside", "..././outside", "dir/...//../outside/secret.txt", "..//outside/x"],
    *["to_dir/../secret.txt", "to_dir/../outside/secret.txt", "dir/file.txt/../../../outside/x"],
    *[
        "..\\outside\\secret.txt",
        "dir\\..\\..\\outside",
        "..\\/outside",
        "\\outside",
        "\\\\host\\c",
    ],
]
DISGUISED = [
    *["%2e%2e/outside/secret.txt", "%2e%2e%2foutside", "..%2foutside/x", "%252e%252e/outside/x"],
    *["\uff0e\uff0e/outside/secret.txt", "\u2025/outside/x", "..\u2215outside", "..\uff0foutside"],
    *["\u2024\u2024/outside/x", "..;/outside/x", "..\x00/outside", "dir\x00/../../outside/x"],
    *["../outside/secret.txt\x00.png", "\x00", ".. /outside/x", " ../outside/x", "..\n/outside/x"],
    *["\n../outside", ".\u200b./outside/x", "\ud800/../outside", "\udc2e\udc2e/outside/x"],
    *["\u202e../outside", "C:\\outside", "C:/outside/x", "c:", "file:///etc/passwd", "~/x", "~"],
    *["~root/x", "$HOME/x", "${PWD}/../outside", "`pwd`/x", "$(pwd)/x", "-rf", "--", "*", "?"],
]
ABSOLUTE = [
    *["/etc/passwd", "//etc/passwd", "///etc//passwd", "/etc/../etc/passwd", "/proc/self/environ"],
    *["/proc/self/cwd/x", "/proc/self/fd/0", "/dev/stdin", "/dev/zero", "/tmp", "{outside}"],
    *["{outside}/secret.txt", "/{outside}/secret.txt", "{outside}/../outside/secret.txt"],
]
LONG = [
    *["../" * 300 + "etc/passwd", "a/" * 400 + "x", "a" * 300, "é" * 200, "x" * 100_000],
    *["/" * 1000 + "x", "./" * 500 + "x", "dir/" + "../" * 40 + "outside/secret.txt"],
]
HOSTILE = [*LINKS, *THROUGH, *CLIMBING, *DISGUISED, *ABSOLUTE, *LONG]


@pytest.mark.parametrize("path", HOSTILE, ids=lambda path: ascii(path[:40]))
def test_no_path_leads_out(place, path):
    path = path.replace("{outside}", str(place.outside))
    tools = file_tools(place.root)
    calls = [(tools[0], [path]), (tools[1], [path]), (tools[2], [path, "written"])]
    for tool, arguments in calls:
        try:
            told = str(tool(*arguments))
        except ToolFailed as failed:
            told = str(failed)
            assert str(place.root) not in told
        assert SECRET not in told and "root:" not in told and "secret.txt (" not in told
        place.check_outside()


def test_the_hostile_paths_are_many():
    assert len(set(HOSTILE)) == len(HOSTILE) >= 100


@pytest.mark.parametrize("path", [*LINKS, *THROUGH])
def test_no_link_is_followed_or_replaced(place, path):
    for tool, more in zip(file_tools(place.root), [[], [], ["written"]], strict=True):
        with pytest.raises(ToolFailed, match="is a link, and links are not followed"):
            tool(path, *more)
    assert snapshot(place.base) == place.before


def test_links_are_counted_not_listed(place):
    assert FolderFiles(place.root).list() == FolderListing((Entry("dir"),), hidden=16)
    assert file_tools(place.root)[0]("dir") == (
        "file.txt (6 bytes)\n(2 not shown that cannot be opened: links, special files, odd names)"
    )


def test_failures_leave_nothing_open(place):
    tools = file_tools(place.root)
    before = len(os.listdir("/dev/fd"))
    for path in HOSTILE:
        for tool, more in zip(tools, [[], [], ["written"]], strict=True):
            try:
                tool(path, *more)
            except ToolFailed:
                continue
    assert len(os.listdir("/dev/fd")) == before


# -- races --------------------------------------------------------------------------------


def swap_for_link(inside: Path, target: Path, stop: threading.Event) -> int:
    """Exchange *inside* for a link to *target* and back until told to stop; how often it went."""
    aside, swaps = inside.with_name("aside"), 0
    while not stop.is_set():
        inside.rename(aside)
        with suppress(FileExistsError):  # a write was faster and made it anew
            inside.symlink_to(target)
            swaps += 1
        put_back(aside, inside)
    return swaps


def put_back(aside: Path, inside: Path) -> None:
    while aside.exists():
        if inside.is_symlink() or inside.is_file():
            inside.unlink()
        else:
            shutil.rmtree(inside, ignore_errors=True)
        with suppress(OSError):  # a write made it anew once more
            aside.rename(inside)


def attempts(files: FolderFiles, number: int) -> list[str]:
    """What reading, writing and listing gave, *number* times over."""
    tools, told = file_tools(files), []
    for _ in range(number):
        for tool, arguments in zip(
            tools, [["dir"], ["dir/secret.txt"], ["dir/new/x.txt", "written"]], strict=True
        ):
            try:
                told.append(str(tool(*arguments)))
            except ToolFailed as failed:
                told.append(str(failed))
    return told


@pytest.mark.parametrize("swapped", ["dir", "dir/secret.txt", "dir/new"])
def test_a_link_put_in_place_meanwhile_leads_nowhere(tmp_path, swapped):
    inside, outside = tmp_path / "root/dir", tmp_path / "outside"
    for each, text in [(inside, "inside"), (outside, SECRET)]:
        (each / "new").mkdir(parents=True)
        (each / "secret.txt").write_text(text)
    (outside / "only_outside").write_text("")
    before = snapshot(outside)
    target = outside / Path(swapped).relative_to("dir")
    stop = threading.Event()
    with ThreadPoolExecutor(1) as pool:
        swapping = pool.submit(swap_for_link, tmp_path / "root" / swapped, target, stop)
        told = attempts(FolderFiles(tmp_path / "root"), amount(400, 2000))
        stop.set()
    assert swapping.result() > 0
    assert not [each for each in told if SECRET in each or "only_outside" in each]
    assert snapshot(outside) == before


def test_a_reader_sees_the_old_file_or_the_new(tmp_path):
    files, size, stop = FolderFiles(tmp_path), 200_000, threading.Event()
    files.write("a", b"0" * size)

    def rewrite():
        for digit in b"0123456789" * 10:
            files.write("a", bytes([digit]) * size)
        stop.set()

    with ThreadPoolExecutor(1) as pool:
        pool.submit(rewrite)
        while not stop.is_set():
            content = files.read("a")
            assert len(content) == size and len(set(content)) == 1
            assert files.list().entries == (Entry("a", size),)
    assert os.listdir(tmp_path) == ["a"]


def test_writers_of_one_file_do_not_get_in_each_others_way(tmp_path):
    files, contents = FolderFiles(tmp_path), [bytes([digit]) * 1000 for digit in b"01234567"]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda content: [files.write("a", content) for _ in range(50)], contents))
    assert files.read("a") in contents
    assert os.listdir(tmp_path) == ["a"]


def link_out(path: Path, outside: Path) -> None:
    path.symlink_to(outside)


def make_pipe(path: Path, outside: Path) -> None:
    os.mkfifo(path)


def make_directory(path: Path, outside: Path) -> None:
    path.mkdir()


@pytest.fixture
def intrude(place, monkeypatch):
    """Put something else in place of dir/file.txt as soon as it was looked at."""

    def intrude(put):
        def look_and_swap(name, within):
            found = look(name, within)
            (place.root / "dir/file.txt").unlink()
            put(place.root / "dir/file.txt", place.outside / "secret.txt")
            return found

        monkeypatch.setattr(folder, "look", look_and_swap)

    return intrude


INTRUDERS = [
    (link_out, "is a link, and links are not followed"),
    (make_pipe, "is a pipe, a device or a socket, not a file"),
    (make_directory, "is a directory, not a file"),
]


@pytest.mark.parametrize("put, why", INTRUDERS)
def test_what_comes_between_looking_and_opening_is_not_read(place, intrude, put, why):
    intrude(put)
    assert in_time(told, FolderFiles(place.root).read, "dir/file.txt") == f"'/dir/file.txt' {why}"


@pytest.mark.parametrize("put", [link_out, make_pipe])
def test_what_comes_between_looking_and_writing_is_replaced_itself(place, intrude, put):
    intrude(put)
    in_time(FolderFiles(place.root).write, "dir/file.txt", b"written")
    written = place.root / "dir/file.txt"
    assert written.read_text() == "written" and not written.is_symlink()
    place.check_outside()


def test_a_directory_that_was_entered_is_the_one_that_is_used(place, monkeypatch):
    def enter_and_swap(name, within=None):
        entered = enter(name, within)
        if name == "dir":
            (place.root / "dir").rename(place.root / "aside")
            (place.root / "dir").symlink_to(place.outside)
        return entered

    monkeypatch.setattr(folder, "enter", enter_and_swap)
    assert FolderFiles(place.root).read("dir/file.txt") == b"inside"


def test_a_folder_put_in_place_of_the_root_is_not_entered(place):
    files = FolderFiles(place.root)
    place.root.rename(place.base / "gone")
    with pytest.raises(ToolFailed, match="'/' does not exist"):
        files.list()
    place.root.symlink_to(place.outside)
    with pytest.raises(ToolFailed, match="'/' cannot be used"):
        files.read("secret.txt")
    place.root.unlink()
    place.root.mkdir()
    with pytest.raises(ToolFailed, match="'/' was moved away"):
        files.write("a", b"")
    assert os.listdir(place.root) == []


# -- what is no plain file ----------------------------------------------------------------


def in_time(call, *args):
    """What *call* gives; a call that hangs fails instead of hanging the tests."""
    given = []
    thread = threading.Thread(target=lambda: given.append(call(*args)), daemon=True)
    thread.start()
    thread.join(PATIENCE)
    assert not thread.is_alive(), "it waits"
    return given[0]


def told(call, *args) -> str:
    with pytest.raises(ToolFailed) as failed:
        call(*args)
    return str(failed.value)


@pytest.mark.parametrize("kind", [stat.S_IFIFO, stat.S_IFSOCK])
def test_pipes_and_sockets_are_refused_without_waiting(tmp_path, kind):
    os.mknod(tmp_path / "odd", kind | 0o666)
    files = FolderFiles(tmp_path)
    special = "'/odd' is a pipe, a device or a socket, not a file"
    assert in_time(told, files.read, "odd") == special
    assert in_time(told, files.write, "odd", b"") == special
    assert in_time(told, files.list, "odd") == "'/odd' is a file, not a directory"
    assert in_time(told, files.read, "odd/x") == "'/odd' is a file, not a directory"
    assert files.list() == FolderListing((), hidden=1)


def test_a_pipe_that_comes_in_between_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with closing(enter(str(tmp_path))) as inside:
        file = in_time(open_to_read, "pipe", inside)
        with closing(file):
            assert stat.S_ISFIFO(os.fstat(file).st_mode)


def test_what_is_no_file_is_not_even_opened(tmp_path, monkeypatch):
    os.mkfifo(tmp_path / "pipe")
    monkeypatch.delattr(folder, "open_to_read")
    assert "is a pipe" in told(FolderFiles(tmp_path).read, "pipe")


def test_a_hard_link_is_read_but_never_written_through(place):
    os.link(place.outside / "secret.txt", place.root / "same.txt")
    files = FolderFiles(place.root)
    assert files.read("same.txt") == SECRET.encode()
    files.write("same.txt", b"mine")
    assert files.read("same.txt") == b"mine"
    place.check_outside()


def test_names_that_no_path_can_hold_are_counted_not_listed(tmp_path):
    odd = [b"a\nb", b"a\\b", b"C:", b"~", b"\xff\xfe", "\u202egpj.exe".encode(), b"\x1b[2J"]
    for name in odd:
        Path(os.fsdecode(bytes(tmp_path) + b"/" + name)).write_text("")
    (tmp_path / "fine").mkdir()
    assert FolderFiles(tmp_path).list() == FolderListing((Entry("fine"),), hidden=len(odd))


# -- sizes, permissions, roots ------------------------------------------------------------


def test_a_file_that_is_too_large_is_not_even_read(tmp_path):
    with open(tmp_path / "sparse", "wb") as file:
        file.truncate(2**40)
    assert told(FolderFiles(tmp_path).read, "sparse") == (
        "'/sparse' has 1099511627776 bytes; a file may have 8388608 here"
    )


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs /proc")
def test_a_file_that_says_it_is_empty_is_bounded_too():
    said = told(FolderFiles("/proc/self", FileLimits(file_bytes=3)).read, "status")
    assert said == "'/status' has 4 bytes; a file may have 3 here"


def test_a_directory_with_too_many_names_is_not_listed(tmp_path, monkeypatch):
    for name in "abc":
        (tmp_path / name).touch()
    monkeypatch.setattr(folder, "_MAX_SCANNED", 2)
    assert told(FolderFiles(tmp_path).list) == "'/' holds more than 2 names, too many to list"


def test_what_stood_there_before_is_not_counted(tmp_path):
    (tmp_path / "before").write_text("x" * 100)
    files = FolderFiles(tmp_path, FileLimits(files=1, total_bytes=10))
    files.write("a", b"x" * 10)
    assert "one file too many" in told(files.write, "b", b"")
    assert FolderFiles(tmp_path).read("before") == b"x" * 100


@pytest.mark.parametrize("mode", [0o600, 0o755, 0o664])
def test_permissions_are_kept(tmp_path, mode):
    (tmp_path / "a").touch()
    (tmp_path / "a").chmod(mode | stat.S_ISUID)
    FolderFiles(tmp_path).write("a", b"#!")
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == mode


def test_a_read_only_file_stays_as_it_is(tmp_path):
    (tmp_path / "a").write_text("kept")
    (tmp_path / "a").chmod(0o444)
    assert told(FolderFiles(tmp_path).write, "a", b"") == "'/a' is read-only"
    assert (tmp_path / "a").read_text() == "kept"


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is forbidden to root")
def test_what_the_system_forbids_is_told_without_the_real_path(tmp_path):
    (tmp_path / "closed").mkdir(mode=0)
    files = FolderFiles(tmp_path)
    assert told(files.list, "closed") == "'/closed' cannot be used: permission denied"
    assert told(files.write, "closed/a", b"") == "'/closed' cannot be used: permission denied"


def test_a_write_that_fails_leaves_no_draft(tmp_path):
    files = FolderFiles(tmp_path)
    with pytest.raises(TypeError):
        files.write("a", "text, not bytes")
    assert os.listdir(tmp_path) == []


def test_the_root_itself_may_be_reached_through_links(place):
    files = FolderFiles(place.root / "to_inside_dir")
    assert files.read("file.txt") == b"inside"


ROOTS = [
    ("nothing", "cannot be used"),
    ("file", "is not a folder"),
    ("a\0b", "cannot be used"),
    ("", "is empty"),
]


@pytest.mark.parametrize("root, why", ROOTS)
def test_a_root_must_be_a_folder(tmp_path, monkeypatch, root, why):
    (tmp_path / "file").touch()
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match=why):
        FolderFiles(root)


def test_a_system_that_cannot_seal_a_folder_off_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "supports_dir_fd", {os.open})
    with pytest.raises(UsageError, match="use MemoryFiles"):
        FolderFiles(tmp_path)
