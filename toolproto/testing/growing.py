"""Replies that can be made as long as one likes: what is not linear shows on one of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ..protocol.describe.samples import example_call
from ..protocol.messages import ToolCall
from ..protocol.paradigms.base import ToolContextDef
from ..protocol.paradigms.wire import WireParadigm
from ..protocol.tools.spec import ToolOffer

__all__ = ["PROSE", "growing", "half_openers"]

#: Prose that looks like the beginning of something, again and again.
PROSE = [
    "Plain words, and then some more of them. " * 20,
    "a < b > c { d } [ e ] ` f ` ~ g ~ " * 30,
    "function f() { return {}; } // [x] <b>bold</b> `code` " * 20,
    "<" * 600,
    "{" * 600,
    "[" * 600,
    "`" * 600,
    "~" * 600,
    "{ " * 300,
    " " * 600,
    "<tool_" * 100,
    "<tool_code x" * 100,
    '{"answer": "' + "no call at all " * 50,
    "\n> quoted <tool_cod" * 40,
    "\n```python\nx = {}\n```\n" * 20,
]


def half_openers(paradigm: ToolContextDef) -> Iterator[str]:
    """More such prose, of the markers that *paradigm* declares, each without its last character."""
    if isinstance(paradigm, WireParadigm):
        for opener, _ in (paradigm.wire.call, *paradigm.wire.also):
            half = opener.strip()[:-1]
            text = half * (600 // len(half)) if len(half) > 1 else ""
            if opener.strip() not in text:
                yield text


def growing(paradigm: ToolContextDef, offer: ToolOffer) -> dict[str, Callable[[int], str]]:
    """Functions from a size to a reply of about that size, by what they make more and more of."""
    call = example_call(offer) or ToolCall("now", {})
    written = paradigm.encode_call(call)
    opener = _opener(paradigm, call) or "<tool_code>"
    return {
        "a long argument": lambda n: paradigm.encode_call(_with_code(call, n)),
        "beginnings of calls": lambda n: _repeated(written[: len(written) // 2] + "\n", n),
        "calls": lambda n: _repeated(written + "\n", n),
        "openers": lambda n: _repeated(opener, n),
        "a long string": lambda n: '{"name": "f", "arguments": {"a": "' + "x" * n + '"}}',
        "an array": lambda n: '{"name": "f", "arguments": {"a": [' + "1, " * (n // 3) + "1]}}",
        "open calls": lambda n: _repeated(opener + '{"name": "', n),
        "brackets": lambda n: "{" * n,
        "lists": lambda n: "[" * n,
        "objects": lambda n: _repeated('{"name": ', n),
        "backslashes": lambda n: opener + '{"name": "' + "\\" * n,
        "quotes": lambda n: opener + '{"name": ' + '"' * n,
        "odd quotes": lambda n: opener + "{'name': " + "' " * (n // 2),
        "digits": lambda n: opener + '{"name": "now", "arguments": {"n": ' + "9" * n + "}}",
        "backticks": lambda n: "`" * n,
        "fences": lambda n: _repeated("```\n", n),
        "thoughts": lambda n: _repeated("<think>", n),
        "angles": lambda n: "<" * n,
        "broken calls": lambda n: _repeated(opener + '{"name": "f", "a": {"b": "c"d"}}\n', n),
        "prose": lambda n: _repeated("Some words of prose, (with) punctuation. ", n),
    }  # fmt: skip


def _repeated(piece: str, size: int) -> str:
    return piece * (size // len(piece) + 1)


def _with_code(call: ToolCall, size: int) -> ToolCall:
    return ToolCall(call.name, {**call.arguments, "content": "x = '<b>'\n" * (size // 10)})


def _opener(paradigm: ToolContextDef, call: ToolCall) -> str:
    """What *paradigm* writes before the first letter of a call's name or the first brace."""
    written = paradigm.encode_call(call)
    ends = [at for at in (written.find(call.name), written.find("{")) if at >= 0]
    return written[: min(ends, default=0)]
