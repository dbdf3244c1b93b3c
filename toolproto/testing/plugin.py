"""What toolproto adds to pytest: recorded replies as tests, the laws, and four fixtures.

Installed alone it does nothing. Nothing of toolproto is imported before it is used, so that a run
which does not use it starts as quickly as without.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from ..endpoints import ScriptedEndpoint
    from ..protocol.paradigms.base import ToolContextDef
    from ..protocol.tools.spec import ToolOffer

__all__ = ["chunkings", "offer", "paradigm", "scripted_endpoint"]

#: Asked for by the fixture ``paradigm`` only: whoever has one of that name is left alone.
_CHOSEN = "_toolproto_paradigm"


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options, in a group of their own."""
    group = parser.getgroup("toolproto", "toolproto: paradigms of tool calling")
    group.addoption(
        "--toolproto-fixtures",
        action="append",
        default=[],
        metavar="FOLDER",
        help="test the recorded replies FOLDER/<paradigm>/*.txt against the snapshots beside them"
        " (written by --snapshot-update); may be repeated, and adds to the ini option",
    )
    group.addoption(
        "--toolproto-laws",
        action="append",
        default=[],
        metavar="WHICH",
        help="try the laws on paradigms: 'all' that are known, 'installed' for those of other"
        " packages, or a name; may be repeated",
    )
    group.addoption(
        "--toolproto-paradigm",
        action="append",
        default=[],
        metavar="NAME",
        help="the paradigm that the fixture 'paradigm' gives, instead of every known one;"
        " may be repeated",
    )
    parser.addini(
        "toolproto_fixtures",
        "folders of recorded replies, tested when no path is given on the command line",
        type="paths",
        default=[],
    )


def pytest_configure(config: pytest.Config) -> None:
    """Collect what was asked for."""
    folders = [*_given_folders(config), *config.getini("toolproto_fixtures")]
    if folders:
        _check_folders(config, folders)
        from .recorded import RecordedReplies

        config.pluginmanager.register(RecordedReplies(folders), "toolproto-fixtures")
        named = config.args_source is pytest.Config.ArgsSource.ARGS
        _collect(config, _given_folders(config) if named else folders)
    if config.getoption("toolproto_laws"):
        from .law_items import LawTrials

        config.pluginmanager.register(LawTrials(_law_subjects(config)), "toolproto-laws")


def _given_folders(config: pytest.Config) -> list[Path]:
    given = config.getoption("toolproto_fixtures")
    return [config.invocation_params.dir / folder for folder in given]


def _check_folders(config: pytest.Config, folders: Iterable[Path]) -> None:
    missing = [str(folder) for folder in folders if not folder.is_dir()]
    if missing:
        raise pytest.UsageError(f"toolproto fixtures: there is no folder {', '.join(missing)}")
    if not config.pluginmanager.hasplugin("syrupy"):
        from ..package import install_command

        raise pytest.UsageError(
            f"toolproto fixtures need the plugin syrupy: {install_command('testing')}"
        )


def _collect(config: pytest.Config, paths: Iterable[Path]) -> None:
    """Add *paths* to what is collected, unless they or a part of them are reached anyway."""
    for path in (path.resolve() for path in paths):
        asked = [(config.invocation_params.dir / arg).resolve() for arg in config.args]
        reached = any(path.is_relative_to(each) or each.is_relative_to(path) for each in asked)
        if not reached:
            config.args.append(str(path))


def _law_subjects(config: pytest.Config) -> list[str]:
    from importlib.metadata import entry_points

    from ..protocol.paradigms.registry import GROUP, list_paradigms

    names: list[str] = []
    for which in config.getoption("toolproto_laws"):
        if which == "all":
            names += list_paradigms()
        elif which == "installed":
            names += sorted(point.name for point in entry_points(group=GROUP))
        else:
            names.append(which)
    if not names:
        raise pytest.UsageError(
            "--toolproto-laws: no installed package adds a paradigm; give 'all', or a name"
        )
    return list(dict.fromkeys(names))


# -- fixtures -----------------------------------------------------------------------------


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """One test for each paradigm that the fixture ``paradigm`` stands for."""
    if _CHOSEN in metafunc.fixturenames:
        own = getattr(metafunc.cls, "paradigm", None)
        chosen = [own] if own is not None else _chosen(metafunc.config)
        names = [getattr(each, "name", str(each)) for each in chosen]
        metafunc.parametrize(_CHOSEN, chosen, ids=names, indirect=True)


def _chosen(config: pytest.Config) -> list[Any]:
    from ..protocol.paradigms.registry import list_paradigms

    return config.getoption("toolproto_paradigm") or list_paradigms()


@pytest.fixture(scope="session", name=_CHOSEN)
def _chosen_paradigm(request: pytest.FixtureRequest) -> Any:
    return request.param


@pytest.fixture(scope="session")
def paradigm(_toolproto_paradigm: Any) -> ToolContextDef:
    """A paradigm: that of the test's class, or each that --toolproto-paradigm names, or each."""
    from .laws import made

    return made(_toolproto_paradigm)


@pytest.fixture(scope="class")
def offer(request: pytest.FixtureRequest) -> ToolOffer:
    """Tools to offer: those of the test's class, or three usual ones."""
    from .offers import STANDARD_OFFER

    return getattr(request.cls, "offer", None) or STANDARD_OFFER


@pytest.fixture(scope="session")
def chunkings() -> Callable[..., list[list[str]]]:
    """A function from a text to the ways to cut it; see toolproto.testing.chunkings."""
    from .cutting import chunkings

    return chunkings


@pytest.fixture
def scripted_endpoint() -> Callable[..., ScriptedEndpoint]:
    """A function from replies to an endpoint that gives them; see toolproto.endpoints."""
    from ..endpoints.recorded.scripted import ScriptedEndpoint

    return ScriptedEndpoint
