"""Every example in the README and the guides runs, in the order of its page.

Python blocks run as one program, and what ``print(…)  # …`` says is printed. Console blocks run as
one shell session in an empty folder: the lines behind a command are what it prints, where ``…``
stands for anything. What cannot run here is in a block of another language.
"""

from __future__ import annotations

import os
import re
import runpy
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from toolproto.endpoints.local import pull

from .amount import WHOLE

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
_BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_SAID = re.compile(r"^print\(.*\)(?:\s*#|\n#) (.+)$", re.MULTILINE)
_CONSOLE = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_HEREDOC = re.compile(r"<<'(\w+)'")
UNUSED = ("xdist", "anyio", "hypothesispytest")


def python(page: Path) -> str:
    return "\n".join(_BLOCK.findall(page.read_text(encoding="utf-8")))


def commands(page: Path) -> list[tuple[str, str]]:
    """Each command of the page's console blocks, with the text that it is to print."""
    return [each for block in _CONSOLE.findall(page.read_text("utf-8")) for each in session(block)]


def session(block: str) -> Iterator[tuple[str, str]]:
    lines = iter(block.splitlines(keepends=True))
    command, printed = "", ""
    for line in lines:
        if not line.startswith("$ "):
            printed += line
            continue
        if command:
            yield command, printed
        command, printed = line[2:], ""
        while command.endswith("\\\n"):
            command += next(lines)
        if heredoc := _HEREDOC.search(command):
            while not command.endswith(f"\n{heredoc[1]}\n"):
                command += next(lines)
    if command:
        yield command, printed


#: What `make soak` has a model do in a third of a minute, with replies that it gave. The same
#: exchange with the model itself is in examples/demo.py, and so in tests/test_demo.py.
RECORDED = {
    "local-models.md": (
        "ChatSession(\n    LocalEndpoint(),\n",
        """ChatSession(
    __import__("toolproto.endpoints").endpoints.ScriptedEndpoint(
        '<tool_code>{"name": "get_weather", "arguments": {"city": "Rome"}}</tool_code>',
        "It is 27 degrees in Rome, with sunshine.",
    ),
""",
    )
}


def without_waiting(page: Path, code: str) -> str:
    """*code* of *page*, with recorded replies in the place of a model that takes long."""
    if WHOLE or page.name not in RECORDED:
        return code
    live, recorded = RECORDED[page.name]
    assert code.count(live) == 1
    return code.replace(live, recorded)


