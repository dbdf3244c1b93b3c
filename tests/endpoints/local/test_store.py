"""The folder of models: what is in it, and how a model is found."""

from __future__ import annotations

import pytest

from toolproto.endpoints.local import find_model, installed_models, pull, remove_model
from toolproto.endpoints.local.store import InstalledModel, model_name, models_folder
from toolproto.errors import UsageError


def test_there_are_no_models_in_a_folder_that_is_not_there(models):
    assert installed_models() == []


def test_the_folder_is_in_the_users_cache_unless_a_variable_names_one(models, monkeypatch):
    assert models_folder() == models
    monkeypatch.delenv("TOOLPROTO_MODELS")
    assert models_folder().parts[-2:] == ("toolproto", "models")


def test_a_file_is_registered_where_it_stands(models, gguf):
    assert pull(gguf) == gguf
    assert installed_models() == [InstalledModel("Tiny-Model", gguf, kept=False)]
    assert find_model("Tiny-Model") == gguf
    assert pull(str(gguf)) == gguf


def test_a_registered_model_is_forgotten_and_its_file_stays(models, gguf):
    pull(gguf, name="tiny")
    assert remove_model("tiny").path == gguf
    assert installed_models() == []
    assert gguf.exists()


def test_a_registered_file_that_is_gone_is_still_listed(models, gguf):
    pull(gguf, name="tiny")
    gguf.unlink()
    assert installed_models()[0].size is None
    with pytest.raises(UsageError, match="cannot be read: No such file"):
        find_model("tiny")


def test_a_name_belongs_to_one_model(models, gguf, tmp_path):
    other = tmp_path / "other.gguf"
    other.write_bytes(gguf.read_bytes())
    pull(gguf, name="tiny")
    with pytest.raises(UsageError, match=r"'tiny' is taken by .*model remove tiny"):
        pull(other, name="tiny")


def test_the_default_model_is_to_be_pulled_first(models):
    with pytest.raises(UsageError, match="get it with: toolproto model pull smollm2"):
        find_model()


def test_a_misspelt_name_gets_a_suggestion(models, gguf):
    pull(gguf, name="tiny")
    with pytest.raises(UsageError, match="did you mean 'tiny'"):
        find_model("tyny")
    with pytest.raises(UsageError, match="toolproto model list"):
        remove_model("something-else")


def test_a_path_need_not_be_registered(models, gguf, monkeypatch):
    assert find_model(gguf) == gguf
    monkeypatch.chdir(gguf.parent)
    assert find_model(gguf.name) == gguf


NOT_MODELS = [b"", b"GG", b"hello", b"PK\x03\x04", b"\x7fELF"]


@pytest.mark.parametrize("content", NOT_MODELS)
def test_a_file_that_is_no_model_is_refused(models, tmp_path, content):
    path = tmp_path / "x.gguf"
    path.write_bytes(content)
    with pytest.raises(UsageError, match="not a model in a GGUF file"):
        pull(path)
    assert installed_models() == []


@pytest.mark.parametrize("missing", ["no/such.gguf", "."])
def test_a_path_to_nothing_is_refused(models, tmp_path, missing):
    with pytest.raises(UsageError, match="cannot be read"):
        find_model(tmp_path / missing)


def test_unfinished_and_foreign_files_are_no_models(models, gguf):
    models.mkdir()
    for name in (".tiny.gguf", "notes.txt", "-x.gguf", ".tiny.path", "half.part"):
        (models / name).write_bytes(gguf.read_bytes())
    (models / "folder.gguf").mkdir()
    assert installed_models() == []


def test_a_note_that_was_tampered_with_does_no_harm(models):
    models.mkdir()
    (models / "evil.path").write_bytes(b"\xff\0" * 100_000)
    with pytest.raises(UsageError, match="cannot be read"):
        find_model("evil")
    remove_model("evil")


NAMES = [
    ("qwen2.5-0.5b-instruct-q4_k_m", "qwen2.5-0.5b-instruct-q4_k_m"),
    ("My Model (1)", "My-Model-1-"),
    ("../../etc/passwd", "etc-passwd"),
    (".hidden", "hidden"),
    ("x" * 300, "x" * 100),
]


@pytest.mark.parametrize("text, name", NAMES)
def test_names_hold_nothing_that_a_folder_could_misread(text, name):
    assert model_name(text) == name


@pytest.mark.parametrize("text", ["", "...", "☃", "\u202e"])
def test_a_name_of_nothing_is_refused(text):
    with pytest.raises(UsageError, match="cannot name a model"):
        model_name(text)
