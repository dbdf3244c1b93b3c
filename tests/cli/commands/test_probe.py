"""``toolproto probe`` on the command line."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.testing.probe.models import deaf, perfect, scripted, small_plan
from toolproto.cli.app import main
from toolproto.endpoints import RecordingEndpoint
from toolproto.testing.probe import probe_model

KINDS = ["--kind", "one_tool", "--kind", "no_tool", "--kind", "two_calls", "--kind", "result"]
QUICK = ["--quick", "-p", "json_strict", "-p", "pythonic", *KINDS, "--model", "tiny"]


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _recorded(model, plan=None) -> list[str]:
    """The options that have *model* answer: a recording of a probe."""
    plan = plan or small_plan()
    probe_model(RecordingEndpoint(scripted(model), "cassette.jsonl"), plan)
    return ["--recording", "cassette.jsonl"]


def _run(*arguments: str):
    return CliRunner().invoke(main, ["probe", *arguments])


def test_a_probe_prints_a_table_and_saves_the_choice(here):
    done = _run(*_recorded(perfect(small_plan())), *QUICK)
    assert done.exit_code == 0, done.output
    assert "json_strict" in done.stdout and "100 %" in done.stdout
    assert "best: " in done.stdout
    saved = tomllib.loads((here / "toolproto.toml").read_text())["models"]["tiny"]
    assert saved == {
        "paradigm": "pythonic",
        "teaching": "balanced",
        "describe": "typescript",
        "examples": True,
    }
    names = sorted(path.name for path in (here / "probe-tiny").iterdir())
    assert names == ["replies.jsonl", "report.html", "report.json"]
    assert json.loads((here / "probe-tiny/report.json").read_text())["model"] == "tiny"


def test_what_is_printed_for_scripts_is_json_and_nothing_else(here):
    done = _run(*_recorded(perfect(small_plan())), *QUICK, "--json", "--no-save")
    told = json.loads(done.stdout)
    assert told["saved"] is None and not (here / "toolproto.toml").exists()
    assert [Path(path).name for path in told["files"]] == ["report.json", "report.html"]
    assert "trials" not in told and len(told["rows"]) == 4


def test_a_rerun_goes_on_and_fresh_begins_again(here):
    recorded = _recorded(perfect(small_plan()))
    first = _run(*recorded, *QUICK, "--max-requests", "20")
    assert first.exit_code == 0 and "20 requests is used up" in first.stderr
    assert "continues from there" in first.stderr
    few = _run(*recorded, *QUICK, "--out", "few", "--max-requests", "1")
    assert "not every form was tried often enough" in few.stderr
    lines = (here / "probe-tiny/replies.jsonl").read_text().count("\n")
    whole = _run(*recorded, *QUICK, "--json")
    assert json.loads(whole.stdout)["asked"] == json.loads(whole.stdout)["planned"]
    assert (here / "probe-tiny/replies.jsonl").read_text().count("\n") > lines
    again = _run(*recorded, *QUICK, "--fresh", "--max-requests", "5", "--json")
    assert json.loads(again.stdout)["asked"] <= 5


def test_a_dry_run_asks_nothing_and_needs_no_endpoint(here):
    done = _run(*QUICK, "--dry-run")
    assert done.exit_code == 0 and "json_strict/examples" in done.stdout
    assert list(here.iterdir()) == []
    told = json.loads(_run(*QUICK, "--dry-run", "--json").stdout)
    assert told["trials"] == len(list(small_plan().trials())) and told["known"] == 0
    assert told["requests"] > told["trials"] and told["prompt_tokens"] > 5_000


def test_a_dry_run_tells_what_a_run_with_limits_would_ask(here):
    limited = [*QUICK, "--dry-run", "--max-requests", "4"]
    told = _run(*limited).stdout
    assert "4 requests" in told and "are left for another run" in told
    assert json.loads(_run(*limited, "--json").stdout)["requests"] == 4


def test_where_nothing_is_right_nothing_is_saved(here):
    done = _run(*_recorded(deaf), *QUICK)
    assert done.exit_code == 0 and "no choice to save" in done.stderr
    assert not (here / "toolproto.toml").exists()


def test_an_endpoint_that_fails_is_told_with_its_code(here):
    (here / "cassette.jsonl").write_text("")
    done = _run("--recording", "cassette.jsonl", *QUICK)
    assert done.exit_code == 3
    assert "the endpoint failed" in done.stderr


def test_the_choice_goes_into_the_settings_file_that_was_named(here):
    (here / "mine.toml").write_text('# mine\nmodel = "tiny"\n')
    recorded = _recorded(perfect(small_plan()))
    done = CliRunner().invoke(main, ["--config", "mine.toml", "probe", *recorded, *QUICK])
    assert done.exit_code == 0, done.output
    assert (here / "mine.toml").read_text().startswith('# mine\nmodel = "tiny"\n\n[models.tiny]')
    assert not (here / "toolproto.toml").exists()


@pytest.mark.parametrize(
    "arguments, told",
    [
        ([], "which model?"),
        (["-p", "xml_tga"], "no paradigm named 'xml_tga'"),
        (["--describe", "prose"], "prose"),
        (["--kind", "hard"], "hard"),
        (["--param", "max_tokens"], "max_tokens=1000"),
        (["--jobs", "0"], "jobs"),
        (["--max-seconds", "0"], "max-seconds"),
        (["--endpoint", "http://x", "--local"], "exclude each other"),
    ],
)
def test_a_mistake_is_one_line_with_the_remedy(here, arguments, told):
    done = _run(*arguments)
    assert done.exit_code == 2
    assert told in done.stderr and len(done.stderr.strip().splitlines()) == 1
    assert list(here.iterdir()) == []


def test_parameters_reach_the_request(here):
    plan = small_plan(params={"max_tokens": 500, "think": "low"})
    recorded = _recorded(perfect(plan), plan)
    done = _run(*recorded, *QUICK, "--param", "max_tokens=500", "--param", "think=low", "--json")
    assert json.loads(done.stdout)["stopped"] is None


def test_a_model_with_a_hostile_name_writes_no_escape_to_the_terminal(here):
    plan = small_plan("\x1b[2J[red]m")
    recorded = _recorded(perfect(plan), plan)
    done = _run(*recorded, *QUICK[:-1], "\x1b[2J[red]m")
    assert done.exit_code == 0, done.output
    assert "\x1b" not in done.output and "[red]" in done.output


def test_it_works_as_a_process_of_its_own(here):
    _recorded(perfect(small_plan()))
    done = subprocess.run(
        [sys.executable, "-m", "toolproto", "probe", "--recording", "cassette.jsonl", *QUICK],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    assert "best: pythonic/examples" in done.stdout
    assert "saved pythonic/examples for 'tiny' in toolproto.toml" in done.stderr
