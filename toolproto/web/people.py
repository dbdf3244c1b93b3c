"""What belongs to whom: sessions, settings, keys, and what was shared with the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from ..conversation.stores import SessionInfo, Store
from ..conversation.stores.base import NO_SESSIONS
from ..protocol.deciding.pins import Pin
from ..protocol.errors import ToolProtoError
from .choices import Choices, changed
from .config import LOCAL, WebConfig
from .notes import Notes

__all__ = ["People", "Person", "own_workspace"]

_PAGE = 100


@dataclass(slots=True)
class Person:
    """Somebody who uses the page; *keys* are those of services, by address, in memory only."""

    name: str
    keys: dict[str, str] = field(default_factory=dict, repr=False)


def own_workspace(person: str) -> str:
    """What the sessions of *person* belong to, where there are several people."""
    return "" if person == LOCAL else f"web:{person}"


class People:
    """Who may see what."""

    def __init__(self, store: Store, config: WebConfig) -> None:
        self._store = store
        self._config = config
        self._people: dict[str, Person] = {}
        self._shared = Notes(store, "shared")

    def person(self, name: str) -> Person:
        """The one of that name."""
        return self._people.setdefault(name, Person(name))

    # -- settings ------------------------------------------------------------------------

    def choices(self, person: str, session: str | None = None) -> Choices:
        """What leads *session*, or a new one of *person*."""
        notes = Notes(self._store, f"of:{session}" if session else f"person:{person}")
        kept = notes.get("choices")
        if kept is None and session:
            return self.choices(person)
        return self._read(kept)

    def choose(self, person: str, choices: Choices, session: str | None) -> None:
        """Keep *choices* for *session* and for the next new one of *person*."""
        kept = choices.as_json()
        if session:
            Notes(self._store, f"of:{session}").set("choices", kept)
        # Which tools are on is a matter of one session.
        Notes(self._store, f"person:{person}").set("choices", {**kept, "off": []})

    def _read(self, kept: Any) -> Choices:
        begun = self._config.choices
        if not isinstance(kept, dict):
            return begun
        try:
            choices = changed(begun, kept)
        except (ToolProtoError, TypeError):  # kept by another version, or a paradigm is gone
            return begun
        if choices.source == "given" and self._config.given is None:
            choices = changed(choices, {"source": "scripted"})
        return choices

    def workspace(self, session: str) -> str:
        """The workspace in which *session* was made, empty if in none."""
        return str(Notes(self._store, f"of:{session}").get("workspace") or "")

    def put_into(self, session: str, workspace: str) -> None:
        """Let *session* belong to *workspace*, which there has to be."""
        name = self._config.workspace(workspace).name
        Notes(self._store, f"of:{session}").set("workspace", name)

    def always(self, session: str) -> list[str]:
        """Return digests of the tools that the page runs without being asked about."""
        return list(Notes(self._store, f"of:{session}").get("always") or [])

    def let_always(self, session: str, tool: Pin) -> None:
        """Do not ask about *tool* of the page again in *session*, as long as it stays as it is."""
        told = sorted({*self.always(session), tool.digest})
        Notes(self._store, f"of:{session}").set("always", told)

    def forget(self, session: str) -> None:
        """Delete what is kept beside *session*."""
        Notes(self._store, f"of:{session}").forget()
        if self._shared.get(session):
            self._shared.set(session, None)

    # -- sessions ------------------------------------------------------------------------

    def share(self, session: str, shared: bool) -> None:
        """Let everybody on this server watch *session*, or nobody else any more."""
        self._shared.set(session, True if shared else None)

    def shared(self) -> set[str]:
        """The sessions that everybody may watch."""
        return {id for id, shared in self._shared.all().items() if shared}

    def is_shared(self, session: str) -> bool:
        """Whether everybody may watch it."""
        return bool(self._shared.get(session))

    def owns(self, person: str, info: SessionInfo) -> bool:
        """Whether *person* may do whatever can be done with the session."""
        if info.id.startswith(NO_SESSIONS):
            return False
        return person == LOCAL or info.workspace == own_workspace(person)

    def listed(
        self, person: str, search: str, limit: int, offset: int, workspace: str = ""
    ) -> list[SessionInfo]:
        """The sessions of *person*, the last used first, then those that others share.

        With *workspace*, only those of that.
        """
        found = self._own(person, search, limit + offset, workspace)
        if person != LOCAL and not workspace:
            others = (self._store.info(id) for id in self._shared.all())
            found += [
                info
                for info in others
                if info and not self.owns(person, info) and search.lower() in info.title.lower()
            ]
        return found[offset : offset + limit]

    def _own(self, person: str, search: str, wanted: int, place: str) -> list[SessionInfo]:
        workspace = None if person == LOCAL else own_workspace(person)
        found: list[SessionInfo] = []
        at = 0
        while len(found) < wanted:
            page: Sequence[SessionInfo] = self._store.list(
                search, workspace=workspace, limit=_PAGE, offset=at
            )
            found += [
                info
                for info in page
                if self.owns(person, info) and (not place or self.workspace(info.id) == place)
            ]
            at += _PAGE
            if len(page) < _PAGE:
                break
        return found[:wanted]
