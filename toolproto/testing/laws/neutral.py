"""The law of strangers' text: a result that the model repeats, in the open, calls nothing."""

from __future__ import annotations

from collections.abc import Iterator

from ...protocol.guard.neutralise import neutraliser
from ...protocol.messages import ToolCall, ToolResult
from ...protocol.paradigms.base import ToolContextDef
from ...protocol.tools.spec import ToolOffer
from .asking import asked, read_whole
from .broken import LawBroken, shown
from .comparison import call_line

__all__ = ["neutrality"]

__tracebackhide__ = True  # a reader wants to see the test, not how the law looks at it

_CALL = ToolCall("fetch", {"url": "https://example.com"}, "call_1")


def neutrality(paradigm: ToolContextDef, text: str, offer: ToolOffer) -> None:
    """Law 17: *text* that a tool brought is no call, wherever the model repeats it.

    It can also be given back exactly as it was.
    """
    for what, repeated in _repetitions(paradigm, text, offer):
        for call in read_whole(paradigm, repeated, offer).calls:
            raise LawBroken(
                "neutrality",
                f"{what} calls {call_line(call)} when the model repeats it:\n  {shown(repeated)}",
                "let encode_results write self.neutralise(result.content)",
            )
    made = neutraliser(paradigm, offer.names)
    if made.restore(made.neutralise(text)) != text:
        what = f"{shown(text)} is restored as {shown(made.restore(made.neutralise(text)))}"
        raise LawBroken("neutrality", what, "leave neutralise to the guard")


def _repetitions(
    paradigm: ToolContextDef, text: str, offer: ToolOffer
) -> Iterator[tuple[str, str]]:
    yield "a result", asked("neutrality", paradigm, "encode_results", [ToolResult(_CALL, text)])
    yield "neutral text", neutraliser(paradigm).neutralise(text)
    yield "text neutral to these tools", neutraliser(paradigm, offer.names).neutralise(text)
