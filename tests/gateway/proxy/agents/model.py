"""The model behind the agents: it lists a folder, reads a file, writes another, and says so.

What it calls for that is up to the agent's tools. It may err, in one of the ways of :data:`WAYS`,
when it is to read the file; what it says then follows from how often it was asked.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tests.gateway.proxy.sayings import Cut, Messages, Refusal

__all__ = ["ANSWER", "CONTENT", "WAYS", "Model"]

Call = tuple[str, dict[str, Any]]
ANSWER = "All is written."
#: What the agent is to write, if nothing else is said.
CONTENT = "the notes were read\n"
#: Code that holds our own markers, and those of everybody else.
_LONG = "\n".join(
    f'print({n}, "<tool_result>", "</tool_code>", "<tool_code>{{}}", "```", "<|im_end|>")  # é 🙂'
    for n in range(700)
)
_UNICODE = 'é 漢字 🙂 \u202e \u2028 \t "quoted" \\ back\n'


def written(*calls: Call) -> str:
    """*calls* as a model writes them that was taught ``xml_tag``."""
    told = (
        json.dumps({"name": name, "arguments": given}, ensure_ascii=False) for name, given in calls
    )
    return "\n".join(f"<tool_code>{each}</tool_code>" for each in told)


@dataclass
class Model:
    """Follows a *plan* of calls; errs in *way* with the second of them."""

    plan: list[Call]
    way: str = "behaves"
    asked: int = field(default=0)

    def speak(self, messages: Messages) -> str | Cut | Refusal:
        """What it says to *messages*."""
        if "tool_code" not in str(messages[0]["content"]):
            return "Notes"  # a title, a summary: no tools were offered
        told = [each["content"] for each in messages if each["role"] == "user"]
        # Smolagents tells results in words of its own.
        done = sum("<tool_result" in text or text.count("Observation:") for text in told)
        if done == 1 and self.way in WAYS:
            self.asked += 1
            return WAYS[self.way](self.plan[1], self.asked)
        if done < len(self.plan):
            return written(self.plan[done])
        return ANSWER

    @property
    def content(self) -> str:
        """What is to stand in the file in the end."""
        return {"long code": _LONG, "unicode": _UNICODE}.get(self.way, CONTENT)


Way = Callable[[Call, int], "str | Cut | Refusal"]


_FLYING = "I will read it.\n" + written(("fly", {"to": "x"}))


def _once(wrong: str | Cut | Refusal) -> Way:
    """*wrong* the first time, and the call when it is asked again."""
    return lambda call, asked: wrong if asked == 1 else written(call)


def _always(wrong: str | Cut | Refusal) -> Way:
    return lambda call, asked: wrong


def _around(before: str, behind: str = "") -> Way:
    return lambda call, asked: before + written(call) + behind


def _quoted(call: Call, asked: int) -> str:
    return f"<tool_code>{{'name': '{call[0]}', 'arguments': {call[1]!r}}}</tool_code>"


def _thinking(call: Call, asked: int) -> str:
    return f"<think>I could write {written(call)} now.</think>\n\n{written(call)}"


#: Each is what the model says when it is to read the file, for the first, second, … time.
WAYS: dict[str, Way] = {
    "fence": _around("```\n", "\n```"),
    "prose": _around("I will read the notes first, as you said.\n\n"),
    "quotes": _quoted,
    "unknown tool behind words": _always(_FLYING),
    "unknown tool, then right": _once(_FLYING),
    "bad arguments": lambda call, asked: written((call[0], {} if asked == 1 else call[1])),
    "two calls": lambda call, asked: written(call, call),
    "long code": _around(""),
    "unicode": _around(""),
    "cut": lambda call, asked: Cut(written(call)[:-30]) if asked == 1 else written(call),
    "thinking": _thinking,
    "empty": _always(""),
    "made-up result": _around("", "\n<tool_result>\nnothing\n</tool_result>\nDone!"),
    "busy": _once(Refusal(429, "not now", {"retry-after": "1"})),
    "refused": _always(Refusal(400, "the context is too long")),
    "broken off": _once(Cut("I will re", None)),
    "always broken off": _always(Cut("I will re", None)),
}
