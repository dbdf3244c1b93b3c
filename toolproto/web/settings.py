"""How sessions are led: endpoint, key, model, paradigm, guard, limits, and which tools are on."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from ..endpoints.apis.dialects import DIALECTS
from ..endpoints.http.services import SERVICES
from ..protocol.describe import list_styles
from ..protocol.errors import UsageError
from ..protocol.grammar.constraint import CONSTRAIN
from ..protocol.guard.levels import LEVELS
from ..protocol.native_mode import NATIVE_MODES
from ..protocol.paradigms.recommendations import recommend
from ..protocol.paradigms.registry import list_paradigms
from ..protocol.paradigms.teaching import PRESETS
from .asking import PageRequest
from .choices import SOURCES, Choices, changed
from .opening import model_name, over_http
from .people import Person
from .talks import Talks
from .tooling import groups_json

__all__ = ["SettingsActions"]

#: What only the person at this machine may choose: the server's own keys and network are at stake.
_OPERATORS = ("url", "key_env")


class SettingsActions:
    """What can be asked and chosen about how sessions are led."""

    def __init__(self, talks: Talks) -> None:
        self._talks = talks
        self._people = talks.people
        self._config = talks.config

    async def about(self, ask: PageRequest) -> dict[str, Any]:
        """Who asks, and what there is to choose from."""
        from ..package import __version__

        sources = [each for each in SOURCES if each != "given" or self._config.given]
        if not self._config.is_local:
            sources = [each for each in sources if each != "url"]
        return {
            "version": __version__,
            "person": ask.person.name,
            "local": self._config.is_local,
            "given": self._config.given_name,
            "fixtures": self._config.fixtures is not None,
            "sources": sources,
            "dialects": list(DIALECTS),
            "services": list(SERVICES),
            "native": list(NATIVE_MODES),
            "paradigms": list_paradigms(),
            "teaching": list(PRESETS),
            "describe": list_styles(),
            "guard": list(LEVELS),
            "constrain": list(CONSTRAIN),
            "workspaces": [each.name for each in self._config.workspaces],
        }

    async def show(self, ask: PageRequest) -> dict[str, Any]:
        """How a session is led, or would be if it were new."""
        return self._told(ask.person, self._choices(ask))

    async def choose(self, ask: PageRequest) -> dict[str, Any]:
        """Lead it otherwise from the next turn on; new sessions, too."""
        values = dict(ask.body["settings"])
        key = values.pop("key", None)
        if not self._config.is_local and (wrong := [n for n in _OPERATORS if values.get(n)]):
            raise UsageError(f"on this server the operator chooses {wrong[0]}")
        choices = changed(self._choices(ask), values)
        if choices.source == "url" and not self._config.is_local:
            raise UsageError("on this server only the operator chooses the endpoint")
        if choices.source == "local":
            await asyncio.to_thread(self._talks.opening.local_model, choices)
        if key is not None:
            _keep_key(ask.person, choices.url, key)
        session = ask.request.path_params.get("id")
        talk = await self._talks.find(session, ask.person) if session else None
        if talk:
            talk.check_idle()
        await asyncio.to_thread(self._people.choose, ask.person.name, choices, session)
        if talk:
            await talk.reopen()
        return self._told(ask.person, choices)

    def _choices(self, ask: PageRequest) -> Choices:
        session = ask.request.path_params.get("id")
        if session:
            self._talks.info(session, ask.person)
        return self._people.choices(ask.person.name, session)

    def _told(self, person: Person, choices: Choices) -> dict[str, Any]:
        model = model_name(choices, self._config)
        return {
            "settings": choices.as_json(),
            "has_key": choices.url in person.keys,
            "model_name": model,
            "advice": _advice(model),
        }

    # -- models --------------------------------------------------------------------------

    async def advice(self, ask: PageRequest) -> dict[str, Any]:
        """Which paradigm suits a model, by its name."""
        return _advice(ask.query("model"))

    async def models(self, ask: PageRequest) -> dict[str, Any]:
        """The models that there are at an address, or in this process."""
        values = {name: each for name, each in ask.body.items() if name != "key"}
        choices = changed(self._people.choices(ask.person.name), values)
        if choices.source == "local":
            return {"models": await asyncio.to_thread(_installed, self._config.models)}
        if choices.source != "url" or not self._config.is_local:
            return {"models": []}
        key = ask.body.get("key") or self._talks.opening.key(ask.person, choices)
        endpoint = over_http(choices, key)
        return {"models": (await asyncio.to_thread(endpoint.models))[:1000]}

    # -- tools ---------------------------------------------------------------------------

    async def tools(self, ask: PageRequest) -> dict[str, Any]:
        """The tools of a session in their groups."""
        talk = await self._talks.find(ask.id, ask.person, to_watch=True)
        opened = await talk.opened()
        return {"groups": groups_json(opened.tools, opened.group_of)}

    async def switch(self, ask: PageRequest) -> dict[str, Any]:
        """Offer tools of a session, or do not."""
        talk = await self._talks.find(ask.id, ask.person)
        opened = await talk.opened()
        named = [str(name) for name in (*ask.body.get("on", []), *ask.body.get("off", []))]
        if unknown := [name for name in named if name not in opened.tools]:
            raise UsageError(f"there is no tool {unknown[0][:60]!r}")
        off = ({*opened.choices.off} - {*ask.body.get("on", [])}) | {*ask.body.get("off", [])}
        choices = changed(opened.choices, {"off": sorted(off)})
        talk.check_idle()
        await asyncio.to_thread(self._people.choose, ask.person.name, choices, ask.id)
        await talk.reopen()
        return await self.tools(ask)


def _keep_key(person: Person, url: str, key: Any) -> None:
    if not isinstance(key, str) or not key.isascii() or not key.isprintable():
        raise UsageError("a key must be plain ASCII text")
    if key.strip():
        person.keys[url] = key.strip()
    else:
        person.keys.pop(url, None)


def _advice(model: str) -> dict[str, Any]:
    advice = recommend(model[:500])
    return {
        "paradigm": advice.paradigm,
        "describe": advice.describe or "",
        "teaching": advice.teaching or "",
        "why": advice.why,
        "source": advice.source,
    }


def _installed(folder: Path | None) -> list[str]:
    from ..endpoints.local import installed_models, models_in

    return [model.name for model in (*installed_models(), *(models_in(folder) if folder else ()))]
