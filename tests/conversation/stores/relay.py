"""A way to a server that can be cut in the middle of a commit."""

from __future__ import annotations

import socket
from contextlib import suppress
from threading import Event, Thread
from typing import Literal

Cut = Literal["before", "after", "never"]


class Relay:
    """Passes bytes on between clients and a server on this machine.

    The next *times* connections that commit are cut, ``before`` the server hears of it, or
    ``after`` it has done it and before the client hears of that.
    """

    def __init__(self, port: int) -> None:
        self._server = port
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listener.getsockname()[1])
        self.cut: Cut = "never"
        self.times = 0
        Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                server = socket.create_connection(("127.0.0.1", self._server))
                Thread(target=self._upwards, args=(client, server), daemon=True).start()

    def _upwards(self, client: socket.socket, server: socket.socket) -> None:
        silent = Event()
        down = Thread(target=downwards, args=(server, client, silent), daemon=True)
        down.start()
        with suppress(OSError):
            while piece := client.recv(65536):
                if b"COMMIT" not in piece or not self.times:
                    server.sendall(piece)
                    continue
                self.times -= 1
                if self.cut == "after":
                    silent.set()
                    server.sendall(piece)
                break
        # The server hangs up when it has done all that it was sent; only then does the client know.
        with suppress(OSError):
            server.shutdown(socket.SHUT_WR)
        down.join(timeout=60)
        client.close()
        server.close()


def downwards(server: socket.socket, client: socket.socket, silent: Event) -> None:
    with suppress(OSError):
        while piece := server.recv(65536):
            if not silent.is_set():
                client.sendall(piece)
