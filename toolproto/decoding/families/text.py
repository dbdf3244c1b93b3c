"""An argument that is plain text, behind the name of a tool that takes only one.

``Action: search`` / ``Action Input: train times`` and ``Action: search[train times]``: models that
were asked for JSON there often write the text itself.
"""

from __future__ import annotations

import re

from ...messages import Grade, Repair
from ...tools.spec import ToolSpec
from ..calls.names import Head
from ..calls.pulled import PulledCalls
from ..calls.record import CallSetting
from ..patterns import Pattern
from ..source import Pull, Source
from ..values.lenient import read_json
from ..values.strict import Reading, malformed

__all__ = ["TextArgument"]

_NEXT = Pattern(r"\n\s{0,8}(?:Observation|Thought|Action|Final Answer)\b")
_LINE_END = re.compile("\n")
_REPAIR = Repair("text_argument", Grade.GUESSED)


class TextArgument(PulledCalls):
    """Reads up to the next label, or the end: only that shows whether the text was quoted."""

    is_call = True

    def __init__(
        self,
        setting: CallSetting,
        *,
        start: int,
        lead: str,
        head: Head,
        drift: tuple[Repair, ...] = (),
    ) -> None:
        super().__init__(setting, start=start, lead=lead, drift=drift)
        self._head = head
        self.committed = True

    def grammar(self, source: Source) -> Pull[None]:
        """Lines, up to one that begins with a label."""
        call, parts = self.open(self._head.name, self._head.id), list[str]()
        yield from _to_label(source, parts)
        key, text = _only_argument(call.tool), _bare("".join(parts).strip())
        if text and key is None:
            raise malformed("its arguments must be a JSON object")
        if text and key is not None:
            call.key(key)
            call.value(text)
        self.complete(_REPAIR)

    def pass_over(self, source: Source) -> Pull[None]:
        """Read on to the next label: another call may begin there."""
        yield from _to_label(source, [])


def _to_label(source: Source, parts: list[str]) -> Pull[None]:
    while (yield from source.peek()) and not (yield from source.match(_NEXT)):
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
    if text[:1] in ("'", '"'):
        reading = read_json(text)
        if isinstance(reading, Reading) and isinstance(reading.value, str):
            return reading.value if not text[reading.end :].strip() else text
    return text
