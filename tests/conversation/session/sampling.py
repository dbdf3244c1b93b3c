"""Which of the recorded replies are played through whole sessions.

That a reply reads the same in any pieces is a law, tried on every one of them by ``tests/laws`` and
by the fixtures' own tests. What a session adds (records, resuming, running) does not depend on the
text, so a few will do; ``make soak`` plays them all.
"""

from __future__ import annotations

from collections.abc import Sequence

from tests.amount import some_fixtures
from toolproto.testing.fixtures import Fixture


def sampled(fixtures: Sequence[Fixture], one_in: int = 40) -> list[Fixture]:
    """One of *one_in* of *fixtures*, and a sixth of those read with other terms than usual."""
    special = [each for each in fixtures if _is_special(each)]
    usual = [each for each in fixtures if not _is_special(each)]
    return [*some_fixtures(usual, one_in), *some_fixtures(special, 6)]


def _is_special(fixture: Fixture) -> bool:
    return fixture.finish_reason is not None or fixture.starts_in_thinking
