"""Writes docs/paradigms.md: every paradigm, what a call looks like in it, and when to use it.

python docs/make_paradigm_table.py
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from pathlib import Path

from toolproto import ToolCall, ToolContextDef, get_paradigm
from toolproto.protocol.paradigms.registry import catalogued

PAGE = Path(__file__).parent / "paradigms.md"
SEEDS = ("json_strict", "xml_tag")
SAMPLE = ToolCall("get_weather", {"city": "Oslo"}, id="call_1")
_LONGEST = 90

_HEAD = """\
# Paradigms

A paradigm is a form in which a model writes its calls. Each paradigm in the table teaches its form
to the model, writes it, reads it whole or streamed, and also reads the usual mistakes in it.

```python
from toolproto import ToolCall, get_paradigm

hermes = get_paradigm("hermes")
written = hermes.encode_call(ToolCall("get_weather", {"city": "Oslo"}))
print(hermes.parse_response(written).calls[0].name)  # get_weather
```

`recommend("the-name-of-your-model")` chooses one by the name of the model. If the model has no form
of its own, take `xml_tag` or `function_tag`; for code and other long text, take `qwen3_coder` or
`raw_block`, in which nothing has to be escaped.

This table is written by `docs/make_paradigm_table.py`; ↵ stands for a line break.

| Name | A call | When to use it |
|---|---|---|
"""


def page() -> str:
    """The whole page."""
    return _HEAD + "".join(f"{row}\n" for row in _rows())


def _rows() -> Iterator[str]:
    names = sorted({*SEEDS, *(each.name for each in catalogued())})
    for paradigm in map(get_paradigm, names):
        cells = (_code(paradigm.name), _code(_short(_call(paradigm))), _use(paradigm))
        yield f"| {' | '.join(cells)} |"


def _call(paradigm: ToolContextDef) -> str:
    return paradigm.encode_call(SAMPLE)


def _use(paradigm: ToolContextDef) -> str:
    """The first line of what its class says about itself."""
    told = inspect.getdoc(type(paradigm)) or ""
    return told.partition("\n")[0].replace("|", "\\|")


def _short(call: str) -> str:
    """*call* without the middle of a long one: its two ends are what tells."""
    if len(call) <= _LONGEST:
        return call
    return f"{call[: _LONGEST * 2 // 3]} … {call[-_LONGEST // 3 :]}"


def _code(text: str) -> str:
    """*text* as code in the cell of a table."""
    fence = "````" if "```" in text else "``" if "`" in text else "`"
    pad = " " if "`" in text else ""
    escaped = text.replace("|", "\\|").replace("\n", "↵")
    return f"{fence}{pad}{escaped}{pad}{fence}"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
