"""Which room may import which: each imports only the rooms before it, and nothing goes in circles.

Imports in functions and under ``TYPE_CHECKING`` count like all others: a type that a room cannot
name is a type it should not know.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "toolproto"

#: The rooms in their order. A room imports itself and those before it, but for the exceptions.
ROOMS = (
    "public_names",
    "package",
    "protocol",
    "endpoints",
    "conversation",
    "gateway",
    "bulk",
    "testing",
    "web",
    "cli",
    "__main__",
)
#: What a room does not import although it stands before it.
EXCEPT: dict[str, set[str]] = {
    "gateway": {"conversation"},
    "bulk": {"endpoints", "conversation", "gateway"},
    "testing": {"gateway"},
}

#: These neither wait, nor read a clock, nor talk to anybody, nor look at the machine.
PURE = (
    "protocol",
    "endpoints.apis",
    "conversation.deciding",
    "conversation.turn",
    "gateway.bridge",
)
WORLDLY = {
    "anyio", "asyncio", "concurrent", "glob", "httpx", "multiprocessing", "os",
    "pathlib", "platform", "queue", "select", "shutil", "signal", "socket",
    "ssl", "subprocess", "tempfile", "threading", "time",
}  # fmt: skip

#: Where each library may be imported: a file, or a folder with a slash behind it.
HOMES: dict[str, tuple[str, ...]] = {
    "lxml": ("protocol/describe/xml.py",),
    "markdown_it": ("protocol/decoding/place/blocks.py", "testing/places/", "cli/chat/"),
    "httpx": ("endpoints/http/http.py", "gateway/transport/"),
    "jsonschema": ("protocol/schemas/",),
    "pydantic": ("protocol/tools/", "gateway/proxy/config.py", "conversation/mcp/connection.py"),
    "sqlalchemy": ("conversation/stores/sql/",),
    "psycopg": ("conversation/session/workers.py",),
    "procrastinate": ("conversation/session/workers.py", "conversation/session/lost_turns.py"),
    "pytest": ("testing/",),
    "syrupy": ("testing/",),
    "hypothesis": ("testing/",),
    "click": ("cli/",),
    "rich": ("cli/",),
    "prompt_toolkit": ("cli/chat/",),
    "pyarrow": ("bulk/",),
    "tomlkit": ("cli/",),
    "jinja2": ("endpoints/",),
    "xllamacpp": ("endpoints/local/",),
    "platformdirs": ("endpoints/local/", "cli/"),
    "huggingface_hub": ("endpoints/local/",),
    "starlette": ("gateway/", "web/"),
    "uvicorn": ("gateway/", "web/"),
    "prometheus_client": ("gateway/proxy/",),
    "mcp": ("conversation/mcp/",),
    "mcp_types": ("conversation/mcp/",),
    "httpx2": ("conversation/mcp/http.py",),
    "llm": ("gateway/llm_plugin.py",),
}

MODULES = sorted(path.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("*.py"))


def dotted(module: str) -> str:
    """Return the name below ``toolproto`` under which *module*, a path, is imported."""
    return ".".join(Path(module).with_suffix("").parts).removesuffix("__init__").rstrip(".")


NAMES = {dotted(module) for module in MODULES}


def imports(tree: ast.AST, module: str) -> Iterator[str]:
    """Yield the full names of all that *tree* imports; *module* is its path in the package."""
    folder = ("toolproto", *Path(module).parent.parts)
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = folder[: len(folder) - node.level + 1] if node.level else ()
            origin = ".".join((*base, *filter(None, [node.module])))
            # ``from . import x`` and ``from toolproto import x`` may name modules.
            yield from (f"{origin}.{alias.name}" for alias in node.names)


@cache
def tree_of(module: str) -> ast.Module:
    return ast.parse((PACKAGE / module).read_text(encoding="utf-8"))


@cache
def imported_by(module: str) -> list[str]:
    return list(imports(tree_of(module), module))


def ours(names: Iterable[str]) -> Iterator[str]:
    """Yield those of *names* that are ours, without the ``toolproto`` before them."""
    for name in names:
        top, _, below = name.partition(".")
        if top == "toolproto":
            yield below


def room(name: str) -> str:
    """Return the room of *name*; empty for the names of ``toolproto`` itself."""
    first = name.partition(".")[0]
    return first if first in ROOMS else ""


def forbidden(names: Iterable[str], module: str) -> list[str]:
    """Return which of *names* a *module* of its room must not import."""
    home = room(dotted(module))
    if not home:
        return []  # ``toolproto/__init__.py`` gathers the public names
    allowed = set(ROOMS[: ROOMS.index(home) + 1]) - EXCEPT.get(home, set())
    return [name for name in ours(names) if room(name) not in allowed]


def test_a_room_imports_only_itself_and_those_before_it():
    assert {each: found for each in MODULES if (found := forbidden(imported_by(each), each))} == {}


def test_every_name_under_the_package_is_a_room():
    assert {name.partition(".")[0] for name in NAMES} - {""} == set(ROOMS)


def inside(module: str, folders: Collection[str]) -> bool:
    return any(f"{dotted(module)}.".startswith(f"{folder}.") for folder in folders)


def test_the_core_neither_waits_nor_looks_at_the_machine():
    core = [module for module in MODULES if inside(module, PURE)]
    libraries = {each: {name.split(".")[0] for name in imported_by(each)} for each in core}
    assert len(core) > 200
    assert {each: used & WORLDLY for each, used in libraries.items() if used & WORLDLY} == {}


def at_home(module: str, homes: tuple[str, ...]) -> bool:
    return any(module == home or (home[-1] == "/" and module.startswith(home)) for home in homes)


@pytest.mark.parametrize("library", HOMES)
def test_a_library_is_imported_at_its_home_only(library):
    users = [m for m in MODULES if library in {name.split(".")[0] for name in imported_by(m)}]
    assert [module for module in users if not at_home(module, HOMES[library])] == []
    # Some are imported by name alone, when they are needed.
    empty = [home for home in HOMES[library] if not any(at_home(user, (home,)) for user in users)]
    assert not users or empty == []


# -- circles ------------------------------------------------------------------------------


def known(name: str) -> str:
    """Return the module that *name*, below ``toolproto``, is or is defined in."""
    while name and name not in NAMES:
        name = name.rpartition(".")[0]
    return name


def needs(depth: int | None = None, below: str = "") -> dict[str, set[str]]:
    """Return what each module needs, or each package of *depth* names, inside of *below*."""
    found: dict[str, set[str]] = {}
    for module in MODULES:
        name = dotted(module)
        for other in map(known, ours(imported_by(module))):
            pair = [each for each in (name, other) if f"{each}.".startswith(below) and each]
            if len(pair) == 2 and name != below.rstrip("."):
                one, two = (".".join(each.split(".")[:depth]) for each in pair)
                if one != two:
                    found.setdefault(one, set()).add(two)
    return found


def circles(needs: Mapping[str, Collection[str]]) -> set[frozenset[str]]:
    """Return the groups of names that need one another, directly or through others."""
    reached: dict[str, set[str]] = {}
    for start in needs:
        seen, todo = set[str](), list(needs[start])
        while todo:
            each = todo.pop()
            if each not in seen:
                seen.add(each)
                todo += needs.get(each, ())
        reached[start] = seen
    groups = {
        start: frozenset(each for each in seen if start in reached.get(each, ()))
        for start, seen in reached.items()
    }
    return {group for group in groups.values() if group}


def test_no_modules_go_in_a_circle():
    assert circles(needs()) == set()


FOLDERS = sorted({name for name in NAMES if name and (PACKAGE / name.replace(".", "/")).is_dir()})


@pytest.mark.parametrize("folder", ["", *FOLDERS])
def test_no_packages_go_in_a_circle(folder):
    depth = folder.count(".") + 2 if folder else 1
    assert circles(needs(depth, f"{folder}." if folder else "")) == set()


@pytest.mark.parametrize(
    "needs, found",
    [
        ({"a": {"b"}, "b": {"a"}}, {frozenset("ab")}),
        ({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}}, {frozenset("abc")}),
        ({"a": {"b", "c"}, "b": {"c"}}, set()),
    ],
)
def test_a_circle_is_found(needs, found):
    assert circles(needs) == found


# -- each module --------------------------------------------------------------------------


def test_every_folder_is_a_package():
    folders = {Path(module).parent for module in MODULES}
    assert [each for each in folders if not (PACKAGE / each / "__init__.py").exists()] == []


def test_a_module_says_in_its_first_line_what_it_is():
    written = [module for module in MODULES if tree_of(module).body]
    assert [each for each in written if not ast.get_docstring(tree_of(each))] == []


def own_names_taken(module: str) -> list[str]:
    """Return the names with an underscore that *module* imports from another one of ours."""
    froms = (node for node in ast.walk(tree_of(module)) if isinstance(node, ast.ImportFrom))
    names = [alias.name for node in froms if node.level for alias in node.names]
    return [name for name in names if name[0] == "_" and name != "__version__"]


def test_no_module_takes_what_is_anothers_own():
    assert {each: taken for each in MODULES if (taken := own_names_taken(each))} == {}


@pytest.mark.parametrize("name", [name for name in ROOMS if (PACKAGE / name).is_dir()])
def test_a_room_has_a_page_that_says_what_is_in_it(name):
    page = (PACKAGE / name / "README.md").read_text("utf-8")
    assert page.startswith(f"# {name}\n") and 80 <= len(page.split()) <= 600
    named = {word.strip("`") for word in page.split() if word.startswith("`") and "/" in word}
    assert [path for path in named if not (PACKAGE / name / path.rstrip("`,.;:)")).exists()] == []


# -- the reader of imports itself ---------------------------------------------------------

READ = [
    ("import json", "protocol/tools/a.py", ["json"]),
    ("import os.path as p, re", "protocol/tools/a.py", ["os.path", "re"]),
    ("from ..errors import X", "protocol/tools/a.py", ["toolproto.protocol.errors.X"]),
    ("from . import b", "protocol/tools/a.py", ["toolproto.protocol.tools.b"]),
    ("from ... import turn", "protocol/tools/a.py", ["toolproto.turn"]),
    ("from toolproto.cli import x", "protocol/tools/a.py", ["toolproto.cli.x"]),
    ("def f():\n    import time", "protocol/tools/a.py", ["time"]),
    ("if TYPE_CHECKING:\n    import time", "protocol/tools/a.py", ["time"]),
]


@pytest.mark.parametrize("source, module, names", READ)
def test_imports_are_found(source, module, names):
    assert list(imports(ast.parse(source), module)) == names


AGAINST = [
    ("from ...conversation import x", "protocol/tools/a.py", True),
    ("from ... import conversation", "protocol/tools/a.py", True),
    ("import toolproto.web", "conversation/a.py", True),
    ("from toolproto import ToolCall", "protocol/tools/a.py", True),
    ("def f():\n    from ..conversation import x", "gateway/a.py", True),
    ("if TYPE_CHECKING:\n    from ..gateway import x", "testing/a.py", True),
    ("from ..endpoints import x", "bulk/a.py", True),
    ("from ..protocol import x", "bulk/a.py", False),
    ("from ..decoding import x", "protocol/tools/a.py", False),
    ("from ..web import x", "cli/a.py", False),
    ("from ..cli import x", "web/a.py", True),
    ("import json", "protocol/errors.py", False),
]


@pytest.mark.parametrize("source, module, is_against", AGAINST)
def test_an_import_against_the_order_is_noticed(source, module, is_against):
    assert bool(forbidden(imports(ast.parse(source), module), module)) is is_against


@pytest.mark.parametrize(
    "module, home",
    [("endpoints/http/http.py", True), ("endpoints/base.py", False), ("session.py", False)],
)
def test_a_home_is_a_file_or_a_folder(module, home):
    assert at_home(module, ("endpoints/http/http.py", "gateway/transport/")) is home
