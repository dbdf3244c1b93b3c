"""Trying out: a pasted reply, how it is read, and keeping it as a fixture."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from ..protocol.errors import UsageError
from ..protocol.paradigms.registry import get_paradigm
from ..protocol.tools.spec import ToolOffer, spec_from_openai
from ..testing.explain import as_json, explain_reply
from .asking import PageRequest
from .talks import Talks

__all__ = ["Scratch"]

_MOST = 200_000
_MOST_TOOLS = 200


class Scratch:
    """What can be done with a reply that belongs to no session."""

    def __init__(self, talks: Talks) -> None:
        self._config = talks.config

    async def read(self, ask: PageRequest) -> dict[str, Any]:
        """How a reply is read."""
        reply, paradigm, offer = _asked(ask)
        reason = str(ask.body.get("finish_reason") or "") or None
        return as_json(
            await asyncio.to_thread(
                lambda: explain_reply(reply, get_paradigm(paradigm), offer, finish_reason=reason)
            )
        )

    async def save(self, ask: PageRequest) -> dict[str, Any]:
        """Keep a reply as a fixture, where the command line said."""
        reply, paradigm, offer = _asked(ask)
        if self._config.fixtures is None:
            raise UsageError("start the server with --fixtures FOLDER to save fixtures")
        path = await asyncio.to_thread(
            _written, self._config.fixtures, paradigm, str(ask.body["case"]), reply, offer
        )
        return {"saved": path}


def _written(folder: Any, paradigm: str, case: str, reply: str, offer: ToolOffer) -> str:
    # The kit of authors is loaded by those who use it.
    from ..testing.fixtures import Fixture, write_fixture

    try:
        fixture = Fixture(get_paradigm(paradigm).name, case, reply, offer, origin="the web page")
        path = write_fixture(folder, fixture)
    except OSError as error:
        raise UsageError(f"the fixture cannot be written: {error.strerror}") from None
    return str(path.relative_to(folder))


def _asked(ask: PageRequest) -> tuple[str, str, ToolOffer]:
    reply = str(ask.body["reply"])
    if len(reply) > _MOST:
        raise UsageError(f"the reply has {len(reply)} characters; at most {_MOST} are read here")
    return reply, str(ask.body.get("paradigm") or "json_strict"), _offer(ask.body.get("tools"))


def _offer(told: Any) -> ToolOffer:
    if told in (None, "", []):
        return ToolOffer()
    if isinstance(told, str):
        try:
            told = json.loads(told)
        except (ValueError, RecursionError):
            raise UsageError("the tools are not JSON; paste a list as OpenAI writes it") from None
    if isinstance(told, dict):
        told = told.get("tools", [told])
    if not isinstance(told, list) or len(told) > _MOST_TOOLS:
        raise UsageError(f"the tools must be a list of at most {_MOST_TOOLS}")
    if wrong := [each for each in told if not isinstance(each, dict)]:
        raise UsageError(f"a tool must be an object, got {wrong[0]!r:.60}")
    return ToolOffer(tuple(spec_from_openai(each) for each in told))
