"""Downloads that break off, go on, and are checked."""

from __future__ import annotations

import hashlib
import signal
import subprocess
import sys

import pytest

from toolproto.endpoints.local.fetching import RemoteFile, fetch
from toolproto.errors import EndpointError, WireError

from .file_server import serving

CONTENT = bytes(range(256)) * 4096  # a megabyte
SIZE = len(CONTENT)
SHA256 = hashlib.sha256(CONTENT).hexdigest()


@pytest.fixture
def server():
    with serving(CONTENT) as running:
        yield running


@pytest.fixture
def part(tmp_path):
    return tmp_path / "model.part"


def file_at(server, size=SIZE, sha256=SHA256):
    return RemoteFile("model.gguf", f"{server.url}/secret-token/model.gguf", size, sha256)


def unseen(have, total):
    pass


def test_a_file_is_fetched_and_its_progress_told(server, part):
    told = []
    fetch(file_at(server), part, lambda *progress: told.append(progress))
    assert part.read_bytes() == CONTENT
    assert told[0] == (0, len(CONTENT))
    assert told[-1] == (len(CONTENT), len(CONTENT))
    assert told == sorted(told)


def test_what_is_here_already_is_not_fetched_again(server, part):
    part.write_bytes(CONTENT[:300_000])
    fetch(file_at(server), part, unseen)
    assert part.read_bytes() == CONTENT
    assert server.asked == [300_000]


def test_a_broken_connection_is_taken_up_again(server, part):
    server.cuts = [100_000, 200_000]
    fetch(file_at(server), part, unseen)
    assert part.read_bytes() == CONTENT
    assert server.asked == [0, 100_000, 300_000]


def test_a_connection_that_brings_nothing_ends_it_and_what_came_stays(server, part):
    server.cuts = [100_000, 0]
    with pytest.raises(
        EndpointError, match=r"model\.gguf could not be fetched: .*where it stopped"
    ) as at:
        fetch(file_at(server), part, unseen)
    assert "secret-token" not in str(at.value)
    assert part.read_bytes() == CONTENT[:100_000]


def test_a_server_without_ranges_sends_it_all_again(server, part):
    server.ranges = False
    part.write_bytes(CONTENT[:300_000])
    fetch(file_at(server), part, unseen)
    assert part.read_bytes() == CONTENT


def test_a_file_that_was_whole_already_is_only_checked(server, part):
    part.write_bytes(CONTENT)
    fetch(file_at(server), part, unseen)
    assert server.asked == [len(CONTENT)]


WRONG = [
    ({"sha256": "0" * 64}, "a wrong checksum"),
    ({"size": 5}, "bytes instead of 5"),
]


@pytest.mark.parametrize("expected, fault", WRONG)
def test_another_file_is_thrown_away(server, part, expected, fault):
    with pytest.raises(WireError, match=f"{fault}.*deleted"):
        fetch(file_at(server, **expected), part, unseen)
    assert not part.exists()


def test_the_beginning_of_another_file_is_thrown_away(server, part):
    part.write_bytes(b"something else")
    with pytest.raises(WireError, match="checksum"):
        fetch(file_at(server), part, unseen)
    assert not part.exists()


def test_a_server_that_sends_without_end_is_left(server, part):
    server.content = CONTENT * 20
    server.counts = False
    with pytest.raises(WireError, match="bytes instead of"):
        fetch(file_at(server), part, unseen)
    assert not part.exists()


@pytest.mark.parametrize("status", [401, 404, 500])
def test_a_refusal_is_told_with_its_status(server, part, status):
    server.status = status
    with pytest.raises(EndpointError, match=f"the answer was {status}") as at:
        fetch(file_at(server), part, unseen)
    assert at.value.status == status
    assert not part.exists()


def test_nobody_at_that_address_is_an_error_of_the_endpoint(part):
    with serving(b"") as gone:
        file = file_at(gone)
    with pytest.raises(EndpointError, match="could not be fetched"):
        fetch(file, part, unseen)


KILLED = """
import sys, time
from pathlib import Path
from toolproto.endpoints.local.fetching import RemoteFile, fetch
def told(have, total):
    if have >= 300_000:
        print(have, flush=True)
        time.sleep(60)
fetch(RemoteFile("model.gguf", sys.argv[1]), Path(sys.argv[2]), told)
"""


def test_a_killed_download_goes_on_where_it_was(server, part):
    file = file_at(server)
    words = [sys.executable, "-c", KILLED, file.url, str(part)]
    with subprocess.Popen(words, stdout=subprocess.PIPE) as running:
        assert running.stdout.readline()
        running.send_signal(getattr(signal, "SIGKILL", signal.SIGTERM))
    begun = part.stat().st_size
    assert 0 < begun < len(CONTENT)
    fetch(file, part, unseen)
    assert part.read_bytes() == CONTENT
    assert server.asked == [0, begun]
