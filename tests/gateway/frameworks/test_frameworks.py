"""The recipes for other people's libraries run, and each finishes a call.

The examples are read out of the pages, so that no page can rot. ``make frameworks`` installs the
libraries in environments of their own, and runs all examples; the usual run sees that they
compile and that they name what there is. A text-only model that behaves stands behind them.
"""

from __future__ import annotations

import ast
import importlib
import re
from pathlib import Path

import pytest

from tests.gateway.proxy.backend import Backend, served
from tests.gateway.proxy.clients.model import model_of
from tests.gateway.proxy.sayings import Messages
from toolproto.gateway.proxy.app import make_app
from toolproto.gateway.proxy.config import ModelTerms, ProxyConfig, Upstream

from .environments import ROOT, needs_frameworks, requirements_of, run

_EXAMPLE = re.compile(r"^```py (\w+)\n(.*?)^```$", re.M | re.S)
_SAYS = re.compile(r"^ *(?:print|asyncio\.run)\(.*\)  # (.+)$", re.M)
#: A recipe is to be read at a glance.
_MOST_LINES = 16
FRAMEWORKS = {
    *("dspy", "haystack", "langchain", "litellm", "llama_index", "openai_agents"),
    *("pydantic_ai", "smolagents"),
}


def examples(page: str) -> list[tuple[str, str]]:
    """The library and the code of each example on *page*."""
    return _EXAMPLE.findall((ROOT / "docs" / page).read_text("utf-8"))


RECIPES, GUIDE = examples("frameworks.md"), examples("in-your-program.md")
EVERYWHERE = [
    pytest.param(library, code, id=f"{at}-{library}")
    for at, (library, code) in enumerate(RECIPES + GUIDE)
]


def weatherman(messages: Messages) -> str:
    """A model that looks the weather up and says it, or hands it in where that takes a call."""
    if "rain" not in messages[-1]["content"]:
        return '<tool_code>{"name": "get_weather", "arguments": {"city": "Oslo"}}</tool_code>'
    for last in ("final_answer", "submit"):
        if last in messages[0]["content"]:
            given = f'{{"name": "{last}", "arguments": {{"answer": "It rains in Oslo."}}}}'
            return f"<tool_code>{given}</tool_code>"
    return "It rains in Oslo."


def printed(library: str, code: str, backend: Backend, folder: Path) -> str:
    """What *code* prints with *backend* behind it; that it prints what it says is checked."""
    program = folder / "recipe.py"
    with served(backend.app()) as url:
        upstream = Upstream(f"{url}/v1")
        config = ProxyConfig((upstream,), models={"*": ModelTerms("xml_tag")})
        with served(make_app(config)) as proxy:
            places = f"URL = {url + '/v1'!r}\nPROXY = {proxy + '/v1'!r}\n"
            program.write_text(places + code, encoding="utf-8")
            done = run(library, program)
    said = _SAYS.findall(code)
    assert said and all(each in done.stdout for each in said), done.stdout + done.stderr[-3000:]
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


@needs_frameworks
@pytest.mark.parametrize(
    "library, code", [pytest.param(*each, id=f"{at}-{each[0]}") for at, each in enumerate(RECIPES)]
)
def test_a_recipe_finishes_a_call(library: str, code: str, tmp_path: Path):
    backend = Backend(weatherman)
    printed(library, code, backend, tmp_path)
    if "URL" not in code and "PROXY" not in code:
        assert backend.bodies == []  # its text model is in its own process
        return
    first, last = backend.bodies[0]["messages"], backend.bodies[-1]["messages"]
    assert "get_weather" in first[0]["content"] and "rain" not in str(first)
    assert "rain" in last[-1]["content"]


@needs_frameworks
@pytest.mark.parametrize("library, code", [pytest.param(*each, id=each[0]) for each in GUIDE])
def test_an_example_with_an_sdk_prints_what_it_says(library: str, code: str, tmp_path: Path):
    printed(library, code, Backend(model_of("xml_tag")), tmp_path)


def test_each_framework_has_a_recipe_and_each_example_an_environment():
    assert {library for library, _ in RECIPES} == FRAMEWORKS
    assert [library for library, _ in GUIDE] == ["openai", "anthropic", "ollama"]
    assert [name for name, _ in RECIPES + GUIDE if not requirements_of(name).exists()] == []


@pytest.mark.parametrize("library, code", EVERYWHERE)
def test_an_example_is_short_compiles_and_names_what_there_is(library: str, code: str):
    assert len([line for line in code.splitlines() if line.strip()]) <= _MOST_LINES
    named = 0
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("toolproto"):
            module = importlib.import_module(str(node.module))
            assert [each.name for each in node.names if each.name not in module.__all__] == []
            named += len(node.names)
    assert named or library == "dspy"  # which is given the proxy's address
