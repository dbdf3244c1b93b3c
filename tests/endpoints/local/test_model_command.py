"""``toolproto model``."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace

import pytest
from click.testing import CliRunner

from toolproto.cli.app import main
from toolproto.endpoints.local.models import KNOWN, PinnedFile


@pytest.fixture
def run(models):
    def invoke(*words):
        return CliRunner().invoke(main, ["model", *words])

    return invoke


def test_models_are_listed_with_size_and_file(run, models, gguf):
    path = models / "me" / "models" / "tiny.gguf"
    path.parent.mkdir(parents=True)
    path.write_bytes(gguf.read_bytes())
    assert run("list").stdout == f"me/models/tiny.gguf      0 MB  {path}\n"
    assert json.loads(run("list", "--json").stdout) == [
        {"name": "me/models/tiny.gguf", "path": str(path), "size": 108}
    ]


def test_an_empty_list_says_how_to_begin(run):
    done = run("list")
    assert done.stdout == ""
    assert "toolproto model pull smollm2" in done.stderr
    assert json.loads(run("list", "--json").stdout) == []


def test_a_model_that_is_here_is_not_fetched_and_its_file_printed(run, models, gguf, monkeypatch):
    models.mkdir()
    path = models / "tiny.gguf"
    path.write_bytes(gguf.read_bytes())
    pinned = PinnedFile(108, hashlib.sha256(path.read_bytes()).hexdigest())
    monkeypatch.setitem(KNOWN, "tiny", replace(KNOWN["smollm2"], model=pinned))
    done = run("pull", "tiny")
    assert (done.exit_code, done.stdout) == (0, f"{path}\n")
    assert done.stderr == "try it: toolproto chat --local tiny\n"


def test_a_source_of_no_known_kind_is_told_in_one_line(run):
    done = run("pull", "nope")
    assert done.exit_code == 2
    assert "there is no model 'nope'; expected smollm2 or OWNER/REPOSITORY" in done.stderr
    assert done.stderr.count("\n") == 1
