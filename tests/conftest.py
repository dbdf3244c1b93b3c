"""Settings shared by all tests."""

from __future__ import annotations

import gc
import logging
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings, strategies
from hypothesis.internal.conjecture import providers

from .merged import MERGED, merged
from .order import dealt
from .patience import ended_for_good, hear_interrupts, limit_of, limited, real_stderr

# Time is not what these tests measure, and shared machines are slow now and then. A usual run draws
# the same cases every time; what is new is looked for by `make soak`.
settings.register_profile(
    "toolproto",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    max_examples=32,
    derandomize=True,
)
# `make check` is to answer soon; `make test` looks closer.
settings.register_profile("check", settings.get_profile("toolproto"), max_examples=12)
settings.register_profile(
    "soak", settings.get_profile("toolproto"), max_examples=5_000, derandomize=False
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "toolproto"))
if settings().derandomize:
    # Hypothesis also draws from the constants of every module of ours that is imported by then. So
    # the cases of a test would depend on the tests that its process ran before, and change with
    # each line of ours that has a number or a word in it.
    providers._get_local_constants = lambda: providers._local_constants

_STDERR = pytest.StashKey[int]()


def pytest_configure(config: pytest.Config) -> None:
    hear_interrupts()
    config.stash[_STDERR] = real_stderr()


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    # Twenty thousand tests stay to the end. A collector that walks over all of them whenever a
    # test looks for leaks, and while they are found, costs minutes and finds nothing.
    gc.disable()
    _draw()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.freeze()
        # Little of what a test makes is a cycle; what leaks is found later, and still found.
        gc.set_threshold(10_000, 20, 50)


def pytest_pycollect_makeitem(
    collector: pytest.Module | pytest.Class, name: str, obj: object
) -> list[pytest.Function] | None:
    if not MERGED or not name.startswith("test") or not isinstance(collector, pytest.Module):
        return None
    return merged(collector, name, obj)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    processes = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    if processes > 1:
        items[:] = dealt(items, processes)


@given(strategies.none())
def _draw(_: None) -> None:
    """Make Hypothesis register its source of randomness.

    It asks the collector who holds that source, and the collector does not name holders that are
    frozen: on Python 3.14 it warns that nobody does.
    """


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    with ended_for_good(3 * limit_of(item), item.config.stash[_STDERR]):
        return (yield)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> Iterator[None]:
    with limited(limit_of(item)):
        return (yield)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    with limited(limit_of(item)):
        return (yield)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_teardown(item: pytest.Item) -> Iterator[None]:
    with limited(limit_of(item)):
        return (yield)


@pytest.fixture(scope="session", autouse=True)
def _own_state(tmp_path_factory: pytest.TempPathFactory) -> None:
    """What the command line remembers is not written where a person has it."""
    os.environ["XDG_STATE_HOME"] = str(tmp_path_factory.mktemp("state"))
    # A pytest that a test starts elsewhere would find out again what Hypothesis is to know of
    # Unicode, which takes three seconds.
    os.environ["HYPOTHESIS_STORAGE_DIRECTORY"] = str(Path(__file__).parents[1] / ".hypothesis")


_SPEAKERS = [logging.getLogger(name) for name in ("", "mcp", "toolproto", "uvicorn")]
_SPEAKERS += [logging.getLogger(name) for name in ("toolproto.proxy", "uvicorn.error")]


@pytest.fixture(autouse=True)
def _log_handlers_end_with_their_test() -> Iterator[None]:
    """Take away the handlers that a test left: the stderr it had is closed in the next."""
    before = {id(handler) for speaker in _SPEAKERS for handler in speaker.handlers}
    yield
    for speaker in _SPEAKERS:
        for handler in speaker.handlers[:]:
            if id(handler) not in before and not type(handler).__module__.startswith("_pytest"):
                speaker.removeHandler(handler)