@pytest.mark.parametrize(
    "page", [page for page in PAGES if python(page)], ids=lambda page: page.name
)
def test_the_examples_of_a_page_run_and_print_what_they_say(
    page: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = python(page)
    script = tmp_path / "page.py"
    script.write_text(without_waiting(page, code), encoding="utf-8")
    if "LocalEndpoint()" in code:
        pull("smollm2")  # a page that fetches it may come later
    runpy.run_path(str(script))
    printed = capsys.readouterr().out
    assert [said for said in _SAID.findall(code) if said not in printed] == []


@pytest.mark.parametrize(
    "page", [page for page in PAGES if commands(page)], ids=lambda page: page.name
)
def test_the_commands_of_a_page_print_what_stands_there(page: Path, tmp_path: Path) -> None:
    # A pytest inside this one is no worker of it.
    ours = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    environment = {**ours, "PATH": f"{programs(tmp_path)}:{os.environ['PATH']}"}
    # Plugins that have nothing to do here take pytest as long to load as all else.
    environment["PYTEST_ADDOPTS"] = " ".join(f"-p no:{name}" for name in UNUSED)
    (tmp_path / "here").mkdir()
    for command, expected in commands(page):
        done = subprocess.run(
            ["bash", "-c", command],
            cwd=tmp_path / "here",
            env={**environment, "NO_COLOR": "1", "COLUMNS": "100"},
            capture_output=True,
            encoding="utf-8",
        )
        pattern = ".*".join(map(re.escape, expected.split("…")))
        shown = done.stdout + done.stderr
        assert not expected or re.fullmatch(pattern, shown, re.DOTALL), f"$ {command}{shown}"
        assert expected or done.returncode == 0, f"$ {command}{shown}"


@pytest.mark.parametrize(
    "code", _BLOCK.findall((ROOT / "README.md").read_text("utf-8")), ids=lambda code: code[:40]
)
def test_each_snippet_of_the_readme_can_be_copied_alone(code: str, tmp_path: Path) -> None:
    script = tmp_path / "snippet.py"
    script.write_text(code, encoding="utf-8")
    runpy.run_path(str(script))


def programs(folder: Path) -> Path:
    """A folder with ``toolproto``, ``python`` and ``pytest``, as those of this interpreter."""
    made = folder / "bin"
    made.mkdir()
    for name, words in {"toolproto": "-m toolproto", "python": "", "pytest": "-m pytest"}.items():
        script = made / name
        script.write_text(f'#!/bin/sh\nexec "{sys.executable}" {words} "$@"\n')
        script.chmod(0o755)
    return made


def test_the_api_reference_says_what_the_docstrings_say() -> None:
    written = runpy.run_path(str(ROOT / "docs" / "make_api_reference.py"))
    page = (ROOT / "docs" / "api.md").read_text("utf-8")
    assert page == written["page"](), "run: python docs/make_api_reference.py"


def test_every_page_has_an_example() -> None:
    # The page of seeds is a list of tests, and that of scaling has figures. The program of workers
    # is run by tests/conversation/stores, and the recipes of frameworks, which are not installed
    # here, by tests/gateway/frameworks.
    elsewhere = {"seeds.md", "scaling.md", "frameworks.md", "workers.md"}
    # These say where things are, and why: there is nothing to run.
    elsewhere |= {"map.md", "comparison.md"}
    pages = [
        page for page in PAGES if page.name not in elsewhere and page.parent.name != "decisions"
    ]
    assert [page.name for page in pages if not python(page) and not commands(page)] == []


#: Where public names are imported from.
ROOMS = {"protocol", "endpoints", "conversation", "gateway", "bulk", "testing", "web"}
_IMPORTED = re.compile(r"^ *(?:from|import) (toolproto[\w.]*)", re.MULTILINE)
#: Modules that a page explains, or that are packages of their own.
_BY_NAME = {"toolproto.testing.laws"}


def test_the_pages_import_from_the_rooms_alone() -> None:
    examples = sorted((ROOT / "examples").glob("*.py"))
    found = {
        (page.name, name)
        for page in [*PAGES, *examples]
        for name in _IMPORTED.findall(page.read_text("utf-8"))
    }
    public = {"toolproto", *(f"toolproto.{room}" for room in ROOMS)} | _BY_NAME
    assert [each for each in sorted(found) if each[1] not in public] == []


_FENCED = re.compile(r"^ *```.*?^ *```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\(((?!https?:)[^)\s]*)\)")


def prose(page: Path) -> str:
    return _FENCED.sub("", page.read_text("utf-8"))


def anchors(page: Path) -> set[str]:
    """What the headings of *page* can be linked to by, as GitHub and the site make it."""
    found: set[str] = set()
    for heading in re.findall(r"^#+ (.+)$", prose(page), re.MULTILINE):
        plain = re.sub(r"[`*]|\]\([^)]*\)|\[", "", heading)
        kept = "".join(char for char in plain.lower() if char.isalnum() or char in " -_")
        found.add(kept.strip().replace(" ", "-"))
    return found


@pytest.mark.parametrize(
    "page", [*PAGES, *ROOT.glob("[CS]*.md")], ids=lambda page: page.relative_to(ROOT).as_posix()
)
def test_every_link_and_anchor_leads_somewhere(page: Path) -> None:
    for link in _LINK.findall(prose(page)):
        path, _, anchor = link.partition("#")
        target = page.parent / path if path else page
        assert target.exists(), f"{page.name}: {link}"
        assert not anchor or anchor in anchors(target), f"{page.name}: there is no heading {link}"


def test_every_page_is_in_the_site() -> None:
    site = (ROOT / "mkdocs.yml").read_text("utf-8")
    pages = [page.name for page in PAGES if page.name != "README.md"]
    missing = [name for name in pages if name not in site]
    assert missing == [], "add them to nav in mkdocs.yml"
