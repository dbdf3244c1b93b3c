"""What ``GET /metrics`` counts, for Prometheus.

With several workers, each counts for itself, unless PROMETHEUS_MULTIPROC_DIR names a folder that
they share (``toolproto serve --workers`` sees to it).
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    generate_latest,
)
from prometheus_client.multiprocess import MultiProcessCollector, mark_process_dead

from ..bridge.exchange import Exchange

__all__ = ["Metrics"]

_SECONDS = (0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300)


class Metrics:
    """Counts of one process. Labels are few and ours: no client can make new ones."""

    media_type = CONTENT_TYPE_LATEST

    def __init__(self) -> None:
        registry = self._registry = CollectorRegistry()
        self._requests = Counter(
            "toolproto_requests", "Requests by outcome.", ("api", "paradigm", "outcome"),
            registry=registry,
        )  # fmt: skip
        self._seconds = Histogram(
            "toolproto_request_seconds", "How long requests took.", ("api",),
            buckets=_SECONDS, registry=registry,
        )  # fmt: skip
        self._calls = Counter("toolproto_calls", "Tool calls sent to clients.", registry=registry)
        self._problems = Counter(
            "toolproto_call_problems", "Calls that could not be used.", ("kind",), registry=registry
        )
        self._repairs = Counter(
            "toolproto_call_repairs", "Repairs of calls.", ("repair",), registry=registry
        )
        self._reasks = Counter(
            "toolproto_reasks", "Mistakes reported to a model.", registry=registry
        )
        self._open = Gauge(
            "toolproto_requests_open", "Requests being answered.",
            registry=registry, multiprocess_mode="livesum",
        )  # fmt: skip

    def begun(self) -> None:
        """A request is being answered."""
        self._open.inc()

    def ended(
        self, api: str, paradigm: str, outcome: str, seconds: float, exchanges: Sequence[Exchange]
    ) -> None:
        """It is over."""
        self._open.dec()
        self._requests.labels(api, paradigm, outcome).inc()
        self._seconds.labels(api).observe(seconds)
        for exchange in exchanges:
            self._calls.inc(len(exchange.called))
            for repair in exchange.repairs:
                self._repairs.labels(repair).inc()
            self._reasks.inc(exchange.reasked)
            for problem in exchange.problems:
                self._problems.labels(problem.kind.value).inc()

    def text(self) -> bytes:
        """All counts, as Prometheus reads them."""
        if "PROMETHEUS_MULTIPROC_DIR" not in os.environ:
            return generate_latest(self._registry)
        _forget_dead(Path(os.environ["PROMETHEUS_MULTIPROC_DIR"]))
        shared = CollectorRegistry()
        MultiProcessCollector(shared)  # type: ignore[no-untyped-call]
        return generate_latest(shared)


def _forget_dead(folder: Path) -> None:
    """Take back what workers that were killed had open; nobody else would."""
    for kept in folder.glob("gauge_live*_*.db"):
        pid = int(kept.stem.rpartition("_")[2])
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            mark_process_dead(pid)  # type: ignore[no-untyped-call]
        except PermissionError:
            pass
