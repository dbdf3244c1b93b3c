"""Which module may import which: a module imports its own layer and lower ones only."""

from __future__ import annotations

import ast
from collections import deque
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "toolproto"

#: The layer of everything that stands directly under ``toolproto``, and of parts that stand higher
#: than what they belong to. A new name is a decision.
LAYERS = {
    "__version__": 0,  # of ``toolproto/__init__.py`` itself
    "errors": 0,
    "messages": 0,
    "events": 0,
    "finish_reasons": 0,
    "repairs": 0,
    "extras": 4,  # it looks up how the package was installed
    "tools": 1,
    "decoding": 1,
    "describe": 2,
    "grammar": 2,
    "paradigms": 2,
    "prompt": 2,
    "argument_strings": 2,
    "hooks": 2,
    "approvals": 2,
    "masking": 2,
    "guard": 2,
    "turn": 3,
    "bridge": 3,
    "tools.toolsets": 4,  # they open files
    "recommendations": 4,  # so does a table of one's own
    "taught": 4,
    "attachments": 4,  # it reads files
    "endpoints": 4,
    "stores": 4,
    "session": 4,
    "mcp": 4,
    "transport": 5,
    "integrations": 5,
    "proxy": 5,
    "web": 5,
    "cli": 5,
    "testing": 5,
    "evals": 5,
    "explain": 5,
    "bulk": 5,
    "pytest_plugin": 5,
    "__main__": 5,
}
#: ``toolproto/__init__.py`` gathers the public names, so it stands above all of them.
TOP = 6

#: The core neither waits, nor reads a clock, nor talks to anybody, nor looks at the machine.
WORLDLY = {
    "anyio", "asyncio", "concurrent", "glob", "httpx", "multiprocessing", "os",
    "pathlib", "platform", "queue", "select", "shutil", "signal", "socket",
    "ssl", "subprocess", "tempfile", "threading", "time",
}  # fmt: skip
LAST_PURE_LAYER = 3

#: Where each library may be imported: a file, or a folder with a slash behind it.
HOMES = {
    "lxml": ("decoding/families/xml.py", "describe/xml.py"),
    "httpx": ("endpoints/http.py", "transport/"),
    "jsonschema": ("tools/",),
    "pydantic": ("tools/", "proxy/config.py", "mcp/connection.py", "integrations/"),
    "sqlalchemy": ("stores/sql/",),
    "psycopg": ("stores/sql/", "session/workers.py"),
    "procrastinate": ("session/workers.py", "session/lost_turns.py"),
    "pytest": ("testing/", "pytest_plugin.py"),
    "syrupy": ("testing/", "pytest_plugin.py"),
    "hypothesis": ("testing/", "pytest_plugin.py"),
    "click": ("cli/",),
    "rich": ("cli/",),
    "pyarrow": ("bulk/",),
    "matplotlib": ("evals/",),
    "jinja2": ("endpoints/",),
    "torch": ("endpoints/in_transformers.py",),
    "transformers": ("endpoints/in_transformers.py",),
    "xllamacpp": ("endpoints/local/",),
    "platformdirs": ("endpoints/local/", "cli/"),
    "huggingface_hub": ("endpoints/local/",),
    "starlette": ("proxy/", "web/"),
    "uvicorn": ("proxy/", "web/"),
    "prometheus_client": ("proxy/",),
    "opentelemetry": ("proxy/",),
    "mcp": ("mcp/",),
    "mcp_types": ("mcp/",),
    "httpx2": ("mcp/http.py",),
    "langchain_core": ("integrations/",),
    "pydantic_ai": ("integrations/",),
    "llm": ("integrations/",),
    "agents": ("integrations/",),
    "smolagents": ("integrations/",),
    "llama_index": ("integrations/",),
    "litellm": ("integrations/", "endpoints/"),
    "haystack": ("integrations/",),
}

MODULES = sorted(path.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("*.py"))


