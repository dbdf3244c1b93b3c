"""Which models there are, how one is found, and whether it is the one that is known."""

from __future__ import annotations

import hashlib
import os
from dataclasses import replace

import pytest

from toolproto.endpoints.local import LocalEndpoint, find_model, installed_models
from toolproto.endpoints.local import models as local_models
from toolproto.endpoints.local.models import (
    KNOWN,
    InstalledModel,
    PinnedFile,
    check_known,
    models_folder,
)
from toolproto.protocol.errors import UsageError, WireError
from toolproto.protocol.messages import ChatRequest, Message


def test_there_are_no_models_in_a_folder_that_is_not_there(models):
    assert installed_models() == []


def test_the_folder_is_in_the_users_cache_unless_a_variable_names_one(models, monkeypatch):
    assert models_folder() == models
    monkeypatch.delenv("TOOLPROTO_MODELS")
    assert models_folder().parts[-2:] == ("toolproto", "models")


def placed(models, gguf, *names):
    """Files that look like models, in the folder of models."""
    paths = [models / name for name in names]
    for path in paths:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(gguf.read_bytes())
    return paths


def test_a_model_has_the_name_that_is_known_or_its_path_in_the_folder(models, gguf):
    names = ["smollm2.gguf", "mine.gguf", "owner/models/sub/Tiny Q4.gguf"]
    paths = dict(zip(["smollm2", *names[1:]], placed(models, gguf, *names), strict=True))
    assert installed_models() == [InstalledModel(name, paths[name]) for name in sorted(paths)]
    assert {name: find_model(name) for name in paths} == paths
    assert find_model() == paths["smollm2"]


def test_unfinished_and_foreign_files_are_no_models(models, gguf):
    placed(models, gguf, ".tiny.gguf", ".smollm2.gguf.1a2b3c4d", "notes.txt", "a/.cache/b.gguf")
    (models / "folder.gguf").mkdir()
    (models / "gone.gguf").symlink_to(models / "nowhere")
    assert installed_models() == []


def test_a_path_needs_no_folder(models, gguf, monkeypatch):
    assert find_model(gguf) == find_model(str(gguf)) == gguf
    monkeypatch.chdir(gguf.parent)
    assert find_model(gguf.name) == gguf


def test_a_file_that_lies_about_does_not_take_the_place_of_a_known_model(
    models, gguf, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "smollm2").write_bytes(gguf.read_bytes())
    with pytest.raises(UsageError, match="get it with"):
        find_model("smollm2")


MISSING = [
    (None, "get it with: toolproto model pull smollm2"),
    ("smolm2", "did you mean 'smollm2'"),
    ("a/b/c.gguf", "get it with: toolproto model pull a/b/c.gguf"),
    ("something-else", "toolproto model list"),
    ("a\0b", "there is no model"),
    ("x" * 5000, "there is no model"),
    ("no/such.gguf", "cannot be read: No such file"),
    (".", "cannot be read: Is a directory"),
]


@pytest.mark.parametrize("name, told", MISSING)
def test_a_model_that_is_not_here_is_told_with_what_to_do(models, tmp_path, name, told):
    with pytest.raises(UsageError, match=told):
        find_model(name)


@pytest.mark.parametrize("content", [b"", b"GG", b"hello", b"PK\x03\x04", b"\x7fELF"])
def test_a_file_that_is_no_model_is_refused(models, tmp_path, content):
    path = tmp_path / "x.gguf"
    path.write_bytes(content)
    with pytest.raises(UsageError, match="not a model in a GGUF file"):
        find_model(path)


# -- the check of the hash ----------------------------------------------------------------


@pytest.fixture
def known(models, gguf, monkeypatch):
    """The file of a model that is known as 'tiny'."""
    (path,) = placed(models, gguf, "tiny.gguf")
    content = path.read_bytes()
    pinned = PinnedFile(len(content), hashlib.sha256(content).hexdigest())
    monkeypatch.setitem(KNOWN, "tiny", replace(KNOWN["smollm2"], model=pinned))
    return path


@pytest.fixture
def digests(monkeypatch):
    """The files that were read whole."""
    read = []

    def digest(file, name):
        read.append(file.name)
        return hashlib.new(name, file.read())

    monkeypatch.setattr(local_models.hashlib, "file_digest", digest)
    return read


def changed(path):
    """The file with its last byte changed, and a time that says so."""
    before = path.stat()
    path.write_bytes(path.read_bytes()[:-1] + b"x")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns + 1))


def test_a_known_model_is_read_for_its_hash_once_and_again_when_it_changed(known, digests):
    check_known(known)
    check_known(known)
    assert len(digests) == 1
    changed(known)
    with pytest.raises(WireError, match=r"wrong checksum.*toolproto model pull tiny"):
        check_known(known)
    assert len(digests) == 2


def test_a_known_model_of_another_size_is_not_even_read(known, digests):
    known.write_bytes(b"GGUF and more" * 1000)
    with pytest.raises(WireError, match="has 13000 bytes instead of 108"):
        check_known(known)
    assert digests == []


def test_a_file_of_somebodys_own_is_not_compared_with_anything(known, gguf, digests):
    changed(gguf)
    check_known(gguf)
    assert digests == []


def test_another_model_under_a_known_name_is_not_loaded(known):
    changed(known)
    endpoint = LocalEndpoint("tiny")
    request = ChatRequest((Message("user", "hi"),))
    with pytest.raises(WireError, match="wrong checksum"), endpoint.stream(request) as chunks:
        list(chunks)
