"""Running a probe: what is known is not asked again, and however it ends there is a report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from time import monotonic
from typing import Any

from ...endpoints.function import as_endpoint
from ...protocol.errors import EndpointError, ToolsRefused, UsageError
from .asking import Asker
from .budget import Budget, Spending
from .kept import KeptOutcomes
from .plan import ProbePlan
from .report import ProbeReport, Scored, Stopped
from .trial import Trial, TrialAnswer, TrialOutcome

__all__ = ["Progress", "probe_model"]

#: So many trials in a row that the endpoint fails end the probe.
_PATIENCE = 3
_MOST_JOBS = 64


@dataclass(frozen=True, slots=True)
class Progress:
    """*done* of *total* trials are known; *trial* is the last, and *error* why it failed."""

    done: int
    total: int
    trial: Trial
    error: EndpointError | None = None


def probe_model(
    endpoint: Any,
    plan: ProbePlan,
    *,
    results: Path | None = None,
    budget: Budget | None = None,
    jobs: int = 1,
    progress: Callable[[Progress], object] = lambda _: None,
    until_clear: bool = False,
) -> ProbeReport:
    """Ask *endpoint* what *plan* says, and report what it got right.

    Replies are kept in the file *results* as they come; with the same file and plan a later run
    goes on where this one ended. *jobs* is how many requests run at once. It stops early when
    *budget* is used up, when the endpoint fails three times in a row, and on Ctrl-C: the report
    then says why, and holds what is known. A failed request is asked again by the next run. With
    *until_clear* it stops as soon as one arm is ahead of all others beyond doubt.
    """
    if not 1 <= jobs <= _MOST_JOBS:
        raise UsageError(f"jobs is {jobs!r}; give 1 to {_MOST_JOBS}")
    asker = Asker(as_endpoint(endpoint))
    with KeptOutcomes(results) as kept:
        run = _Run(plan, kept, Spending(budget or Budget(), monotonic), progress, until_clear)
        try:
            run.through(_outcomes(run.todo(), asker, jobs))
        except KeyboardInterrupt:
            run.stopped = Stopped("interrupted", "it was interrupted")
        return run.report()


class _Run:
    """What is known so far, and why it ended."""

    def __init__(
        self,
        plan: ProbePlan,
        kept: KeptOutcomes,
        spending: Spending,
        progress: Callable[[Progress], object],
        until_clear: bool,
    ) -> None:
        self._until_clear = until_clear
        self.stopped: Stopped | None = None
        self._plan = plan
        self._kept = kept
        self._spending = spending
        self._progress = progress
        # Two arms may ask the same: where a paradigm has no examples, with and without them.
        self._trials = [(trial.fingerprint, trial) for trial in plan.trials()]
        self._times = Counter(key for key, _ in self._trials)
        self._known = sum(kept.get(key) is not None for key, _ in self._trials)
        self._failures = 0

    def todo(self) -> Iterator[Trial]:
        """What is still to be asked, while the budget lasts."""
        offered = None
        for key, trial in self._trials:
            # Between two offers every arm was asked the same.
            if self._until_clear and trial.case.offered != offered and self.report().is_clear:
                self.stopped = Stopped("clear", "one form is ahead of all others beyond doubt")
            offered = trial.case.offered
            if self.stopped:
                return
            if self._kept.get(key):
                continue
            if limit := self._spending.exceeded(trial.requests):
                self.stopped = Stopped("budget", f"the budget of {limit} is used up")
                return
            self._spending.begin(trial.requests)
            yield trial

    def through(self, outcomes: Generator[tuple[Trial, TrialOutcome | EndpointError]]) -> None:
        """Take in what came, until it ends or the endpoint keeps failing."""
        try:
            for trial, outcome in outcomes:
                self._take(trial, outcome)
        finally:
            outcomes.close()

    def report(self) -> ProbeReport:
        """What is known, scored."""
        scored = [
            Scored(trial.arm, trial.case, trial.marks(outcome), outcome.replies)
            for key, trial in self._trials
            if (outcome := self._kept.get(key))
        ]
        return ProbeReport(self._plan, tuple(scored), self.stopped)

    def _take(self, trial: Trial, outcome: TrialOutcome | EndpointError) -> None:
        error = outcome if isinstance(outcome, EndpointError) else None
        if isinstance(outcome, TrialOutcome):
            self._spending.add(outcome)
            self._known += 0 if self._kept.get(outcome.trial) else self._times[outcome.trial]
            self._kept.add(outcome)
        self._failures = self._failures + 1 if error else 0
        if error and self._failures >= _PATIENCE:
            self.stopped = Stopped("endpoint", f"the endpoint failed: {error}")
        self._progress(Progress(self._known, len(self._trials), trial, error))


def _outcomes(
    trials: Iterable[Trial], asker: Asker, jobs: int
) -> Generator[tuple[Trial, TrialOutcome | EndpointError]]:
    """What came of each of *trials*, at most *jobs* of them at once."""
    if jobs == 1:
        for trial in trials:
            yield trial, _tried(trial, asker)
        return
    waiting = iter(trials)
    running: dict[Future[TrialOutcome | EndpointError], Trial] = {}
    with ThreadPoolExecutor(jobs, thread_name_prefix="probe") as pool:
        try:
            while True:
                for trial in islice(waiting, jobs - len(running)):
                    running[pool.submit(_tried, trial, asker)] = trial
                if not running:
                    return
                done, _ = wait(running, return_when=FIRST_COMPLETED)
                for future in done:
                    yield running.pop(future), future.result()
        finally:
            asker.stop()


def _tried(trial: Trial, asker: Asker) -> TrialOutcome | EndpointError:
    try:
        return trial.run(asker)
    except ToolsRefused:  # nothing is right then, and asking again would change nothing
        return TrialOutcome(trial.fingerprint, (TrialAnswer(""),))
    except EndpointError as error:
        return error
