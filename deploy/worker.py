"""A worker that takes turns of sessions, with /readyz and /metrics beside it.

Put your own endpoint and tools into ``opened``. DATABASE_URL says where PostgreSQL is, TURNS how
many turns run at a time (10), PORT where /readyz and /metrics are (8200).
"""

import os
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import psycopg

from toolproto import ChatSession
from toolproto.conversation import SessionWorkers, SqlStore
from toolproto.endpoints import ScriptedEndpoint

URL = os.environ["DATABASE_URL"]
FIGURES = """
SELECT count(*) FILTER (WHERE status = 'todo') AS toolproto_turns_waiting,
    count(*) FILTER (WHERE status = 'doing') AS toolproto_turns_running,
    count(*) FILTER (WHERE status = 'failed') AS toolproto_turns_given_up,
    coalesce(extract(epoch FROM clock_timestamp() - min(deferred.at)
        FILTER (WHERE status = 'todo')), 0)::float8 AS toolproto_oldest_turn_seconds
FROM procrastinate_jobs job LEFT JOIN procrastinate_events deferred
    ON deferred.job_id = job.id AND deferred.type = 'deferred'
WHERE queue_name = 'toolproto'"""


def figures() -> str:
    """Return the number of waiting and running turns and the age of the oldest, for Prometheus."""
    with psycopg.connect(URL, connect_timeout=2) as connection:
        cursor = connection.execute(FIGURES)
        named = zip(cursor.description or (), cursor.fetchone() or (), strict=True)
        return "".join(f"# TYPE {each.name} gauge\n{each.name} {value}\n" for each, value in named)


class Told(BaseHTTPRequestHandler):
    """Answers /metrics, and /readyz while the database can be reached and the worker goes on."""

    stopping: threading.Event

    def do_GET(self) -> None:
        try:
            status, text = 200, figures()
        except psycopg.Error:
            status, text = 503, "the database cannot be reached\n"
        if self.path == "/readyz":
            status, text = (503, "draining\n") if self.stopping.is_set() else (status, "ready\n")
        self.send_response(status if self.path in ("/readyz", "/metrics") else 404)
        self.send_header("Content-Type", "text/plain; version=0.0.4")
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, format: str, *told: object) -> None:
        """Say nothing of each look."""


def main() -> None:
    store = SqlStore(URL)

    def opened(id: str) -> ChatSession:
        return ChatSession(ScriptedEndpoint("Hello."), store=store, id=id)

    workers = SessionWorkers(URL, opened)
    workers.prepare()
    Told.stopping = workers.stopping
    server = ThreadingHTTPServer(("", int(os.environ.get("PORT", "8200"))), Told)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    workers.work(concurrency=int(os.environ.get("TURNS", "10")))


if __name__ == "__main__":
    main()
