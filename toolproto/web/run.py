"""Starting the server: what it says, the browser it opens, and how it stops."""

from __future__ import annotations

import secrets
import socket
import threading
import webbrowser
from pathlib import Path
from typing import Any

import uvicorn

from ..gateway.http_server import SERVER_OPTIONS, check_port
from ..package import __version__
from .app import make_web_app
from .config import WebConfig

__all__ = ["WEB_OPTIONS", "WebServer", "address", "banner", "kept_secret", "serve"]

#: How uvicorn is to serve the page: as the proxy, but nobody waits for viewers to go.
WEB_OPTIONS: dict[str, Any] = {**SERVER_OPTIONS, "timeout_graceful_shutdown": 1}
_SECRET_BYTES = 32


class WebServer(uvicorn.Server):
    """Serves the page; when it stops, viewers are let go first, who would stay for ever."""

    def __init__(self, config: WebConfig, **options: Any) -> None:
        app = make_web_app(config)
        usual = {"host": config.host, "port": config.port, **WEB_OPTIONS}
        most = config.connections
        super().__init__(uvicorn.Config(app, limit_concurrency=most, **{**usual, **options}))
        self._talks = app.state.talks

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop serving."""
        self._talks.let_viewers_go()
        await super().shutdown(sockets)


def address(config: WebConfig) -> str:
    """What to open in a browser; at this machine it holds the token."""
    host = f"[{config.host}]" if ":" in config.host else config.host
    base = f"http://{host}:{config.port}/"
    return f"{base}?token={config.token}" if config.is_local else base


def banner(config: WebConfig) -> str:
    """What a person is told when the server starts."""
    whose = "" if config.is_local else f" · for {', '.join(config.keys())}, each with a key"
    kept = "nothing is kept" if config.store == "memory:" else f"kept in {config.store}"
    return f"toolproto {__version__} · {address(config)}\n  {kept}{whose} · Ctrl-C stops it"


def serve(config: WebConfig, *, open_browser: bool) -> None:
    """Serve until Ctrl-C; with *open_browser*, show the page once it is there."""
    check_port(config.host, config.port)
    server = WebServer(config)
    if open_browser:
        threading.Thread(target=_open, args=(address(config),), daemon=True).start()
    server.run()


def _open(url: str) -> None:
    # A machine without a browser is no error: the address stands in the terminal.
    webbrowser.open(url)


def kept_secret(path: Path) -> bytes:
    """The secret in the file *path*, made the first time; only its owner may read it."""
    try:
        found = path.read_bytes()
        if len(found) >= _SECRET_BYTES:
            return found
    except OSError:
        pass
    made = secrets.token_bytes(_SECRET_BYTES)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch(mode=0o600)
    path.write_bytes(made)
    return made
