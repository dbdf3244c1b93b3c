"""Every module has tests that reach it, and the table of ``which_tests`` says nothing twice."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import pytest

from tests import which_tests  # pytest would take `tests_of` for a test, if it were a name here
from tests.which_tests import CROSSING, TABLE, TESTS
from toolproto.public_names import homes

ROOT = TESTS.parent
PACKAGE = ROOT / "toolproto"
ROOMS = ("protocol", "endpoints", "conversation", "gateway", "bulk", "testing", "web", "cli")
SOURCES = sorted(
    path.relative_to(PACKAGE).as_posix()
    for path in PACKAGE.rglob("*.py")
    if path.name != "__init__.py"
)
#: What is loaded by a name that is made, or by an entry point, or in another process.
LOADED = {
    "toolproto.cli.app": "cli/commands/*.py",
    "toolproto.protocol.paradigms.registry": "protocol/paradigms/catalogue/*.py",
    "tests.testing.conftest": "testing/plugin.py",
    "tests.gateway.frameworks.test_llm": "gateway/llm_plugin.py",
    "tests.bulk.engines.test_engines": "bulk/ray.py",
    "tests.cli.commands.test_completion": "cli/commands/completion.py",
    "tests.cli.test_app": "__main__.py",
}


def files_of(tests: Iterable[str]) -> set[str]:
    """Return the files that *tests* name, below ``tests``."""
    found = set[Path]()
    for each in tests:
        path = TESTS / each
        found |= set(path.glob("test_*.py")) if path.is_dir() else {path}
    return {path.relative_to(TESTS).as_posix() for path in found}


@pytest.fixture(scope="module")
def belonging() -> dict[str, set[str]]:
    return {source: files_of(which_tests.tests_of(source)) for source in SOURCES}


def test_every_module_has_tests(belonging):
    missing = {
        source: [each for each in files if not (TESTS / each).exists()]
        for source, files in belonging.items()
    }
    assert [source for source, files in belonging.items() if not files] == []
    assert {source: files for source, files in missing.items() if files} == {}


@pytest.mark.parametrize("row", TABLE)
def test_a_row_says_what_the_rule_does_not(row):
    assert (PACKAGE / row).exists()
    assert sorted(set(TABLE[row])) == sorted(TABLE[row]) != []
    others = {key: tests for key, tests in TABLE.items() if key != row}
    under = [source for source in SOURCES if source == row or source.startswith(f"{row}/")]
    assert any(
        which_tests.tests_of(source) != which_tests.tests_of(source, others) for source in under
    )


def is_crossing(file: str) -> bool:
    return any(file == each or file.startswith(f"{each}/") for each in CROSSING)


def test_every_test_file_belongs_to_a_module_or_crosses_them(belonging):
    there = {
        path.relative_to(TESTS).as_posix()
        for room in ROOMS
        for path in (TESTS / room).rglob("test_*.py")
    }
    of_one = set().union(*belonging.values())
    assert sorted(file for file in there - of_one if not is_crossing(file)) == []
    # What is listed is there, and needs to be.
    needed = [each for each in CROSSING if any(is_crossing(file) for file in there - of_one)]
    assert list(CROSSING) == needed
    assert [each for each in CROSSING if not (TESTS / each).exists()] == []


# -- whether the tests reach their module -------------------------------------------------

IMPORT = re.compile(
    r"^[ ]*(?:from[ ](\.*[\w.]*)[ ]import[ ](?:\(([^)]*)\)|([^#\n]+))|import[ ]([\w., ]+))",
    re.MULTILINE,
)


def dotted(path: Path) -> str:
    """Return the name under which *path* is imported."""
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


MODULES = {
    dotted(path): path
    for top in (PACKAGE, TESTS)
    for path in top.rglob("*.py")
    if ".clients" not in path.parts  # what was fetched for tests
}


def imported(text: str, package: str) -> Iterator[str]:
    """Yield the full names of all that *text*, a module in *package*, imports."""
    folder = package.split(".")
    for origin, many, some, plain in IMPORT.findall(text):
        if plain:
            yield from (each.split()[0] for each in plain.split(",") if each.strip())
            continue
        below = origin.lstrip(".")
        dots = len(origin) - len(below)
        base = ".".join((*folder[: len(folder) - dots + 1], below)) if dots else below
        words = (each.split() for each in (many or some).split(","))
        yield from (f"{base.strip('.')}.{each[0]}" for each in words if each)


def modules_of(name: str) -> Iterator[str]:
    """Yield the modules that importing *name* runs, as far as they are ours."""
    if name in MODULES:
        yield name
        return
    home, _, last = name.rpartition(".")
    if home in MODULES:
        yield home
        if MODULES[home].with_suffix(".pyi").exists() and last in homes(home):
            yield homes(home)[last]


@cache
def next_to(name: str) -> set[str]:
    """Return the modules that the module *name* imports itself."""
    path = MODULES[name]
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    found = {
        each
        for full in imported(path.read_text("utf-8"), package)
        if full.startswith(("toolproto", "tests"))
        for each in modules_of(full)
    }
    if name in LOADED:
        found |= {dotted(each) for each in PACKAGE.glob(LOADED[name])}
    if name.startswith("tests."):
        # What pytest reads before it.
        found |= {dotted(each) for up in path.parents if (each := up / "conftest.py").exists()}
    return found - {name}


@cache
def reached(name: str) -> frozenset[str]:
    """Return the modules that are imported with the module *name*."""
    seen, todo = {name}, [name]
    while todo:
        new = next_to(todo.pop()) - seen
        seen |= new
        todo += new
    return frozenset(seen)


def test_every_module_is_reached_by_its_tests():
    """By each that a row names; in a folder, one is enough."""
    apart = [
        (source, tests)
        for source in SOURCES
        for tests in which_tests.tests_of(source)
        if not any(
            dotted(PACKAGE / source) in reached(dotted(TESTS / file)) for file in files_of([tests])
        )
    ]
    assert apart == []


@pytest.mark.parametrize(
    "text, names",
    [
        ("import toolproto.web, json", ["toolproto.web", "json"]),
        ("from ..x import a as b, c", ["tests.x.a", "tests.x.c"]),
        ("from . import a", ["tests.y.a"]),
        ("def f():\n    from . import (\n        A,\n        B,\n)", ["tests.y.A", "tests.y.B"]),
        ("from toolproto import A  # noqa: F401 (b)", ["toolproto.A"]),
    ],
)
def test_imports_are_found(text, names):
    assert list(imported(text, "tests.y")) == names


def test_a_public_name_leads_to_its_module():
    assert "toolproto.endpoints.http.http_endpoint" in modules_of("toolproto.HttpEndpoint")
    assert list(modules_of("toolproto.web.run.x")) == ["toolproto.web.run"]
