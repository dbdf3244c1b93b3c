"""The files of a session: listed, read, written, uploaded and taken away by the person."""

from __future__ import annotations

import asyncio
from typing import Any

from starlette.responses import Response

from ..conversation.toolsets import StoredFiles
from ..gateway.http_server import read_body
from .asking import PageRequest
from .talk import Talk
from .talks import Talks

__all__ = ["FileActions"]

_MOST = 2000
_HEADERS = {
    # Whatever a file holds, it is bytes to be saved: never a page of ours.
    "content-type": "application/octet-stream",
    "x-content-type-options": "nosniff",
    "content-security-policy": "default-src 'none'; sandbox",
    "content-disposition": "attachment",
    "cache-control": "no-store",
}


class FileActions:
    """What can be done with the files of a session."""

    def __init__(self, talks: Talks) -> None:
        self._talks = talks

    async def list(self, ask: PageRequest) -> dict[str, Any]:
        """All of them, by path, with their sizes in bytes."""
        _, files = await self._files(ask, to_watch=True)
        contents = await asyncio.to_thread(files.contents)
        rows = [{"path": path, "size": len(contents[path])} for path in sorted(contents)]
        return {"files": rows[:_MOST], "more": max(0, len(rows) - _MOST)}

    async def read(self, ask: PageRequest) -> Response:
        """The bytes of one."""
        _, files = await self._files(ask, to_watch=True)
        content = await asyncio.to_thread(files.read, ask.query("path"))
        return Response(content, headers=_HEADERS)

    async def write(self, ask: PageRequest) -> dict[str, Any]:
        """Make the body the content of one."""
        talk, files = await self._files(ask)
        content = await read_body(ask.request, files.limits.file_bytes)
        is_new = await asyncio.to_thread(files.write, ask.query("path"), content)
        talk.log.publish({"event": "files"})
        return {"new": is_new, "size": len(content)}

    async def remove(self, ask: PageRequest) -> Response:
        """Take one away."""
        talk, files = await self._files(ask)
        await asyncio.to_thread(files.remove, ask.query("path"))
        talk.log.publish({"event": "files"})
        return Response(status_code=204)

    async def _files(self, ask: PageRequest, *, to_watch: bool = False) -> tuple[Talk, StoredFiles]:
        talk = await self._talks.find(ask.id, ask.person, to_watch=to_watch)
        return talk, (await talk.opened()).files