def imports(tree: ast.AST, module: str, *, types: bool = True) -> Iterator[str]:
    """The full names of what *tree* imports; *module* is its path in the package.

    Imports inside functions count, and so do those for type checkers only, unless *types* is False:
    a type that a layer cannot name is a type it should not know.
    """
    folder = ("toolproto", *Path(module).parent.parts)
    for node in nodes(tree, types):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = folder[: len(folder) - node.level + 1] if node.level else ()
            origin = ".".join((*base, *filter(None, [node.module])))
            # ``from . import x`` and ``from toolproto import x`` may name modules.
            yield from (f"{origin}.{alias.name}" for alias in node.names)


def nodes(tree: ast.AST, types: bool) -> Iterator[ast.AST]:
    """The statements of *tree*; without *types*, not those below ``if TYPE_CHECKING``."""
    todo = deque([tree])
    while todo:
        node = todo.popleft()
        yield node
        checked = isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING"
        below = node.orelse if checked and not types else ast.iter_child_nodes(node)
        todo += (each for each in below if not isinstance(each, ast.expr))


@cache
def tree_of(module: str) -> ast.Module:
    return ast.parse((PACKAGE / module).read_text(encoding="utf-8"))


@cache
def imported_by(module: str) -> list[str]:
    return list(imports(tree_of(module), module))


def layer(name: str) -> int:
    """The layer of a dotted name in the package: that of the longest part of it that has one."""
    parts = name.split(".")[1:]
    heads = [".".join(parts[:size]) for size in range(len(parts), 0, -1)]
    return next((LAYERS[head] for head in heads if head in LAYERS), TOP)


def dotted(module: str) -> str:
    """The name under which *module*, a path in the package, is imported."""
    return ".".join(("toolproto", *Path(module).with_suffix("").parts)).removesuffix(".__init__")


def layer_of(module: str) -> int:
    return layer(dotted(module))


def climbing(names: Iterable[str], module: str) -> list[str]:
    """Which of *names*, which *module* imports, are from above its own layer."""
    ours = [name for name in names if name.split(".")[0] == "toolproto"]
    return [name for name in ours if layer(name) > layer_of(module)]


def at_home(module: str, homes: tuple[str, ...]) -> bool:
    return any(module == home or (home[-1] == "/" and module.startswith(home)) for home in homes)


def test_a_module_imports_its_own_layer_and_lower_ones():
    assert {each: found for each in MODULES if (found := climbing(imported_by(each), each))} == {}


def test_the_core_neither_waits_nor_looks_at_the_machine():
    core = [module for module in MODULES if layer_of(module) <= LAST_PURE_LAYER]
    libraries = {each: {name.split(".")[0] for name in imported_by(each)} for each in core}
    assert {each: used & WORLDLY for each, used in libraries.items() if used & WORLDLY} == {}


@pytest.mark.parametrize("library", HOMES)
def test_a_library_is_imported_at_its_home_only(library):
    users = [m for m in MODULES if library in {name.split(".")[0] for name in imported_by(m)}]
    assert [module for module in users if not at_home(module, HOMES[library])] == []


def test_every_name_under_the_package_has_a_layer_and_no_other_has():
    names = {dotted(module).removeprefix("toolproto.") for module in MODULES}
    assert {name.partition(".")[0] for name in names} - LAYERS.keys() == {"toolproto"}
    assert LAYERS.keys() - names == {"__version__"}


# -- circles ------------------------------------------------------------------------------


def needed(tree: ast.AST, module: str, known: Collection[str]) -> set[str]:
    """The *known* modules that *module* needs, be it inside a function.

    Two modules may speak of each other's types.
    """
    found = set()
    for name in imports(tree, module, types=False):
        while name and name not in known:
            name = name.rpartition(".")[0]
        found |= {name} - {"", dotted(module)}
    return found


def circle(needs: Mapping[str, Collection[str]]) -> list[str]:
    """Names of which each needs the next, and the last the first; none, if nothing goes round."""
    try:
        list(TopologicalSorter(needs).static_order())
    except CycleError as error:
        return list(error.args[1])
    return []


