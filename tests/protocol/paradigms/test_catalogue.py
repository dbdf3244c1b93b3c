"""Every form in the catalogue is one short declaration, with fixtures and a row in the guide."""

from __future__ import annotations

import inspect
import runpy
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

from tests.amount import recorded
from toolproto import ToolContextDef, WireParadigm, get_paradigm
from toolproto.protocol.paradigms import catalogue

ROOT = Path(__file__).parents[3]
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
FIXTURES = recorded()


LONGEST = 40


def modules() -> list[ModuleType]:
    return [import_module(f"{catalogue.__name__}.{path.stem}") for path in FILES]


def declared(module: ModuleType) -> list[type[ToolContextDef]]:
    """The paradigms of a module that are its own."""
    classes = [each for each in vars(module).values() if isinstance(each, type)]
    ours = [each for each in classes if each.__module__ == module.__name__]
    return [each for each in ours if issubclass(each, ToolContextDef)]


PARADIGMS = [paradigm for module in modules() for paradigm in declared(module)]
every_paradigm = pytest.mark.parametrize("paradigm", PARADIGMS, ids=lambda each: each.name)


def test_the_catalogue_is_a_handful_of_files() -> None:
    assert len(FILES) + 1 <= 12


@pytest.mark.parametrize("module", modules(), ids=lambda module: module.__name__.rpartition(".")[2])
def test_a_module_offers_what_it_declares_and_says_what_that_has_in_common(module) -> None:
    assert sorted(module.__all__) == sorted(each.__name__ for each in declared(module))
    assert module.__doc__.endswith(".")


def test_every_form_is_found_in_the_module_that_declares_it() -> None:
    found = {each.name: each.__module__.rpartition(".")[2] for each in PARADIGMS}
    assert found == catalogue.HOMES
    assert len(found) == len(PARADIGMS)


@every_paradigm
def test_a_form_is_one_short_declaration(paradigm: type[ToolContextDef]) -> None:
    assert issubclass(paradigm, WireParadigm)
    assert len(inspect.getsource(paradigm).splitlines()) <= LONGEST


@every_paradigm
def test_a_form_is_looked_up_by_its_name(paradigm: type[ToolContextDef]) -> None:
    assert type(get_paradigm(paradigm.name)) is paradigm


@every_paradigm
def test_a_form_says_when_to_use_it_and_what_it_looks_like(paradigm: type[ToolContextDef]) -> None:
    use, blank, *form = (inspect.getdoc(paradigm) or "").split("\n")
    assert use.endswith(".") and not blank
    assert form and form[0] and form[0] != use


@every_paradigm
def test_all_paradigms_share_one_decoder(paradigm: type[ToolContextDef]) -> None:
    assert inspect.getattr_static(paradigm, "decoder") is vars(WireParadigm)["decoder"]


@every_paradigm
def test_a_paradigm_has_its_replies_on_file(paradigm: type[ToolContextDef]) -> None:
    cases = [fixture for fixture in FIXTURES if fixture.paradigm == paradigm.name]
    assert len(cases) >= (12 if paradigm.name in MOST_USED else 4)
    assert len({fixture.reply for fixture in cases}) == len(cases)


def test_the_most_used_are_in_the_catalogue() -> None:
    assert catalogue.HOMES.keys() >= MOST_USED


def test_the_guide_lists_every_paradigm_as_it_is() -> None:
    written = runpy.run_path(str(ROOT / "docs" / "make_paradigm_table.py"))
    page = (ROOT / "docs" / "paradigms.md").read_text(encoding="utf-8")
    assert page == written["page"](), "run: python docs/make_paradigm_table.py"
    assert all(f"| `{name}` |" in page for name in catalogue.HOMES)
