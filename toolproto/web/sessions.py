"""Sessions: listed, searched, made, named, shared, deleted, and watched."""

from __future__ import annotations

import asyncio
from typing import Any

from starlette.responses import Response, StreamingResponse

from ..conversation.session import export_jsonl, export_markdown
from ..conversation.stores import SessionInfo
from ..conversation.toolsets.stored import FILES
from ..protocol.errors import UsageError
from ..protocol.messages import new_id
from .asking import PageRequest
from .people import own_workspace
from .talks import Talks

__all__ = ["Sessions"]

_LONGEST_TITLE = 200
_MOST = 200


class Sessions:
    """What can be asked of sessions as a whole."""

    def __init__(self, talks: Talks) -> None:
        self._talks = talks
        self._people = talks.people
        self._store = talks.store

    async def list(self, ask: PageRequest) -> dict[str, Any]:
        """Those that the person may see, the last used first."""
        limit, offset = ask.number("limit", 50, _MOST), ask.number("offset", 0, 1_000_000)
        search = ask.query("search")[:500]
        place = ask.query("workspace")
        found = await asyncio.to_thread(
            self._people.listed, ask.person.name, search, limit + 1, offset, place
        )
        running, shared = self._talks.running(), self._people.shared()
        rows = [
            {**self._row(ask, info, info.id in running), "shared": info.id in shared}
            for info in found[:limit]
        ]
        return {"sessions": rows, "more": len(found) > limit}

    def _row(self, ask: PageRequest, info: SessionInfo, running: bool) -> dict[str, Any]:
        return {
            "id": info.id,
            "title": info.title,
            "updated": info.updated,
            "own": self._people.owns(ask.person.name, info),
            "workspace": self._people.workspace(info.id),
            "running": running,
        }

    async def create(self, ask: PageRequest) -> dict[str, Any]:
        """A new one, led as the person chose last; with *reuse*, one that nothing was said in."""
        if ask.body.get("reuse"):
            last = await asyncio.to_thread(self._people.listed, ask.person.name, "", 5, 0)
            for info in last:
                is_empty = not info.records and not info.title
                is_there = self._people.workspace(info.id) == ask.body.get("workspace", "")
                if is_empty and is_there and self._people.owns(ask.person.name, info):
                    return {"id": info.id}
        id = new_id("chat")
        if workspace := ask.body.get("workspace"):
            await asyncio.to_thread(self._people.put_into, id, workspace)
        title, person = str(ask.body.get("title", ""))[:_LONGEST_TITLE], ask.person.name
        await asyncio.to_thread(self._store.create, id, title, own_workspace(person))
        return {"id": id}

    async def show(self, ask: PageRequest) -> dict[str, Any]:
        """One session: how it stands, and how it is led."""
        info = self._talks.info(ask.id, ask.person, to_watch=True)
        talk = await self._talks.find(ask.id, ask.person, to_watch=True)
        before = ask.number("before", 0, 10**9) or None
        told = await talk.told(before)
        if before is not None:
            return {"turns": told["turns"], "earlier": told["earlier"]}
        opened = await talk.opened()
        return {
            **self._row(ask, info, told["running"]),
            **told,
            "shared": self._people.is_shared(ask.id),
            "paradigm": opened.session.paradigm.name,
            "model": opened.model,
            "mode": opened.choices.mode,
            "js_seconds": opened.choices.js_seconds,
        }

    async def change(self, ask: PageRequest) -> dict[str, Any]:
        """Give it another title, or share it with the others on this server."""
        self._talks.info(ask.id, ask.person)
        if "title" in ask.body:
            title = " ".join(str(ask.body["title"]).split())[:_LONGEST_TITLE]
            if not title:
                raise UsageError("a session needs a title")
            await asyncio.to_thread(self._store.rename, ask.id, title)
        if "shared" in ask.body:
            await asyncio.to_thread(self._people.share, ask.id, bool(ask.body["shared"]))
        talk = await self._talks.find(ask.id, ask.person)
        talk.log.publish({"event": "renamed", "title": ask.body.get("title")})
        return {}

    async def delete(self, ask: PageRequest) -> Response:
        """Forget it, its files and its settings."""
        self._talks.info(ask.id, ask.person)
        await self._talks.drop(ask.id)
        await asyncio.to_thread(self._forget, ask.id)
        return Response(status_code=204)

    def _forget(self, id: str) -> None:
        self._store.delete(id)
        self._people.forget(id)
        if self._store.info(f"{FILES}web:{id}") is not None:
            self._store.delete(f"{FILES}web:{id}")

    async def export(self, ask: PageRequest) -> Response:
        """The conversation as Markdown, or as lines that can be imported."""
        self._talks.info(ask.id, ask.person, to_watch=True)
        as_lines = ask.query("form") == "jsonl"
        make = export_jsonl if as_lines else export_markdown
        text = await asyncio.to_thread(make, self._store, ask.id)
        headers = {
            "content-disposition": f'attachment; filename="chat.{"jsonl" if as_lines else "md"}"',
            "x-content-type-options": "nosniff",
        }
        content = "".join(text).encode("utf-8", "replace")
        return Response(content, headers=headers, media_type="text/plain; charset=utf-8")

    async def events(self, ask: PageRequest) -> Response:
        """What happens in it, from now on or behind the event that is named."""
        talk = await self._talks.find(ask.id, ask.person, to_watch=True)
        after = ask.request.headers.get("last-event-id") or ask.query("after")
        headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
        return StreamingResponse(
            talk.log.follow(after[:60]), media_type="text/event-stream", headers=headers
        )
