"""In which order several processes go through the tests.

pytest-xdist's ``worksteal`` gives each process a share of the list, one behind the other, and lets
those that are done take over the second half of what another has left. So each share begins with
what must stay together (a browser, a server, a model or an environment is made for all of its
tests) or waits, and ends with what takes milliseconds.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import pytest

T = TypeVar("T", bound=pytest.Item)

#: Where such tests are, and about how many seconds they take: a guess will do.
TOGETHER = {
    "tests/cli/": 110,
    "tests/web/": 60,
    "tests/conversation/stores/": 70,
    "tests/test_docs.py": 60,
    "tests/endpoints/local/": 30,
    "tests/gateway/proxy/clients/": 45,
    "tests/endpoints/": 40,
    "tests/gateway/proxy/": 40,
    "tests/conversation/mcp/": 40,
    "tests/typing/": 25,
    "tests/newcomer/": 25,
    "tests/conversation/session/test_faults.py": 25,
    "tests/test_demo.py": 20,
    "tests/conversation/session/test_crashes.py": 15,
    "tests/conversation/session/test_races.py": 10,
}


def dealt(items: Sequence[T], processes: int) -> list[T]:
    """*items* in an order whose equal shares, one for each of *processes*, begin as said above."""
    groups: dict[str, list[T]] = {place: [] for place in TOGETHER}
    others = []
    for item in items:
        groups.get(place_of(item.nodeid), others).append(item)
    shares: list[list[T]] = [[] for _ in range(processes)]
    seconds = [0] * processes
    for place, group in groups.items():
        least = seconds.index(min(seconds))
        shares[least] += group
        seconds[least] += TOGETHER[place]
    left = len(items)
    for at, share in enumerate(shares):
        size = left // (processes - at)
        left -= size
        wanted = max(0, size - len(share))
        share += others[:wanted]
        del others[:wanted]
    return [item for share in shares for item in share] + others


def place_of(nodeid: str) -> str:
    """The longest of the places that *nodeid* is in; empty if there is none."""
    return max((place for place in TOGETHER if nodeid.startswith(place)), key=len, default="")
