"""A new paradigm: what is written works, and nothing else is touched."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from toolproto import ToolCall, UsageError, list_paradigms
from toolproto.cli.app import main
from toolproto.cli.paradigm_choice import load_paradigm
from toolproto.cli.scaffold import PAYLOADS, NewParadigm, write_scaffold
from toolproto.protocol.paradigms.registry import free_names
from toolproto.testing import laws
from toolproto.testing.fixtures import load_fixtures
from toolproto.testing.offers import STANDARD_OFFER
from toolproto.testing.reading_text import reading_text

VARIANTS = {
    "brackets": NewParadigm("new_form", "[[call ", "]]"),
    **{
        payload: NewParadigm("new_form", "<use>", "</use>", payload=payload) for payload in PAYLOADS
    },
    "tags in brackets": NewParadigm("new_form", "[[call ", "]]", payload="tags"),
    "no closer": NewParadigm("new_form", "<|use|>"),
    "a fence": NewParadigm("new_form", "```call\n", "\n```"),
    "quotes and backslashes": NewParadigm("new_form", "\\\"'call ", "'\"\\"),
    "dollars and braces": NewParadigm("new_form", "$call{ ", "$end{}"),
    "custom": NewParadigm("new_form", "@call ", custom=True),
    "custom, short": NewParadigm("new_form", "!", custom=True),
}
CALLS = [
    ToolCall("get_weather", {"city": "Oslo"}),
    ToolCall("now", {}),
    ToolCall("write_file", {"path": "a.py", "content": 'x = "a"\n@call b {}\n]] </use>\n'}),
]


@pytest.fixture(autouse=True)
def loading_leaves_no_trace(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(sys, "path", list(sys.path))
    yield
    for name in ("new_form", "other_form"):
        sys.modules.pop(name, None)


@pytest.fixture(scope="module", params=VARIANTS)
def variant(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder in which a variant was written."""
    folder = tmp_path_factory.mktemp("variant")
    write_scaffold(VARIANTS[request.param], folder)
    return folder


def test_what_is_written_keeps_the_laws(variant: Path) -> None:
    with free_names(["new_form"]):
        paradigm = load_paradigm(str(variant / "new_form.py"))
        for call in CALLS:
            laws.round_trip(paradigm, call, STANDARD_OFFER)
        reply = f"Well.\n{paradigm.encode_calls(CALLS)}\nSo."
        laws.chunking(paradigm, reply, range(len(reply)), STANDARD_OFFER)
        laws.lossless(paradigm, reply, STANDARD_OFFER)
        laws.streamed_arguments(paradigm, reply, STANDARD_OFFER)
        laws.sequence(paradigm, CALLS, STANDARD_OFFER)
        laws.teaching(paradigm, STANDARD_OFFER, [])
        for fixture in load_fixtures(variant / "fixtures"):
            snapshot = variant / "fixtures" / "new_form" / f"{fixture.case}.snap"
            assert reading_text(fixture.read()) == snapshot.read_text(encoding="utf-8")


