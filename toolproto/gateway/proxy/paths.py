"""Leading requests to where they are meant to go, however their clients spell the path."""

from __future__ import annotations

from starlette.types import ASGIApp, Receive, Scope, Send

from ..bridge.paths import usual

__all__ = ["Paths"]


class Paths:
    """Leads requests to *app* by their usual paths."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on."""
        if scope["type"] == "http":
            root = scope.get("root_path", "")
            inner = scope["path"].removeprefix(root)
            scope = {**scope, "path": root + usual(inner)}
        await self._app(scope, receive, send)
