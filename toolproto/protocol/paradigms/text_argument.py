"""A call whose only argument is plain text, as models write it that reason in labelled lines.

``Action: search`` and ``Action Input: who was Ibsen?`` is a call if the tool has one argument.
"""

from __future__ import annotations

import re

from ..decoding.calls.pulled import PulledCalls
from ..decoding.calls.record import Beginning
from ..decoding.faults import malformed
from ..decoding.patterns import Pattern
from ..decoding.source import Pull, Source
from ..decoding.values.lenient import read_all
from ..messages import Grade, Repair
from ..tools.spec import ToolSpec

__all__ = ["TextArgument"]

_LABELS = "(?:Observation|Thought|Action|Final Answer)"
_NEXT_LABEL = Pattern(rf"\n\s{{0,8}}(?:{_LABELS}\b|\*\*{_LABELS}(?: \d{{1,2}})?(?:\*\*)?[:：])")
_LINE_END = re.compile("\n")
_IN_FENCE = re.compile(r"```[\w+-]{0,20}+[ \t]*+\n(.*)\n[ \t]*+```", re.DOTALL)
_QUOTES = {"`": "`", "“": "”"}
# How models say that there is nothing to say.
_NOTHING = frozenset({"", "none", "null", "n/a", "na", "nil", "no input", "()", "[]"})
_TEXT_ARGUMENT = Repair("text_argument", Grade.GUESSED)
_NO_ARGUMENTS = Repair("empty_arguments", Grade.GUESSED)


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
        tool, text = call.tool, _bare("".join(parts).strip())
        if tool is not None and not tool.required and text.lower() in _NOTHING:
            text = ""
        if text:
            call.argument(*_only_argument(tool, text))
        self.complete(_TEXT_ARGUMENT if text else _NO_ARGUMENTS)

    def pass_over(self, source: Source) -> Pull[None]:
        """Read on to the next label: another call may begin there."""
        yield from _to_label(source, [])


def _to_label(source: Source, parts: list[str]) -> Pull[None]:
    while (yield from source.peek()) and not (yield from source.match(_NEXT_LABEL)):
        parts.append(source.text[source.at])
        source.at += 1
        parts.append((yield from source.before(_LINE_END)))


def _only_argument(tool: ToolSpec | None, text: str) -> tuple[str, str]:
    """The argument that *text* must be, the only one or the only one that is needed, and its value.

    Its name may stand before it; but then the others may not.
    """
    keys = list(tool.properties) if tool else []
    needed = list(tool.required) if tool and len(keys) > 1 else keys
    key = needed[0] if len(needed) == 1 else None
    named = key and re.match(rf"{re.escape(key)}\s{{0,3}}(:|=\s{{0,3}}(?=[\"']))", text)
    others = "|".join(re.escape(other) for other in keys if other != key)
    several = named and others and re.search(rf"[\s,](?:{others})\s{{0,3}}{named[1][0]}", text)
    if key is None or several:
        raise malformed("its arguments must be a JSON object")
    return key, _bare(text[named.end() :].strip()) if named else text


def _bare(text: str) -> str:
    """*text* without the fence, the brackets or the quotes around all of it."""
    if fenced := _IN_FENCE.fullmatch(text):
        return fenced.group(1)
    if text[:1] == "[" and text[-1:] == "]":
        text = text[1:-1].strip()
    if text[1:] and text.find(_QUOTES.get(text[0], "\0"), 1) == len(text) - 1:
        return text[1:-1]
    reading = read_all(text) if text[:1] in ("'", '"') else None
    return reading.value if reading and isinstance(reading.value, str) else text
