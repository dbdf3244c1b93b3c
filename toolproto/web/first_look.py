"""A model that follows a script, so that the page can be tried with nothing else.

It writes its calls as the session's paradigm asks for them, so that cards, results and "what the
model saw" are those of a real model. What it says depends on a few words of the person's and on
the results that came back.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from itertools import takewhile

from ..conversation.journal.titles import INSTRUCTIONS
from ..protocol.messages import ChatRequest, Chunk, Message, ToolCall, ToolResult, Usage
from ..protocol.paradigms.base import ToolContextDef

__all__ = ["FirstLook"]

_PIECE = 6
_HELLO = """Hello! I am a **script**, not a model: whatever you do here works the same with a real \
one, which you choose under *Settings*.

Try one of these:

1. `What is 17 * 23?` - I ask to run JavaScript in your browser
2. `Write a poem to poem.txt` - I ask to write a file; you see it in the file pane
3. `Which files are there?` - I ask to list them
4. `Show me some code` - how answers look

Nothing runs before you say so.
"""
_CODE = """Here is a function and what it costs:

```python
def fibonacci(n: int) -> int:
    \"\"\"The n-th number, counted from 0.\"\"\"
    a, b = 0, 1
    for _ in range(n):
        a, b = b, a + b
    return a  # 42 is not one of them
```

| n | result | steps |
|--:|:------:|-------|
| 5 | 5 | 5 |
| 10 | 55 | 10 |

> It takes *linear* time.
"""
_POEM = """The tools lie still, the prompt is lit,
a bracket opens, waits a bit;
the reader reads, the card appears,
and *Run* is pressed - the model hears.
"""
_SUM = re.compile(r"\d[\d\s.]*(?:[-+*/%]\s*\d[\d\s.]*)+")


class FirstLook:
    """The endpoint: answers as the script says, in the form of *paradigm*, in small pieces."""

    model = "scripted"

    def __init__(self, paradigm: ToolContextDef, pause: float = 0.012) -> None:
        self._paradigm = paradigm
        self._pause = pause
        calls = (ToolCall("a", {}, "call_1"), ToolCall("b", {}, "call_2"))
        shown = [paradigm.encode_results([ToolResult(call, call.name)]) for call in calls]
        same = takewhile(lambda pair: pair[0] == pair[1], zip(*shown, strict=False))
        self._head = "".join(pair[0] for pair in same)

    @asynccontextmanager
    async def astream(self, request: ChatRequest, /) -> AsyncIterator[AsyncIterator[Chunk]]:
        """The reply to *request*, in pieces."""
        yield self._pieces(request)

    async def _pieces(self, request: ChatRequest) -> AsyncIterator[Chunk]:
        reply = self._reply(request.messages)
        for at in range(0, len(reply), _PIECE):
            yield Chunk(reply[at : at + _PIECE])
            await asyncio.sleep(self._pause)
        asked = sum(len(message.content) for message in request.messages)
        yield Chunk(finish_reason="stop", usage=Usage(asked // 4 + 1, len(reply) // 4 + 1))

    def _reply(self, messages: Sequence[Message]) -> str:
        if messages and messages[0].content == INSTRUCTIONS:
            return "A first look"
        said = [message.content for message in messages if message.role == "user"]
        own = [each for each in said if not self._brings_results(each)]
        if not said or said[-1] in own[-1:]:
            return self._first(said[-1] if said else "")
        return _after(own[-1] if own else "", said[-1])

    def _brings_results(self, text: str) -> bool:
        """Whether the loop wrote it: it begins as results do in this paradigm."""
        return bool(self._head) and text.startswith(self._head)

    def _first(self, said: str) -> str:
        lowered = said.lower()
        if found := _SUM.search(said):
            return self._calling("Your browser can work that out.", "browser_js_eval",
                                 {"code": f"{found[0].strip()}"})  # fmt: skip
        if "javascript" in lowered or "browser" in lowered:
            code = 'console.log("hello from the sandbox");\n[1, 2, 3].map((n) => n * n)'
            return self._calling("A few squares.", "browser_js_eval", {"code": code})
        if "write" in lowered or "save" in lowered:
            named = re.search(r"[\w-]+\.\w{1,5}\b", said)
            path = named[0] if named else "poem.txt"
            return self._calling(
                f"I would like to write `{path}`.", "write_file", {"path": path, "content": _POEM}
            )
        if "read" in lowered and (named := re.search(r"[\w-]+\.\w{1,5}\b", said)):
            return self._calling("Let me look into it.", "read_file", {"path": named[0]})
        if "file" in lowered or "list" in lowered:
            return self._calling("I look.", "list_directory", {"path": "/"})
        if "code" in lowered or "table" in lowered:
            return _CODE
        return _HELLO

    def _calling(self, words: str, name: str, arguments: dict[str, str]) -> str:
        thought = (
            "<think>\nThe user wants something done that one of my tools can do.\n</think>\n\n"
        )
        return f"{thought}{words}\n\n{self._paradigm.encode_call(ToolCall(name, arguments))}"


def _after(question: str, said: str) -> str:
    """What is said when results have come."""
    if "not run" in said:
        return "All right, I will do without it."
    value = re.search(r"-?\d[\d.]*(?=\D*$)", said) if _SUM.search(question) else None
    if value:
        return f"It is **{value[0]}**."
    return "Done. The result is in the card above. Anything else?"
