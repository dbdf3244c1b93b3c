"""A call whose only argument is plain text, as models write it that reason in labelled lines.

``Action: search`` and ``Action Input: who was Ibsen?`` is a call if the tool has one argument.
"""

from __future__ import annotations

import re

from ..decoding.calls.pulled import PulledCalls
from ..decoding.calls.record import Beginning
from ..decoding.patterns import Pattern
from ..decoding.source import Pull, Source
from ..decoding.values.lenient import read_all
from ..decoding.values.strict import malformed
from ..messages import Grade, Repair
from ..tools.spec import ToolSpec

__all__ = ["TextArgument"]

_NEXT_LABEL = Pattern(r"\n\s{0,8}(?:Observation|Thought|Action|Final Answer)\b")
_LINE_END = re.compile("\n")
_TEXT_ARGUMENT = Repair("text_argument", Grade.GUESSED)


class TextArgument(PulledCalls):
    """Reads up to the next label, or the end: only that shows whether the text was quoted."""

    is_call = True

    def __init__(self, begun: Beginning) -> None:
        super().__init__(begun._replace(ends=()))
        self.committed = True

    def grammar(self, source: Source) -> Pull[None]:
        """Lines, up to one that begins with a label."""
        head, parts = self._begun.head, list[str]()
        assert head is not None, "the text stands behind a name"
        call = self.open(head.name, head.id)
        yield from _to_label(source, parts)
        key, text = _only_argument(call.tool), _bare("".join(parts).strip())
        if text and key is None:
            raise malformed("its arguments must be a JSON object")
        if text and key is not None:
            call.argument(key, text)
        self.complete(_TEXT_ARGUMENT)

    def pass_over(self, source: Source) -> Pull[None]:
        """Read on to the next label: another call may begin there."""
        yield from _to_label(source, [])


def _to_label(source: Source, parts: list[str]) -> Pull[None]:
    while (yield from source.peek()) and not (yield from source.match(_NEXT_LABEL)):
        parts.append(source.text[source.at])
        source.at += 1
        parts.append((yield from source.before(_LINE_END)))


def _only_argument(tool: ToolSpec | None) -> str | None:
    """The argument that the text must be: the only one, or the only one that is needed."""
    if tool is None:
        return None
    keys = list(tool.properties) if len(tool.properties) == 1 else list(tool.required)
    return keys[0] if len(keys) == 1 else None


def _bare(text: str) -> str:
    """*text* without the brackets or the quotes around all of it."""
    if text[:1] == "[" and text[-1:] == "]":
        text = text[1:-1].strip()
    reading = read_all(text) if text[:1] in ("'", '"') else None
    return reading.value if reading and isinstance(reading.value, str) else text
