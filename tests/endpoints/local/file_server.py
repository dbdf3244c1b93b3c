"""A web server on this machine that gives one file at every address, or refuses."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

__all__ = ["FileServer", "serving"]


class FileServer(ThreadingHTTPServer):
    """Gives *content* to whoever asks; another *status* refuses all; *headers* come on top."""

    daemon_threads = True

    def __init__(self, content: bytes) -> None:
        super().__init__(("127.0.0.1", 0), _Answer)
        self.content = content
        self.status = 200
        self.headers: dict[str, str] = {}

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class _Answer(BaseHTTPRequestHandler):
    server: FileServer

    def do_HEAD(self) -> None:
        server = self.server
        if server.status != 200:
            self.send_error(server.status)
            return
        self.send_response(200)
        self.send_header("Content-Length", str(len(server.content)))
        for name, value in server.headers.items():
            self.send_header(name, value)
        self.end_headers()

    def do_GET(self) -> None:
        self.do_HEAD()
        if self.server.status == 200:
            self.wfile.write(self.server.content)

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
