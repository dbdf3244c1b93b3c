"""How well do we read the replies that real models wrote in the two seed families?

    python benchmarks/seed_corpus.py [--file CORPUS] [--show N]

A corpus is a file of JSON lines, gzipped or not: ``format_hint`` names the form the model was asked
for, ``raw_output`` is its reply, ``tools`` what it was offered, ``expected_calls`` what the reply
literally calls. *strict* rows are in the asked form, *hard* rows are not, *no-call* rows hold no
call, and every call read from one is false. A row counts as right if all calls are, in any order.

Beside our reader stands the baseline that most programs have: a plain regular expression for the
tag or the first bracket, and json_repair for what it finds.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import json_repair

from toolproto import (
    JsonCall,
    ToolContextDef,
    ToolOffer,
    ToolSpec,
    WireFormat,
    WireParadigm,
    get_paradigm,
)

__all__ = ["baseline", "parse"]

CORPUS = Path(__file__).parents[2] / "shared" / "corpus" / "dev.jsonl.gz"

_TOOL_CALL = ("<tool_call>", "</tool_call>")
_TOOLS = ("<tools>", "</tools>")
TAGGED = {
    "tool_call_tag_json": WireFormat(_TOOL_CALL, result="tool_response"),
    "hermes_tool_call": WireFormat(_TOOL_CALL, result="tool_response"),
    "pv_json_tagged": WireFormat(
        _TOOL_CALL, JsonCall("function_name", "parameters"), "tool_response"
    ),
    "granite_function_call_tag": WireFormat(
        ("<function_call>", "</function_call>"), result="tool_response"
    ),
    "qwen_coder_hermes_results": WireFormat(_TOOL_CALL, result="tool_response"),
    "qwen_coder_default_results": WireFormat(_TOOL_CALL, result="tool_response"),
    "qwen_coder_edge_case_results": WireFormat(_TOOLS, result="tool_response"),
    "qwen_coder_tools_results": WireFormat(_TOOLS, result="tool_response"),
}
BARE = frozenset(
    {
        "xlam_json_tool_calls",
        "free_json_tool_call",
        "llama31_json_parameters",
        "pv_json",
        "xlam2_json_array",
        "json_steps_tool_param",
        "openhands_json_action",
    }
)

Row = dict[str, Any]
Calls = list[dict[str, Any]]
Parse = Callable[[str, Any, str], Calls]


# --- the readers


def parse(text: str, tools: Any, format_hint: str) -> Calls:
    """The calls in *text*; none for a format of another family."""
    paradigm = _paradigm(format_hint)
    if paradigm is None:
        return []
    found = paradigm.parse_response(text, _offer(tools)).calls
    return [{"name": call.name, "arguments": dict(call.arguments)} for call in found]


@cache
def _paradigm(hint: str) -> ToolContextDef | None:
    if hint in TAGGED:
        return _tagged(TAGGED[hint])
    return get_paradigm("json_strict") if hint in BARE else None


def _tagged(format: WireFormat) -> ToolContextDef:
    class Tagged(WireParadigm):
        name = "tagged"
        wire = format

    return Tagged()


def _offer(tools: Any) -> ToolOffer:
    """Rows are as models saw them: not every definition is one that we would let a program make."""
    functions = [tool.get("function", tool) for tool in tools or ()]
    return ToolOffer(
        tuple(
            ToolSpec(f["name"], str(f.get("description", "")), f.get("parameters") or {})
            for f in functions
            if isinstance(f, dict) and isinstance(f.get("name"), str)
        )
    )


_NAMES = ("name", "function_name", "tool_name", "tool", "action", "function")
_ARGUMENTS = ("arguments", "parameters", "params", "param", "args", "action_input")


def baseline(text: str, tools: Any, format_hint: str) -> Calls:
    """What a regular expression and json_repair make of *text*."""
    if format_hint in TAGGED:
        opener, closer = map(re.escape, TAGGED[format_hint].call)
        bodies = re.findall(rf"{opener}(.*?)(?:{closer}|\Z)", text, re.DOTALL)
    else:
        bodies = re.findall(r"[\[{].*", text, re.DOTALL)
    return [call for body in bodies for call in _calls_in(json_repair.loads(body))]


def _calls_in(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, list):
        for item in value:
            yield from _calls_in(item)
    elif isinstance(value, dict) and "tool_calls" in value:
        yield from _calls_in(value["tool_calls"])
    elif isinstance(value, dict):
        name: Any = next((value[key] for key in _NAMES if key in value), None)
        arguments: Any = next((value[key] for key in _ARGUMENTS if key in value), {})
        if isinstance(name, str) and isinstance(arguments, dict):
            yield {"name": name, "arguments": arguments}


# --- the scoring


def rows(path: Path) -> Iterator[Row]:
    """The rows of the seed families whose truth is established."""
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            if _paradigm(row["format_hint"]) and _is_established(row["expected_calls"]):
                yield row


def _is_established(truth: Calls | None) -> bool:
    # An argument called __input__ is a call whose arguments nobody could make out.
    return truth is not None and not any(
        isinstance(call.get("arguments"), dict) and "__input__" in call["arguments"]
        for call in truth
    )


def same(found: Iterable[Any], truth: Iterable[Any]) -> bool:
    """Equal as sets of calls, ``1`` and ``1.0`` being one number and ``True`` not."""
    return _canonical(found) == _canonical(truth)


def _canonical(calls: Iterable[Any]) -> list[str]:
    plain = ([call.get("name"), _floats(call.get("arguments"))] for call in calls)
    return sorted(json.dumps(call, sort_keys=True, default=str) for call in plain)


def _floats(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _floats(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_floats(item) for item in value]
    return float(value) if isinstance(value, int) and not isinstance(value, bool) else value


def kind(row: Row) -> str:
    if not row["expected_calls"]:
        return "no-call"
    return "strict" if row.get("parse_truth_by") == "strict" else "hard"


def read(reader: Parse, row: Row) -> Calls | Exception:
    """What *reader* finds; an exception is a finding too, and never right."""
    try:
        return reader(row["raw_output"], row.get("tools"), row["format_hint"]) or []
    except Exception as error:
        return error


# --- the table

KINDS = ("strict", "hard", "no-call")
ALL = "all"
READERS: dict[str, Parse] = {"ours": parse, "baseline": baseline}


def score(path: Path, show: int) -> dict[str, Counter[str]]:
    """How many rows of each kind each reader gets right, by format hint and altogether."""
    table: dict[str, Counter[str]] = defaultdict(Counter)
    for row in rows(path):
        groups = (table[ALL], table[row["format_hint"]])
        for group in groups:
            group[kind(row)] += 1
        for name, reader in READERS.items():
            found = read(reader, row)
            right = not isinstance(found, Exception) and same(found, row["expected_calls"])
            for group in groups:
                group[f"{name} {kind(row)}"] += right
                group[f"{name} raised"] += isinstance(found, Exception)
            if name == "ours" and not right and show > 0:
                show -= 1
                show_miss(row, found)
    return table


def show_miss(row: Row, found: Calls | Exception) -> None:
    print(f"--- {row['id']} {row['format_hint']} {row.get('malformations')}")
    print(f"{row['raw_output'][:600]}\nwant {row['expected_calls']}\ngot  {found}\n")


def print_table(table: dict[str, Counter[str]]) -> None:
    print(f"{'% of rows read exactly':32}" + "".join(f"{name:>21}" for name in KINDS))
    print(f"{'':32}" + "".join(f"{'ours':>6} {'base':>6} {'rows':>7}" for _ in KINDS))
    for hint, counts in sorted(table.items(), key=lambda item: (item[0] == ALL, item[0])):
        print(f"{hint:32}" + "".join(_cell(counts, name) for name in KINDS))
    for name in READERS:
        print(f"{name} raised on {table[ALL][f'{name} raised']} rows")


def _cell(counts: Counter[str], name: str) -> str:
    if not counts[name]:
        return f"{'-':>21}"
    ours, base = (100 * counts[f"{reader} {name}"] / counts[name] for reader in READERS)
    return f"{ours:6.1f} {base:6.1f} {counts[name]:7}"


def print_bars(counts: Counter[str]) -> None:
    print("\nbars")
    right = {name: 100 * counts[f"ours {name}"] / max(counts[name], 1) for name in KINDS}
    for told, value, passes in (
        ("strict rows read exactly, >= 99 %", right["strict"], right["strict"] >= 99),
        ("hard rows read exactly, >= 90 %", right["hard"], right["hard"] >= 90),
        ("false calls, <= 0.5 %", 100 - right["no-call"], right["no-call"] >= 99.5),
    ):
        print(f"  {'PASS' if passes else 'FAIL'}  {told:36}{value:6.1f} %")


def main() -> None:
    options = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    options.add_argument("--file", type=Path, default=CORPUS)
    options.add_argument("--show", type=int, default=0, metavar="N", help="print that many misses")
    given = options.parse_args()
    if not given.file.exists():
        print(f"no corpus at {given.file}: name one with --file")
        return
    table = score(given.file, given.show)
    print_table(table)
    print_bars(table[ALL])


if __name__ == "__main__":
    main()
