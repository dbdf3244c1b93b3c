"""Which worker takes the next turn of a session: procrastinate's queue, in PostgreSQL.

Each turn is a job, and its session is the job's lock, so that its turns run one after another. When
a worker dies, another one continues its turns from the journal.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from signal import SIGINT, SIGTERM
from threading import Event
from typing import Any

from ...package import install_command
from ...protocol.errors import StoreError, StoreFull, UsageError
from ..deciding.answers import Verdict
from ..stores.text import checked_id
from .errands import Errand, Opened, resuming, run, sending
from .options import Said

try:
    from procrastinate import App, JobContext, PsycopgConnector, RetryStrategy, SyncPsycopgConnector
    from procrastinate.exceptions import ConnectorException
    from procrastinate.worker import Worker
    from psycopg import OperationalError

    from .lost_turns import is_elsewhere, tend
except ModuleNotFoundError:
    raise UsageError(f"workers need procrastinate: {install_command('workers')}") from None

__all__ = ["SessionWorkers"]

_QUEUE, _TASK = "toolproto", "toolproto.turn"
#: A turn that so many workers died of is given up, so that it kills no more.
_MOST_ATTEMPTS = 20
#: Only what would not fit is counted, however much waits.
_ROOM = """SELECT count(*) AS waiting FROM (SELECT FROM procrastinate_jobs
WHERE status = 'todo' AND queue_name = %(queue)s LIMIT %(room)s) AS found"""


class SessionWorkers:
    """Turns that wait in the PostgreSQL at *url*, at most *room*, and workers that take them.

    *opened* makes the session of an id, with its store. Others take over the turns of a worker
    that was not heard of for *lease* seconds. ``stopping`` is set when no more turns are taken.
    """

    def __init__(
        self, url: str, opened: Opened | None = None, *, room: int = 10_000, lease: float = 30.0
    ) -> None:
        if room < 1 or lease <= 0:
            raise UsageError(f"room={room!r}, lease={lease!r}: both must be above 0")
        self._opened, self._room, self._lease = opened, room, lease
        named = {"application_name": "toolproto", "connect_timeout": 10}
        self._pool: Any = {"conninfo": url, "min_size": 0, "max_size": 4, "kwargs": named}
        self._door = SyncPsycopgConnector(**self._pool)
        self._door.open()
        self._app = App(connector=self._door)
        self._busy: set[int | None] = set()
        self.stopping = Event()
        self._end_worker: Callable[[], object] = lambda: None

    def prepare(self) -> None:
        """Make procrastinate's tables, if there are none."""
        if not self._app.check_connection():
            self._app.schema_manager.apply_schema()

    def send(self, session: str, message: Said, *, message_id: str | None = None) -> str:
        """Let a worker send *message* to *session*; return its id. StoreFull: there is no room."""
        return self._put(session, sending(message, message_id))

    def resume(
        self, session: str, verdicts: Mapping[str, Verdict], *, message_id: str | None = None
    ) -> str:
        """Like :meth:`send`, for decisions about the calls that wait in *session*."""
        return self._put(session, resuming(verdicts, message_id))

    def close(self) -> None:
        """Close the connections of those who send."""
        self._door.close()

    def work(self, concurrency: int = 10) -> None:
        """Take turns, *concurrency* at a time, until :meth:`stop` or SIGTERM; finish those."""
        asyncio.run(self._work(concurrency))

    def stop(self) -> None:
        """Take no more turns, from any thread; :meth:`work` returns after those at hand."""
        self.stopping.set()
        self._end_worker()

    def _put(self, session: str, errand: Errand) -> str:
        job = self._app.configure_task(_TASK, queue=_QUEUE, lock=checked_id(session))
        try:
            found = self._door.execute_query_one(_ROOM, queue=_QUEUE, room=self._room)
            if found["waiting"] >= self._room:
                raise StoreFull(f"{self._room:,} turns wait already; try again later")
            job.defer(session=session, text=errand.text)
        except (ConnectorException, OperationalError) as error:
            words = " ".join(str(error.__cause__ or error).split())
            raise StoreError(f"the queue cannot be used: {words:.300}") from None
        return errand.message_id

    async def _work(self, concurrency: int) -> None:
        app, loop = App(connector=PsycopgConnector(**self._pool)), asyncio.get_running_loop()
        again = RetryStrategy(max_attempts=_MOST_ATTEMPTS, wait=1, retry_exceptions=[StoreError])
        app.task(name=_TASK, retry=again, pass_context=True)(self._take)
        for number in (SIGTERM, SIGINT):
            with suppress(NotImplementedError, RuntimeError, ValueError):  # not the main thread
                loop.add_signal_handler(number, self.stop)
        with ThreadPoolExecutor(concurrency, "turn") as self._threads:
            while not self.stopping.is_set():
                # A worker ends when its database does; the next one has new connections.
                with suppress(ConnectorException, OperationalError):
                    async with app.open_async():
                        await self._one_worker(app, concurrency)
                await asyncio.sleep(0 if self.stopping.is_set() else 1)

    async def _one_worker(self, app: App, concurrency: int) -> None:
        worker = Worker(
            app, [_QUEUE], concurrency=concurrency, delete_jobs="successful",
            fetch_job_polling_interval=min(5.0, self._lease / 3), install_signal_handlers=False,
            update_heartbeat_interval=self._lease / 3, stalled_worker_timeout=self._lease,
        )  # fmt: skip
        loop, lost = asyncio.get_running_loop(), tend(worker, _QUEUE, self._busy, self._lease)
        tending = loop.create_task(lost)
        self._end_worker = lambda: loop.call_soon_threadsafe(worker.stop)
        try:
            await worker.run()  # type: ignore[no-untyped-call]
        finally:
            self._end_worker = lambda: None
            tending.cancel()

    async def _take(self, context: JobContext, session: str, text: str) -> str:
        if self._opened is None or context.job.attempts >= _MOST_ATTEMPTS:
            raise UsageError(f"no opened=, or given up after {context.job.attempts} attempts")
        self._busy.add(context.job.id)
        done = asyncio.get_running_loop().run_in_executor
        try:
            return await done(self._threads, run, self._opened, session, text)
        except StoreError:
            # Trying again would take the turn away from a worker that has it by now.
            while await is_elsewhere(context):
                await asyncio.sleep(1)
            raise
        finally:
            self._busy.discard(context.job.id)