def test_no_module_needs_one_that_needs_it():
    names = {dotted(module) for module in MODULES}
    assert circle({dotted(each): needed(tree_of(each), each, names) for each in MODULES}) == []


@pytest.mark.parametrize(
    "source, goes_round",
    [
        ("from .b import x", True),
        ("def f():\n    from . import b", True),
        ("if TYPE_CHECKING:\n    from .b import x", False),
        ("from .c import x", False),
    ],
)
def test_a_circle_is_noticed(source, goes_round):
    known = {"toolproto.a", "toolproto.b"}
    needs = {
        "toolproto.a": needed(ast.parse(source), "a.py", known),
        "toolproto.b": needed(ast.parse("from .a import y"), "b.py", known),
    }
    assert bool(circle(needs)) is goes_round


def test_every_folder_is_a_package():
    folders = {Path(module).parent for module in MODULES}
    assert [each for each in folders if not (PACKAGE / each / "__init__.py").exists()] == []


def test_a_module_says_in_its_first_line_what_it_is():
    written = [module for module in MODULES if tree_of(module).body]
    assert [each for each in written if not ast.get_docstring(tree_of(each))] == []


def own_names_taken(module: str) -> list[str]:
    """The names with an underscore that *module* imports from another one of the package."""
    froms = (node for node in ast.walk(tree_of(module)) if isinstance(node, ast.ImportFrom))
    names = [alias.name for node in froms if node.level for alias in node.names]
    return [name for name in names if name[0] == "_" and name != "__version__"]


def test_no_module_takes_what_is_anothers_own():
    assert {each: taken for each in MODULES if (taken := own_names_taken(each))} == {}


# -- the reader of imports itself ---------------------------------------------------------

READ = [
    ("import json", "tools/a.py", ["json"]),
    ("import os.path as p, re", "tools/a.py", ["os.path", "re"]),
    ("from ..errors import UsageError", "tools/a.py", ["toolproto.errors.UsageError"]),
    ("from . import b", "tools/a.py", ["toolproto.tools.b"]),
    ("from .b import c", "tools/a.py", ["toolproto.tools.b.c"]),
    ("from .. import turn", "tools/a.py", ["toolproto.turn"]),
    ("from ...messages import x", "endpoints/dialects/a.py", ["toolproto.messages.x"]),
    ("from toolproto.session import x", "tools/a.py", ["toolproto.session.x"]),
    ("from .errors import x", "messages.py", ["toolproto.errors.x"]),
    ("def f():\n    import time", "tools/a.py", ["time"]),
]


@pytest.mark.parametrize("source, module, names", READ)
def test_imports_are_found(source, module, names):
    assert list(imports(ast.parse(source), module)) == names


CLIMBING = [
    ("from ..paradigms import x", "decoding/a.py", True),
    ("from .. import paradigms", "decoding/a.py", True),
    ("import toolproto.session", "turn/a.py", True),
    ("from toolproto import ToolCall", "decoding/a.py", True),
    ("from .tools import x", "messages.py", True),
    ("def f():\n    from ..turn import x", "tools/a.py", True),
    ("from ..tools import x", "decoding/a.py", False),
    ("from ..decoding import x", "tools/a.py", False),
    ("from ..messages import x", "paradigms/a.py", False),
    ("import json", "errors.py", False),
]


@pytest.mark.parametrize("source, module, climbs", CLIMBING)
def test_an_import_from_above_is_noticed(source, module, climbs):
    assert bool(climbing(imports(ast.parse(source), module), module)) is climbs


@pytest.mark.parametrize(
    "module, home",
    [("endpoints/http.py", True), ("endpoints/base.py", False), ("session.py", False)],
)
def test_a_home_is_a_file_or_a_folder(module, home):
    assert at_home(module, HOMES["httpx"]) is home