def test_what_is_written_is_well_formed(variant: Path) -> None:
    for check in (["check", "--select", "E,F,I,B,UP,SIM,RUF"], ["format", "--check"]):
        command = [sys.executable, "-m", "ruff", *check, "--no-cache", "--line-length", "100"]
        done = subprocess.run(command, cwd=variant, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stdout


def test_a_custom_reader_tells_thoughts_fences_and_made_up_results(tmp_path: Path) -> None:
    write_scaffold(VARIANTS["custom"], tmp_path)
    call = '@call now {"a": 1}'
    with free_names(["new_form"]):
        paradigm = load_paradigm(str(tmp_path / "new_form.py"))
    read = paradigm.parse_response(f"<think>Or {call}?\n{call}\n</think>{call}\nDone.")
    assert (read.reasoning, len(read.calls), read.text) == (f"Or {call}?\n{call}\n", 1, "Done.")
    for shown in (f"Write {call} now.", f"```\n{call}\n```", f"> {call}", f"````\n```\n{call}"):
        read = paradigm.parse_response(shown)
        assert (read.calls, read.text) == ([], shown)
    made_up = paradigm.parse_response(f"{call}\n<tool_result>\n1\n</tool_result>\n{call}")
    assert [problem.kind.value for problem in made_up.problems] == ["fabricated_result"]
    for doubted, place in (
        (f"So:\n{call}\nThat is how.", "introduced"),
        (f"{call} is how.", "sentence"),
        (f"Hm.\n{call}\n</think>", "thinking"),
        (f"> a\n{call}", "quote"),
    ):
        assert [each.place for each in paradigm.parse_response(doubted).calls] == [place]
    broken = paradigm.parse_response(
        "@call now {'a': 1,}\n@call now {\n@call now {'b': 1} and more"
    )
    assert [repair.name for repair in broken.calls[0].repairs] == ["quote_style", "trailing_comma"]
    assert [problem.kind.value for problem in broken.problems] == ["truncated", "malformed"]


def test_a_package_has_all_that_a_package_needs(tmp_path: Path) -> None:
    wanted = NewParadigm("new_form", "[[call ", "]]", package=True)
    done = write_scaffold(wanted, tmp_path)
    assert done.folder == tmp_path / "toolproto-new-form"
    project = tomllib.loads((done.folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["name"] == "toolproto-new-form"
    assert project["entry-points"] == {
        "toolproto.paradigms": {"new_form": "toolproto_new_form:NewForm"}
    }
    assert {str(path) for path in done.written} >= {
        "README.md",
        "fixtures/new_form/clean.snap",
        "src/toolproto_new_form/__init__.py",
        "src/toolproto_new_form/new_form.py",
        "src/toolproto_new_form/py.typed",
        "tests/test_new_form.py",
        "tests/test_package.py",
    }
    assert '[[call {"name": "get_weather"' in (done.folder / "README.md").read_text("utf-8")


def test_writing_a_paradigm_registers_none(tmp_path: Path) -> None:
    write_scaffold(VARIANTS["custom"], tmp_path)
    assert "new_form" not in list_paradigms()


@pytest.mark.parametrize(
    "taken", ["new_form.py", "test_new_form.py", "fixtures/new_form/shown.snap"]
)
def test_nothing_is_overwritten_and_nothing_half_written(tmp_path: Path, taken: str) -> None:
    (tmp_path / taken).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / taken).write_text("mine", encoding="utf-8")
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(UsageError, match="exist already"):
        write_scaffold(VARIANTS["json"], tmp_path)
    assert sorted(tmp_path.rglob("*")) == before
    assert (tmp_path / taken).read_text(encoding="utf-8") == "mine"


def test_what_two_paradigms_share_is_left_as_it_is(tmp_path: Path) -> None:
    write_scaffold(VARIANTS["json"], tmp_path)
    before = (tmp_path / "conftest.py").read_text(encoding="utf-8")
    done = write_scaffold(NewParadigm("other_form", "<run>", "</run>"), tmp_path)
    assert {str(path) for path in done.left} == {
        "conftest.py",
        "fixtures/tools.json",
        "pytest.ini",
    }
    assert (tmp_path / "conftest.py").read_text(encoding="utf-8") == before


def test_settings_of_pytest_that_are_there_are_not_hidden(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.pytest.ini_options]\n", encoding="utf-8")
    done = write_scaffold(VARIANTS["json"], tmp_path)
    assert [str(path) for path in done.left] == ["pytest.ini"]
    assert not (tmp_path / "pytest.ini").exists()


UNREADABLE = {
    "thinking": NewParadigm("new_form", "<think>", "</think>"),
}


@pytest.mark.parametrize("case", UNREADABLE)
def test_markers_that_cannot_keep_the_laws_are_refused(tmp_path: Path, case: str) -> None:
    with pytest.raises(UsageError, match=r"would break the law of|cannot be read back"):
        write_scaffold(UNREADABLE[case], tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_call_cannot_begin_like_a_result(tmp_path: Path) -> None:
    wanted = NewParadigm("new_form", "<tool_result>", "</tool_result>")
    with pytest.raises(UsageError, match="begins a result"):
        write_scaffold(wanted, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_python_calls_may_stand_between_brackets(tmp_path: Path) -> None:
    write_scaffold(NewParadigm("new_form", "[[call ", "]]", payload="python"), tmp_path)
    assert list(tmp_path.iterdir()) != []


# -- the command --------------------------------------------------------------------------


def run(*words: str) -> Result:
    return CliRunner().invoke(main, ["new-paradigm", *words])


def test_the_command_lists_what_it_wrote_and_says_what_is_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = run("new_form", "--open", "[[call ", "--close", "]]")
    assert result.exit_code == 0
    assert result.stdout.splitlines()[0] == "conftest.py"
    assert "test_new_form.py" in result.stdout.splitlines()
    assert "next: pytest\n" in result.stderr
    again = run("new_form", "--open", "[[call ", "--close", "]]")
    assert again.exit_code == 2
    assert "exist already" in again.stderr
    other = run("other_form", "--custom")
    assert other.exit_code == 0
    assert "add to it: import other_form" in other.stderr


def test_a_package_goes_into_a_folder_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = run("new_form", "--open", "<use>", "--close", "</use>", "--package", "--into", "work")
    assert result.exit_code == 0
    assert "next: pytest work/toolproto-new-form" in result.stderr
    assert [path.name for path in Path("work").iterdir()] == ["toolproto-new-form"]


@pytest.mark.parametrize(
    "words", [["new_form"], ["New", "--open", "[[x "], ["new_form", "--payload", "yaml"], []]
)
def test_a_mistake_is_told_in_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    result = run(*words)
    assert result.exit_code == 2
    assert result.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == []
