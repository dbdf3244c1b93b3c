"""A text model for an agent, tools for it, and how its work ended.

The model lists a folder, reads a file, writes another and says so, in the form of ``xml_tag``; or
it errs on the way. It is an endpoint in this process: no server, no network.
"""

from __future__ import annotations

import json
import os
import tempfile
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from tests.gateway.proxy.agents.model import ANSWER, WAYS, Model
from tests.gateway.proxy.agents.programs.working import TASK, TOOLS
from tests.gateway.proxy.sayings import Cut, Refusal
from toolproto.endpoints import ScriptedEndpoint, ScriptedReply
from toolproto.protocol.errors import EndpointError
from toolproto.protocol.messages import ChatRequest, Usage

__all__ = ["TASK", "TOOLS", "play", "spoken", "text_model"]

PLAN = [
    ("list_files", {}),
    ("read_file", {"path": "notes.txt"}),
]
#: Ways in which nobody can get the work done: that has to be seen.
HOPELESS = ("unknown tool behind words", "empty", "refused", "always broken off")
#: Ways in which it can be done by those who ask the service again, and has to be seen otherwise.
TROUBLED = ("bad arguments", "broken off", "busy", "cut")


def text_model(way: str) -> ScriptedEndpoint:
    """A model that goes about it in this *way*, a few characters at a time."""
    model = Model([], way)
    model.plan = [*PLAN, ("write_file", {"path": "out.txt", "content": model.content})]

    def speak(request: ChatRequest) -> ScriptedReply:
        messages = [{"role": each.role, "content": each.content} for each in request.messages]
        said = model.speak(messages)
        if isinstance(said, Refusal):
            raise EndpointError(said.message, status=said.status, body=said.message)
        text, reason = (said.text, said.reason) if isinstance(said, Cut) else (said, "stop")
        return ScriptedReply(text, reason, Usage(11, 7))

    return ScriptedEndpoint(*[speak] * 40, chunk_size=7)


def spoken(endpoint: Any, request: ChatRequest) -> Iterator[str]:
    """What a text model of the library's own says, which stands on *endpoint*."""
    reason = None
    with endpoint.stream(request) as chunks:
        for chunk in chunks:
            reason = reason or chunk.finish_reason
            yield chunk.text
    if reason is None:
        raise ConnectionError("the reply was broken off")


def play(scenarios: dict[str, Callable[[Any], object]]) -> None:
    """Run each of *scenarios*, which is given the model, in every way; print how it went."""
    for name, scenario in scenarios.items():
        for way in ("behaves", *WAYS):
            problem = _problem(way, lambda s=scenario, w=way: s(text_model(w)))
            told = json.dumps({"scenario": name, "way": way, "problem": problem})
            print(f"\n{told}", flush=True)  # frameworks leave lines open


def _problem(way: str, run: Callable[[], object]) -> str | None:
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        Path("notes.txt").write_text("some notes\n", encoding="utf-8")
        try:
            said = str(run())
        except BaseException:
            # What cannot be done has to be seen; never an end like any other.
            return None if way in (*HOPELESS, *TROUBLED) else traceback.format_exc()[-3000:]
        finally:
            os.chdir("/")
        out = Path(folder, "out.txt")
        got = out.read_text(encoding="utf-8") if out.exists() else None
    if way in HOPELESS:
        return f"no error, but {said!r}"
    if got != Model([], way).content:
        return f"out.txt holds {str(got)[:200]!r}; it said {said!r}"
    return None if said == ANSWER else f"it said {said!r}"
