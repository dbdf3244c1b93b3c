"""The tests that ``pytest --toolproto-laws`` collects: the laws on the paradigms it names."""

from __future__ import annotations

import pytest

from ..pytest_plugin import law_subjects
from .paradigm_laws import ParadigmLaws

__all__ = ["TestLaws"]


class TestLaws(ParadigmLaws):
    """Every law, on each of the paradigms."""

    @pytest.fixture(autouse=True)
    def _try_on(self, toolproto_law_subject: str) -> None:
        self.paradigm = toolproto_law_subject  # type: ignore[misc]


@pytest.fixture
def toolproto_law_subject(request: pytest.FixtureRequest) -> str:
    """The name of the paradigm to try."""
    name: str = request.param
    return name


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """One test of each law for each name."""
    names = law_subjects(metafunc.config)
    metafunc.parametrize("toolproto_law_subject", names, indirect=True)
