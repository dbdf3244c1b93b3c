"""An argument that is plain text, behind the name of a tool that takes only one.

``Action: search`` / ``Action Input: train times`` and ``Action: search[train times]``: models that
were asked for JSON there often write the text itself.
"""

from __future__ import annotations

import re
from io import StringIO

from ..messages import Grade, ProblemKind, Repair
from ..tools.spec import ToolSpec
from .call_draft import CallSetting
from .heads import Head
from .lenient import read_json
from .spoken_call import SpokenCall
from .strict import Reading
from .string_feed import StreamedString

__all__ = ["TextArgument"]

_LABELS = ("Observation", "Thought", "Action", "Final Answer")
_NEXT = re.compile(rf"\n\s{{0,8}}(?:{'|'.join(_LABELS)})\b")
_LONGEST_LABEL = 24
_REPAIR = Repair("text_argument", Grade.GUESSED)


class TextArgument:
    """Reads up to the next label, or the end. The members are those of the other readers."""

    def __init__(
        self,
        setting: CallSetting,
        *,
        start: int,
        lead: str,
        head: Head,
        drift: tuple[Repair, ...] = (),
    ) -> None:
        self._call = SpokenCall(setting, start, head.name, id=head.id, drift=drift)
        self._call.write(lead)
        self._text = StringIO()
        self._limit = setting.limits.characters
        self.done = False
        self.committed = True
        self.refused = False
        self.interrupted = False

    @property
    def streaming(self) -> StreamedString | None:
        """None: only the end shows whether the text was quoted."""
        return None

    def take_pushback(self) -> str:
        """Nothing is ever read that lies behind the end."""
        return ""

    def feed(self, text: str, at: int, base: int, final: bool) -> int:
        """Read on from *at* in *text*, whose first character is *base* in the reply."""
        found = _NEXT.search(text, at)
        if found:
            stop = found.start()
        else:
            newline = text.rfind("\n", max(at, len(text) - _LONGEST_LABEL))
            stop = len(text) if final or newline < 0 else newline
        self._take(text[at:stop])
        if found or (final and stop == len(text)):
            self._end()
        return stop

    def finish(self, reason: str | None) -> None:
        """The reply is over; so is the text, unless it was cut."""
        if self.done:
            return
        if reason == "length":
            self.done = True
            self._call.reject(ProblemKind.TRUNCATED, "it is cut short")
        else:
            self._end()

    def _take(self, text: str) -> None:
        self._call.write(text)
        if self._text.tell() + len(text) <= self._limit:
            self._text.write(text)

    def _end(self) -> None:
        self.done = True
        key = _only_argument(self._call.tool)
        text = _bare(self._text.getvalue().strip())
        if key is None and text:
            self._call.reject(ProblemKind.MALFORMED, "its arguments must be a JSON object")
            return
        if key is not None and text:
            self._call.key(key)
            self._call.value(text)
        self._call.complete(_REPAIR)


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
