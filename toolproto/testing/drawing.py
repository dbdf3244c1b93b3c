"""Holding a law against cases that Hypothesis draws."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from hypothesis import HealthCheck, Phase, Verbosity, given, settings
from hypothesis.strategies import SearchStrategy

from .laws import LawBroken

__all__ = ["hold"]

__tracebackhide__ = True


def hold(
    check: Callable[[Any], None],
    strategy: SearchStrategy[Any],
    *,
    name: str,
    examples: int | None = None,
    few: bool = False,
) -> None:
    """Call *check* with what *strategy* draws; raise what it raises for the smallest case.

    *examples* are drawn, or as many as the profile says; *few* of them will do where little can
    vary. What failed is kept under *name*, and tried first the next time.
    """

    def case(drawn: Any) -> None:
        check(drawn)

    case.__name__ = re.sub(r"\W", "_", name)
    number = examples or settings().max_examples
    try:
        _drawing(min(number, max(8, number // 8)) if few else number)(given(strategy)(case))()
    except LawBroken as error:
        # How Hypothesis came upon the text is not what its reader wants to know.
        raise error.with_traceback(None) from None


def _drawing(examples: int) -> settings:
    """Without a deadline: shared machines are slow now and then, and law 7 looks at time."""
    return settings(
        max_examples=examples,
        deadline=None,
        phases=(Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink),
        report_multiple_bugs=False,
        suppress_health_check=list(HealthCheck),
        verbosity=Verbosity.quiet,
    )
