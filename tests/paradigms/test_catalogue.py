"""Every form in the catalogue is one short declaration, with fixtures and a row in the guide."""

from __future__ import annotations

import inspect
import runpy
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

from toolproto import ToolContextDef, WireParadigm, get_paradigm
from toolproto.paradigms import catalogue
from toolproto.testing.fixtures import load_fixtures

ROOT = Path(__file__).parent.parent.parent
FILES = sorted(path for path in Path(catalogue.__path__[0]).glob("*.py") if path.stem != "__init__")
#: The forms that most models write: more than their share of replies has to be on file.
MOST_USED = {
    "deepseek_v3",
    "fenced_json",
    "function_tag",
    "glm45",
    "harmony",
    "hermes",
    "kimi_k2",
    "llama3_json",
    "mistral",
    "mistral_v11",
    "pythonic",
    "qwen3_coder",
}
FIXTURES = list(load_fixtures(ROOT / "fixtures"))


def module(path: Path) -> ModuleType:
    return import_module(f"{catalogue.__name__}.{path.stem}")


def declared(path: Path) -> list[type[ToolContextDef]]:
    """The paradigms of a module that are its own."""
    members = vars(module(path)).values()
    classes = [each for each in members if isinstance(each, type)]
    return [
        each
        for each in classes
        if issubclass(each, ToolContextDef) and each.__module__ == module(path).__name__
    ]


every_file = pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)


@every_file
def test_a_file_of_the_catalogue_is_one_short_declaration(path: Path) -> None:
    [paradigm] = declared(path)
    assert issubclass(paradigm, WireParadigm)
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 40
    assert module(path).__all__ == [paradigm.__name__]


@every_file
def test_a_paradigm_goes_by_the_name_of_its_file(path: Path) -> None:
    [paradigm] = declared(path)
    assert paradigm.name == path.stem
    assert type(get_paradigm(path.stem)) is paradigm


@every_file
def test_a_paradigm_says_what_it_looks_like_and_when_to_use_it(path: Path) -> None:
    [paradigm] = declared(path)
    form, use = module(path).__doc__, paradigm.__doc__
    assert form and use
    assert form.endswith(".")
    assert use.partition("\n")[0].endswith(".")
    assert form != use


@every_file
def test_all_paradigms_share_one_decoder(path: Path) -> None:
    [paradigm] = declared(path)
    assert inspect.getattr_static(paradigm, "decoder") is vars(WireParadigm)["decoder"]


@every_file
def test_a_paradigm_has_its_replies_on_file(path: Path) -> None:
    cases = [fixture for fixture in FIXTURES if fixture.paradigm == path.stem]
    assert len(cases) >= (12 if path.stem in MOST_USED else 4)
    assert len({fixture.reply for fixture in cases}) == len(cases)


def test_the_most_used_are_in_the_catalogue() -> None:
    assert {path.stem for path in FILES} >= MOST_USED


def test_the_guide_lists_every_paradigm_as_it_is() -> None:
    written = runpy.run_path(str(ROOT / "docs" / "make_paradigm_table.py"))
    page = (ROOT / "docs" / "paradigms.md").read_text(encoding="utf-8")
    assert page == written["page"](), "run: python docs/make_paradigm_table.py"
    assert all(f"| `{path.stem}` |" in page for path in FILES)
