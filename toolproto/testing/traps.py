"""Replies that go wrong in the ways in which replies do, in any paradigm's own form."""

from __future__ import annotations

from ..protocol.describe.samples import example_call
from ..protocol.messages import ToolCall
from ..protocol.paradigms.base import ToolContextDef
from ..protocol.tools.spec import ToolOffer
from .marks import MARKS, marks_of

__all__ = ["ODD", "trap_calls", "traps"]

#: What is text, and yet breaks programs: half a pair, controls, ends of lines, combined signs.
ODD = "a\ud800b\x00c\r\nd\u2028e\x85f\u202eg\ufeffh e\u0301 👩‍🚀\udfff"

#: Values that are easily taken for one another, under keys that are easily spelled otherwise.
_VALUES = {
    "one": 1, "One": 1.0, "ONE": "1", "minus": -0.0, "big": 10**20, "small": 1e-9, "yes": True,
    "no": "false", "none": None, "None": "None", "null": "null", "list": [1, "1", [], {}, None],
    "map": {"A": "b", "a": {}}, "text list": "[1, 2]", "text map": '{"a": 1}', "empty": "",
    "ends": " x \n", "name": "now", "arguments": {"city": "Oslo"}, "é": "\\u00e9", "odd": ODD,
}  # fmt: skip


def trap_calls(paradigm: ToolContextDef, offer: ToolOffer) -> list[ToolCall]:
    """Calls with arguments of every kind, and with every marker as a value and as a key.

    One that stands inside another value is alone in its call: a form may write a call otherwise
    as soon as one of its values needs it.
    """
    call = example_call(offer) or ToolCall("now", {})
    marks = dict.fromkeys((*marks_of(paradigm, offer), *MARKS))
    return [
        ToolCall(call.name, _VALUES),
        ToolCall(call.name, {f"a{number}": mark for number, mark in enumerate(marks)}),
        ToolCall(call.name, {mark: number for number, mark in enumerate(marks)}),
        *(ToolCall(call.name, {"inside": {mark: [mark]}}) for mark in marks),
        ToolCall("no.such-tool_1", {}),
    ]


def traps(paradigm: ToolContextDef, offer: ToolOffer) -> list[str]:
    """Calls that are odd, unknown, cut, broken, fenced, quoted, thought of or next to others."""
    call = example_call(offer) or ToolCall("now", {})
    written = paradigm.encode_call(call)
    middle = len(written) // 2
    return [
        "",
        ODD,
        paradigm.encode_call(ToolCall(call.name, {**call.arguments, "content": ODD})),
        paradigm.encode_call(ToolCall("no_such_tool", {"city": "Oslo"})),
        f"Well.\n{paradigm.encode_calls([call, call])}\nSo.",
        f"{written}{written} {written}",
        *(written[:end] for end in (len(written) // 3, middle, len(written) - 1)),
        *(f"{written[:end]}\n\nAnd then?\n" for end in (len(written) // 3, middle)),
        f"{written[:middle]}{written}",
        f"{written[:middle]}oops{written[middle:]}",
        written.replace('"', "'"),
        written.replace('"', "", 1),
        written.replace(call.name, ""),
        f"```\n{written}\n```\nSo it is written.",
        f"`{written}`\n> {written}",
        f"<think>{written}</think>{written}",
        f"<think>{written}",
    ]
