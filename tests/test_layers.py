"""Which module may import which: a module imports its own layer and lower ones only."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "toolproto"

#: The layer of everything that stands directly under ``toolproto``. A new name is a decision.
LAYERS = {
    "__version__": 0,
    "errors": 0,
    "messages": 0,
    "events": 0,
    "repairs": 0,
    "tools": 1,
    "decoding": 1,
    "describe": 2,
    "paradigms": 2,
    "grammar": 2,
    "prompt": 2,
    "hooks": 2,
    "approvals": 2,
    "guard": 2,
    "masking": 2,
    "recommendations": 2,
    "turn": 3,
    "endpoints": 4,
    "stores": 4,
    "session": 4,
    "mcp": 4,
    "proxy": 5,
    "cli": 5,
    "playground": 5,
    "testing": 5,
    "evals": 5,
    "explain": 5,
    "pytest_plugin": 5,
    "__main__": 5,
}
#: ``toolproto/__init__.py`` gathers the public names, so it stands above all of them.
TOP = 6

#: The core neither waits, nor reads a clock, nor talks to anybody.
WAITING = {"httpx", "asyncio", "threading", "socket", "time", "subprocess", "ssl", "anyio"}
LAST_PURE_LAYER = 3

#: Where each library may be imported: a file, or a folder with a slash behind it.
HOMES = {
    "lxml": ("decoding/xml_body.py", "describe/xml.py"),
    "httpx": ("endpoints/http.py",),
    "jsonschema": ("tools/",),
    "pydantic": ("tools/", "proxy/config.py"),
    "sqlalchemy": ("stores/sql/",),
    "psycopg": ("stores/sql/",),
    "pytest": ("testing/", "pytest_plugin.py"),
    "syrupy": ("testing/", "pytest_plugin.py"),
    "hypothesis": ("testing/", "pytest_plugin.py"),
    "click": ("cli/",),
    "rich": ("cli/",),
    "pyarrow": ("cli/bulk/",),
    "matplotlib": ("evals/",),
    "xllamacpp": ("endpoints/local/",),
    "platformdirs": ("endpoints/local/", "cli/"),
    "huggingface_hub": ("endpoints/local/",),
    "starlette": ("proxy/",),
    "uvicorn": ("proxy/",),
    "prometheus_client": ("proxy/",),
    "opentelemetry": ("proxy/",),
}

MODULES = sorted(path.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("*.py"))


def imports(source: str, module: str) -> Iterator[str]:
    """The full names of what *source* imports; *module* is its path in the package.

    Imports inside functions count, and so do those for type checkers only: a type that a layer
    cannot name is a type it should not know.
    """
    folder = ("toolproto", *Path(module).parent.parts)
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = folder[: len(folder) - node.level + 1] if node.level else ()
            origin = ".".join((*base, *filter(None, [node.module])))
            # ``from . import x`` and ``from toolproto import x`` may name modules.
            yield from (f"{origin}.{alias.name}" for alias in node.names)


@cache
def imported_by(module: str) -> list[str]:
    return list(imports((PACKAGE / module).read_text(encoding="utf-8"), module))


def layer(name: str) -> int:
    """The layer of a dotted name in the package."""
    parts = name.split(".")
    return LAYERS.get(parts[1], TOP) if len(parts) > 1 else TOP


def layer_of(module: str) -> int:
    return layer(f"toolproto.{Path(module).parts[0].removesuffix('.py')}")


def climbing(source: str, module: str) -> list[str]:
    """What *module* imports from above its own layer."""
    ours = [name for name in imports(source, module) if name.split(".")[0] == "toolproto"]
    return [name for name in ours if layer(name) > layer_of(module)]


def at_home(module: str, homes: tuple[str, ...]) -> bool:
    return any(module == home or (home[-1] == "/" and module.startswith(home)) for home in homes)


@pytest.mark.parametrize("module", MODULES)
def test_a_module_imports_its_own_layer_and_lower_ones(module):
    assert climbing((PACKAGE / module).read_text(encoding="utf-8"), module) == []


@pytest.mark.parametrize("module", [m for m in MODULES if layer_of(m) <= LAST_PURE_LAYER])
def test_the_core_neither_waits_nor_reads_a_clock(module):
    assert WAITING & {name.split(".")[0] for name in imported_by(module)} == set()


@pytest.mark.parametrize("library", HOMES)
def test_a_library_is_imported_at_its_home_only(library):
    users = [m for m in MODULES if library in {name.split(".")[0] for name in imported_by(m)}]
    assert [module for module in users if not at_home(module, HOMES[library])] == []


def test_every_name_under_the_package_has_a_layer():
    names = {Path(module).parts[0].removesuffix(".py") for module in MODULES}
    assert names - LAYERS.keys() == {"__init__"}


@pytest.mark.parametrize("folder", sorted({Path(module).parent.as_posix() for module in MODULES}))
def test_every_folder_is_a_package(folder):
    assert (PACKAGE / folder / "__init__.py").exists()


@pytest.mark.parametrize("module", MODULES)
def test_a_module_says_in_its_first_line_what_it_is(module):
    source = (PACKAGE / module).read_text(encoding="utf-8")
    assert not source.strip() or ast.get_docstring(ast.parse(source))


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
    assert list(imports(source, module)) == names


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
    assert bool(climbing(source, module)) is climbs


@pytest.mark.parametrize(
    "module, home",
    [("endpoints/http.py", True), ("endpoints/base.py", False), ("session.py", False)],
)
def test_a_home_is_a_file_or_a_folder(module, home):
    assert at_home(module, HOMES["httpx"]) is home
