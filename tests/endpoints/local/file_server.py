"""A web server on this machine that gives one file, as servers do: well, in part, or badly."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

__all__ = ["FileServer", "serving"]


class FileServer(ThreadingHTTPServer):
    """Gives *content* to whoever asks.

    *cuts* are the lengths after which answers break off, one for each; *ranges* is off for a server
    that always begins at the beginning; *status* refuses everything; *headers* come on top.
    """

    daemon_threads = True

    def __init__(self, content: bytes) -> None:
        super().__init__(("127.0.0.1", 0), _Answer)
        self.content = content
        self.cuts: list[int] = []
        self.ranges = True
        self.counts = True
        self.status = 200
        self.headers: dict[str, str] = {}
        #: The first byte that each request asked for.
        self.asked: list[int] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class _Answer(BaseHTTPRequestHandler):
    server: FileServer

    def do_HEAD(self) -> None:
        self._answer(body=False)

    def do_GET(self) -> None:
        self._answer(body=True)

    def _answer(self, body: bool) -> None:
        server = self.server
        wanted = re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range", ""))
        first = int(wanted[1]) if wanted and server.ranges else 0
        if body:
            server.asked.append(int(wanted[1]) if wanted else 0)
        if server.status != 200:
            self.send_error(server.status)
            return
        if first and first >= len(server.content):
            self.send_error(416)
            return
        rest = server.content[first:]
        self.send_response(206 if first else 200)
        if server.counts:
            self.send_header("Content-Length", str(len(rest)))
        if first:
            self.send_header("Content-Range", f"bytes {first}-{len(server.content) - 1}/*")
        for name, value in server.headers.items():
            self.send_header(name, value)
        self.end_headers()
        if body:
            with suppress(OSError):  # a client may leave in the middle
                self.wfile.write(rest[: server.cuts.pop(0)] if server.cuts else rest)

    def log_message(self, *_: object) -> None:
        """Nothing on stderr."""


@contextmanager
def serving(content: bytes) -> Iterator[FileServer]:
    """A server of *content*, until the block is left."""
    with FileServer(content) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
