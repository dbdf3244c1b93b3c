"""``toolproto model``."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from toolproto.cli.app import main


@pytest.fixture
def run(models):
    def invoke(*words):
        return CliRunner().invoke(main, ["model", *words])

    return invoke


def test_a_file_is_pulled_listed_found_and_removed(run, gguf):
    done = run("pull", str(gguf), "--name", "tiny")
    assert done.exit_code == 0
    assert done.stdout == f"{gguf}\n"
    assert "toolproto chat --local tiny" in done.stderr
    assert run("list").stdout.split() == ["tiny", "0", "MB", *str(gguf).split()]
    assert json.loads(run("list", "--json").stdout) == [
        {"name": "tiny", "path": str(gguf), "size": 108, "downloaded": False}
    ]
    assert run("path", "tiny").stdout == f"{gguf}\n"
    removed = run("remove", "tiny")
    assert (removed.stdout, removed.exit_code) == ("", 0)
    assert "stays where it is" in removed.stderr
    assert gguf.exists()


def test_an_empty_list_says_how_to_begin(run):
    done = run("list")
    assert done.stdout == ""
    assert "toolproto model pull smollm2" in done.stderr
    assert json.loads(run("list", "--json").stdout) == []


FAULTY = [
    (["pull", "nope"], "there is no model 'nope'; expected smollm2"),
    (["path", "smollm2"], "get it with: toolproto model pull smollm2"),
    (["remove", "nope"], "there is no model 'nope' on this machine"),
    (["pull", "smollm2", "--name", "///"], "cannot name a model"),
]


@pytest.mark.parametrize("words, told", FAULTY)
def test_a_mistake_is_told_in_one_line(run, words, told):
    done = run(*words)
    assert done.exit_code == 2
    assert told in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_downloaded_model_is_removed_with_its_file(run, models, gguf):
    models.mkdir()
    kept = models / "tiny.gguf"
    kept.write_bytes(gguf.read_bytes())
    assert "removed" in run("remove", "tiny").stderr
    assert not kept.exists()
