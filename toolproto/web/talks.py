"""The sessions that are open at the moment."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from functools import partial
from typing import Any

from ..conversation.stores import SessionInfo, Store
from ..protocol.errors import UsageError
from .config import WebConfig
from .opening import OpenedSession, Opening
from .people import People, Person
from .seen import Seen
from .talk import Talk

__all__ = ["Hidden", "Talks"]

#: Sessions that are kept open though nobody looks at them and nothing happens in them.
_IDLE = 32


class Hidden(UsageError):
    """There is no such session, or it is somebody else's: neither is told from the other."""


class Talks:
    """Finds the talk of a session, for those who may see it."""

    def __init__(self, config: WebConfig, store: Store, people: People) -> None:
        self.config = config
        self.store = store
        self.people = people
        self.opening = Opening(config, store)
        self._talks: dict[str, Talk] = {}

    async def find(self, id: str, person: Person, *, to_watch: bool = False) -> Talk:
        """The talk of session *id*; Hidden unless *person* owns it, or may watch it."""
        info = await asyncio.to_thread(self.info, id, person, to_watch)
        talk = self._talks.pop(id, None)
        if talk is None:
            talk = Talk(id, lambda seen: self._open(id, info, person, seen), self.config.pace)
        self._talks[id] = talk  # the last one is the one last used
        await self._let_go()
        return talk

    def info(self, id: str, person: Person, to_watch: bool = False) -> SessionInfo:
        """What the store says of session *id*; Hidden where *person* may not see it."""
        try:
            info = self.store.info(id)
        except UsageError:  # no session can have such an id
            info = None
        if info is not None:
            if self.people.owns(person.name, info):
                return info
            if to_watch and self.people.is_shared(id):
                return info
        raise Hidden(f"there is no session {id[:60]!r}")

    def _open(self, id: str, info: SessionInfo, person: Person, seen: Seen) -> OpenedSession:
        # Whoever looks at it first, it is led as its owner chose.
        name = info.workspace.removeprefix("web:") or person.name
        owner = person if self.people.owns(person.name, info) else self.people.person(name)
        choices, workspace = self.people.choices(owner.name, id), self.people.workspace(id)
        opened = self.opening.open(id, owner, choices, seen, workspace)
        return replace(opened, always=partial(self.people.always, id))

    async def _let_go(self) -> None:
        """Close the sessions that nobody has used for the longest time."""
        idle = [
            talk for talk in self._talks.values() if not talk.is_running and not talk.log.viewers
        ]
        for talk in idle[: max(0, len(idle) - _IDLE)]:
            del self._talks[talk.id]
            await talk.close()

    async def drop(self, id: str) -> None:
        """Close the talk of session *id*, which is deleted."""
        talk = self._talks.pop(id, None)
        if talk is not None:
            await talk.close()

    def running(self) -> set[str]:
        """The ids of sessions in which a turn runs."""
        return {id for id, talk in self._talks.items() if talk.is_running}

    def let_viewers_go(self) -> None:
        """End every stream of events: the server stops."""
        for talk in self._talks.values():
            talk.log.close()

    async def close(self) -> None:
        """Stop everything."""
        talks, self._talks = list(self._talks.values()), {}
        await asyncio.gather(*(talk.close() for talk in talks))
        self.opening.close()

    def counts(self) -> dict[str, Any]:
        """How much is open."""
        return {"open": len(self._talks), "running": len(self.running())}
