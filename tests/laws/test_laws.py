"""Every paradigm that comes with us keeps every law."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest
from hypothesis import settings

from tests.amount import amount, some, some_paradigms
from toolproto.protocol.paradigms import list_paradigms
from toolproto.testing import ParadigmLaws

from . import CLOSELY

OTHERS = [name for name in list_paradigms() if name not in CLOSELY]
DEAR = [
    *("chunking", "freshness", "grammar", "inertness", "linearity", "lossless", "neutrality"),
    *(
        "place",
        "promptness",
        "round_trip",
        "sequence",
        "streaming_arguments",
        "totality",
        "truncation",
    ),
]


class TestThoseReadClosely(ParadigmLaws):
    """One for each engine, with as many examples as a run can afford."""

    size = 10_000

    @pytest.fixture(autouse=True, params=CLOSELY)
    def _each(self, request: pytest.FixtureRequest) -> None:
        self.paradigm = request.param

    def growing(self) -> Mapping[str, Callable[[int], str]]:
        # Each kind of text with two or three of them; `python -m soak.growth` tries many more.
        texts = super().growing()
        return {kind: texts[kind] for kind in some(list(texts), 2, CLOSELY.index(self.paradigm))}


class TestTheOthers(ParadigmLaws):
    """They share those engines: a few examples show whether the declaration fits.

    A usual run tries each of the dear laws on an eighth of them, the next on the next eighth.
    """

    examples = settings().max_examples // amount(8, 12)  # in a usual run: 4
    size = 8_000

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        law = metafunc.function.__name__.removeprefix("test_")
        tried = some_paradigms(DEAR.index(law)) if law in DEAR else OTHERS
        names = [name for name in OTHERS if name in tried]
        metafunc.parametrize("_each", names, indirect=True)

    @pytest.fixture(autouse=True)
    def _each(self, request: pytest.FixtureRequest) -> None:
        self.paradigm = request.param

    def growing(self) -> Mapping[str, Callable[[int], str]]:
        texts = super().growing()
        return {kind: texts[kind] for kind in ("a long argument", "beginnings of calls")}
