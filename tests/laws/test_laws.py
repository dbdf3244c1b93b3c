"""Every paradigm that comes with us keeps every law."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import pytest
from hypothesis import settings

from toolproto.paradigms import paradigms
from toolproto.testing import CallContext, ParadigmLaws

from . import CLOSELY

OTHERS = [name for name in paradigms() if name not in CLOSELY]


class TestThoseReadClosely(ParadigmLaws):
    """One for each engine, with as many examples as a run can afford."""

    size = 10_000

    @pytest.fixture(autouse=True, params=CLOSELY)
    def _each(self, request: pytest.FixtureRequest) -> None:
        self.paradigm = request.param


class TestTheOthers(ParadigmLaws):
    """They share those engines: a few examples show whether the declaration fits."""

    examples = settings().max_examples // 12  # in a usual run: 4
    size = 8_000

    @pytest.fixture(autouse=True, params=OTHERS)
    def _each(self, request: pytest.FixtureRequest) -> None:
        self.paradigm = request.param

    def growing(self) -> Mapping[str, Callable[[int], str]]:
        texts = super().growing()
        return {kind: texts[kind] for kind in ("a long argument", "beginnings of calls")}

    def contexts(self) -> Sequence[CallContext]:
        # Each context in a quarter of them, and in all of those above; `make soak` tries the rest.
        return super().contexts()[OTHERS.index(self.paradigm) % 4 :: 4]
