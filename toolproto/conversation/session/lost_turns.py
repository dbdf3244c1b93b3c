"""Which turns have lost their worker, as procrastinate's tables tell, and how others get them."""

from __future__ import annotations

import asyncio
from collections.abc import Set
from contextlib import suppress

from procrastinate import JobContext
from procrastinate.exceptions import ConnectorException
from procrastinate.worker import Worker

__all__ = ["is_elsewhere", "tend"]

#: Turns of workers that are gone, and of this worker that it does not run: their end could not be
#: written down. One statement, and attempts are numbered, so that no newer attempt is taken away.
_TAKE_OVER = """WITH lost AS MATERIALIZED (SELECT id, attempts FROM procrastinate_jobs job
    WHERE status = 'doing' AND queue_name = %(queue)s AND
    CASE worker_id WHEN %(worker)s THEN id <> ALL(%(busy)s) AND %(before)s > (
        SELECT max(at) FROM procrastinate_events WHERE job_id = job.id AND type = 'started')
    ELSE NOT EXISTS (SELECT FROM procrastinate_workers worker WHERE worker.id = worker_id
        AND last_heartbeat > %(before)s) END)
UPDATE procrastinate_jobs job SET status = 'todo', attempts = job.attempts + 1, scheduled_at = NULL
FROM lost WHERE job.id = lost.id AND job.attempts = lost.attempts AND status = 'doing'
""".replace("%(before)s", "now() - make_interval(secs => %(lease)s)")


async def tend(worker: Worker, queue: str, busy: Set[int | None], lease: float) -> None:
    """Take over lost turns of *queue*, and say that *worker* is alive, until this is cancelled.

    *busy* are the jobs that the worker runs. While it ends, the worker itself does not say that it
    is alive, although a turn may take longer than the *lease*.
    """
    while True:
        await asyncio.sleep(lease / 3)
        values = {"queue": queue, "worker": worker.worker_id, "lease": lease, "busy": [*busy]}
        with suppress(ConnectorException):
            await worker.app.job_manager.update_heartbeat(worker.worker_id or 0)
            await worker.app.connector.execute_query_async(_TAKE_OVER, **values)


async def is_elsewhere(context: JobContext) -> bool:
    """Return True if another worker has the job by now; wait until the database can tell."""
    while True:
        with suppress(ConnectorException):
            found = await context.app.job_manager.list_jobs_async(id=context.job.id)
            others = [each for each in found if each.attempts != context.job.attempts]
            return any(each.status in ("todo", "doing") for each in others)
        await asyncio.sleep(1)
