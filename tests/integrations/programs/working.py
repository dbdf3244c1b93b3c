"""What the programs of all frameworks share: a text model, tools for it, and how they end.

The model lists a folder, reads a file, writes another and says so, in the form of ``xml_tag``; or
it errs on the way. It is an endpoint in this process: no server, no network.
"""

from __future__ import annotations

import json
import os
import tempfile
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.proxy.agents.model import ANSWER, CONTENT, Model
from tests.proxy.agents.programs.working import TASK, TOOLS
from tests.proxy.sayings import Cut, Refusal
from toolproto.endpoints import ScriptedEndpoint, ScriptedReply
from toolproto.errors import EndpointError
from toolproto.messages import ChatRequest, Usage

__all__ = ["TASK", "TOOLS", "play", "text_model"]

PLAN = [
    ("list_files", {}),
    ("read_file", {"path": "notes.txt"}),
    ("write_file", {"path": "out.txt", "content": CONTENT}),
]
#: How the model goes about it, and whether anybody could get the work done with it.
WAYS = {"behaves": True, "unknown tool, then right": True, "fence": True, "empty": False}


def text_model(way: str, plan: Any = ()) -> ScriptedEndpoint:
    """A model that goes about it in this *way*, a few characters at a time."""
    model = Model(list(plan) or PLAN, way)

    def speak(request: ChatRequest) -> ScriptedReply:
        messages = [{"role": each.role, "content": each.content} for each in request.messages]
        said = model.speak(messages)
        if isinstance(said, Refusal):
            raise EndpointError(said.message, status=said.status, body=said.message)
        text, reason = (said.text, said.reason) if isinstance(said, Cut) else (said, "stop")
        return ScriptedReply(text, reason, Usage(11, 7))

    return ScriptedEndpoint(*[speak] * 40, chunk_size=7)


def play(scenarios: dict[str, Callable[[Any], object]], plan: Any = ()) -> None:
    """Run each of *scenarios*, which is given the model, in every way; print how it went."""
    for name, scenario in scenarios.items():
        for way, can_be_done in WAYS.items():
            problem = _problem(lambda s=scenario, w=way: s(text_model(w, plan)), can_be_done)
            told = json.dumps({"scenario": name, "way": way, "problem": problem})
            print(f"\n{told}", flush=True)  # frameworks leave lines open


def _problem(run: Callable[[], object], can_be_done: bool) -> str | None:
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        Path("notes.txt").write_text("some notes\n", encoding="utf-8")
        try:
            said = str(run())
        except BaseException:
            # What cannot be done has to be seen; never an end like any other.
            return traceback.format_exc()[-3000:] if can_be_done else None
        finally:
            os.chdir("/")
        out = Path(folder, "out.txt")
        got = out.read_text(encoding="utf-8") if out.exists() else None
    if not can_be_done:
        return f"no error, but {said!r}"
    if got != CONTENT:
        return f"out.txt holds {got!r}; it said {said!r}"
    return None if said == ANSWER else f"it said {said!r}"
