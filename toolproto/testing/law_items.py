"""The laws as test items: what ``pytest --toolproto-laws`` adds to a run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from .laws import LawBroken, exercise, made
from .paradigm_laws import ParadigmLaws, law_tests

__all__ = ["LawTrials"]


class LawTrials:
    """Adds a test of each law for each of the paradigms called *names*."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = names

    @pytest.hookimpl(tryfirst=True)  # before anybody chooses among the items
    def pytest_collection_modifyitems(
        self, session: pytest.Session, items: list[pytest.Item]
    ) -> None:
        """They stand in no file, so nothing else would come upon them."""
        for name in self._names:
            subject = Subject.from_parent(session, name=name, nodeid=f"laws/{name}")
            items.extend(session.genitems(subject))


class Subject(pytest.Collector):
    """A paradigm, of which each law is a test."""

    def collect(self) -> Iterator[pytest.Item]:
        """The tests of the class that an author would write; one, if it cannot be tried."""
        suite: type[ParadigmLaws] = type("Laws", (ParadigmLaws,), {"paradigm": self.name})
        tests = law_tests(suite())
        for law in tests if _can_be_tried(self.name) else ["it_can_be_exercised"]:
            yield LawItem.from_parent(self, name=law, test=tests[law])


def _can_be_tried(name: str) -> bool:
    try:
        exercise(made(name), ParadigmLaws.offer)
    except LawBroken:
        return False
    return True


class LawItem(pytest.Item):
    """One law, held against one paradigm."""

    def __init__(self, *, test: Callable[[], None], **node: Any) -> None:
        super().__init__(**node)
        self._test = test

    def runtest(self) -> None:
        """Try it."""
        self._test()

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """What is broken and what to change, without the way there."""
        if isinstance(excinfo.value, LawBroken):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, None, str]:
        """There is no file to point at."""
        return self.path, None, self.nodeid
