"""What a person does in a session: says something, decides about calls, stops, runs again."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from ..conversation.deciding.answers import Verdict
from ..conversation.deciding.approvals import Allow, ApprovalRequest, Deny
from ..conversation.journal.log import LoggedTurn
from ..protocol.errors import UsageError
from ..protocol.messages import ToolCall, ToolResult
from .asking import PageRequest
from .opening import OpenedSession
from .talk import Talk
from .talks import Talks
from .telling import where_answered, whole_call
from .tooling import BROWSER, only_own_words

__all__ = ["Actions"]

_WENT_ON = "the user went on without it"


class Actions:
    """What can be done in a session."""

    def __init__(self, talks: Talks) -> None:
        self._talks = talks

    async def send(self, ask: PageRequest) -> dict[str, Any]:
        """Say something; calls that wait are left. In the place of a turn, or behind one."""
        talk = await self._talks.find(ask.id, ask.person)
        await talk.send(ask.body["text"], **_place(ask, "beside", "after", "keep_following"))
        return {}

    async def rerun(self, ask: PageRequest) -> dict[str, Any]:
        """Run a turn again."""
        talk = await self._talks.find(ask.id, ask.person)
        await talk.rerun(ask.body["turn"], **_place(ask, "keep_following"))
        return {}

    async def resume(self, ask: PageRequest) -> dict[str, Any]:
        """Go on with a turn that broke off."""
        await (await self._talks.find(ask.id, ask.person)).go_on()
        return {}

    async def cancel(self, ask: PageRequest) -> dict[str, Any]:
        """Stop the turn that runs."""
        await (await self._talks.find(ask.id, ask.person)).cancel()
        return {}

    async def branch(self, ask: PageRequest) -> dict[str, Any]:
        """Let the conversation go on behind a turn, or behind the last one that followed it."""
        talk = await self._talks.find(ask.id, ask.person)
        turn = ask.body["turn"]
        if ask.body.get("last"):
            turn = _last_behind((await talk.opened()).session.turns, turn)
        await talk.switch(turn)
        return {}

    async def undo(self, ask: PageRequest) -> dict[str, Any]:
        """Put back the files that a turn changed."""
        talk = await self._talks.find(ask.id, ask.person)
        return {"paths": await talk.undo(ask.body["turn"])}

    async def title(self, ask: PageRequest) -> dict[str, Any]:
        """Let the model find a title for the session."""
        talk = await self._talks.find(ask.id, ask.person)
        return {"title": await talk.make_title()}

    # -- about calls ---------------------------------------------------------------------

    async def approve(self, ask: PageRequest) -> dict[str, Any]:
        """Run a call, or another with *arguments* in its place."""

        def verdict(request: ApprovalRequest, opened: OpenedSession) -> Verdict:
            instead = None
            if "arguments" in ask.body:
                instead = ToolCall(request.call.name, ask.body["arguments"], request.call.id)
            vouched = [str(each) for each in ask.body.get("vouched", [])]
            return Allow(instead, bool(ask.body.get("always")), tuple(vouched))

        return await self._decide(ask, verdict)

    async def deny(self, ask: PageRequest) -> dict[str, Any]:
        """Do not run it; the model is told why."""
        reason = str(ask.body.get("reason") or "").strip()
        stop = bool(ask.body.get("stop"))
        denied = Deny(reason, stop) if reason else Deny(stop=stop)
        return await self._decide(ask, lambda request, opened: denied)

    async def ignore(self, ask: PageRequest) -> dict[str, Any]:
        """Leave it, and let the model go on."""
        return await self._decide(ask, lambda request, opened: Deny(_WENT_ON))

    async def answer(self, ask: PageRequest) -> dict[str, Any]:
        """Give the result yourself: typed by a person, or of the page's sandbox."""

        def verdict(request: ApprovalRequest, opened: OpenedSession) -> Verdict:
            content = str(ask.body["content"])
            if "arguments" in ask.body and ask.body["arguments"] != dict(request.call.arguments):
                changed = json.dumps(ask.body["arguments"], ensure_ascii=False)
                content = f"[the user changed the arguments to {changed}]\n{content}"
            own = request.call.name == BROWSER and only_own_words(
                opened.session.turns, opened.session.messages, opened.tools
            )
            failed, trusted = bool(ask.body.get("is_error")), True if own else None
            if ask.body.get("always"):
                self._let_always(ask.id, request, opened)
            return ToolResult(request.call, content, failed, trusted=trusted)

        return await self._decide(ask, verdict)

    def _let_always(self, id: str, request: ApprovalRequest, opened: OpenedSession) -> None:
        """Let the page run the tool of *request* unasked; UsageError if that was not asked."""
        if where_answered(request, opened.tools) != "page" or request.pin is None:
            raise UsageError("only a tool that the page runs can be let run there always")
        self._talks.people.let_always(id, request.pin)

    async def _decide(
        self, ask: PageRequest, verdict: Callable[[ApprovalRequest, OpenedSession], Verdict]
    ) -> dict[str, Any]:
        talk = await self._talks.find(ask.id, ask.person)
        request = await _waiting(talk, ask.body["call"])
        await talk.decide({request.call.id: verdict(request, await talk.opened())})
        return {"name": request.call.name}

    async def whole(self, ask: PageRequest) -> dict[str, Any]:
        """All of a call and its result, however long."""
        talk = await self._talks.find(ask.id, ask.person, to_watch=True)
        session, id = (await talk.opened()).session, ask.request.path_params["call"]
        calls = (call for message in session.messages for call in message.calls)
        results = (each for message in session.messages for each in message.results)
        call = next((each for each in calls if each.id == id), None)
        result = next((each for each in results if each.call.id == id), None)
        pending = next((each.call for each in session.pending if each.call.id == id), None)
        if call is None and result is None and pending is None:
            raise UsageError(f"there is no call {id[:60]!r} in the current conversation")
        return whole_call(pending or call, result)


async def _waiting(talk: Talk, id: str) -> ApprovalRequest:
    pending = (await talk.opened()).session.pending
    found = next((request for request in pending if request.call.id == id), None)
    if found is None:
        raise UsageError(f"no call {id[:60]!r} waits; somebody may have decided about it")
    return found


def _place(ask: PageRequest, *names: str) -> dict[str, Any]:
    return {name: ask.body[name] for name in names if name in ask.body}


def _last_behind(turns: tuple[LoggedTurn, ...], number: int) -> int:
    """The last turn that was made behind *number*, or it itself."""
    behind = {number}
    for turn in turns:  # in the order they were made, so a parent comes first
        if turn.parent in behind:
            behind.add(turn.number)
    return max(behind)
