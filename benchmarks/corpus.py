"""How well do we read the replies that real models wrote?

    python benchmarks/corpus.py [--file CORPUS] [--by format|malformation] [--show N]

A corpus is a file of JSON lines, gzipped or not: ``format_hint`` names the form the model was asked
for, ``raw_output`` is its reply, ``tools`` what it was offered, ``expected_calls`` what the reply
literally calls. *strict* rows are in the asked form, *hard* rows are not, *no-call* rows hold no
call, and every call read from one is false. A row counts as right if all calls are, in any order.

Five readers:

- *asked*: the paradigm that stands for the asked form, with ``salvage=True``.
- *any*: ``parse_any``, which is told nothing but the tools.
- *native*: what reads the answers of services that have tools, of which the reply is the content:
  it leaves calls in fences alone, and those without a marker that other text stands beside.
- *repair*: what most programs have: a regular expression for the first bracket, and json_repair.
- *regex*: a regular expression for ``{...}`` or ``name(...)``, and a strict reader behind it.
"""

from __future__ import annotations

import argparse
import ast
import gzip
import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import json_repair
from compare import add_figures_option, keep_figures

from toolproto import (
    CallCompleted,
    ToolCall,
    ToolContextDef,
    ToolOffer,
    ToolSpec,
    get_paradigm,
    parse_any,
)
from toolproto.protocol.native import NativeReader

__all__ = ["baseline", "parse", "parse_without_hint", "regex"]

CORPUS = Path(__file__).parents[2] / "shared" / "corpus" / "dev.jsonl.gz"

#: The paradigm that stands for an asked form; json_strict for any other.
ASKED = {
    "bfcl_python_list": "bfcl_python",
    "pv_python": "bfcl_python",
    "python_one_line": "pythonic",
    "openfunctions_bare_calls": "pythonic",
    "raven_semicolon_calls": "pythonic",
    "pv_python_tagged": "bfcl_python_tagged",
    "tool_call_tag_json": "hermes",
    "hermes_tool_call": "hermes",
    "pv_json_tagged": "hermes",
    "qwen_coder_hermes_results": "hermes",
    "pv_xml": "xml_strict",
    "pv_xml_tagged": "qwen3_coder",
    "xml_function_parameter": "openhands",
    "function_eq_tag_json": "function_tag",
    "granite_function_call_tag": "granite_20b_fc",
    "xlam2_json_array": "xlam",
    "json_steps_tool_param": "xlam",
    "llama31_json_parameters": "llama3_json",
    "glm_name_newline_json": "functionary_v32",
    "function_call_fence_json": "fenced_json",
    "react_text": "react",
    "react_bracket": "react",
}

Row = dict[str, Any]
Calls = list[dict[str, Any]]
Parse = Callable[[str, Any, str], Calls]


# --- the readers


def parse(text: str, tools: Any, format_hint: str) -> Calls:
    """The calls in *text*, read by the paradigm that was asked for."""
    return _told(_paradigm(format_hint).parse_response(text, _offer(tools)).calls)


def parse_without_hint(text: str, tools: Any, format_hint: str) -> Calls:
    """The calls in *text*, whatever its form."""
    return _told(parse_any(text, _offer(tools)).calls)


def parse_lost(text: str, tools: Any, format_hint: str) -> Calls:
    """The calls in *text*, sent as its content by a service that lost them."""
    reader = NativeReader(_offer(tools))
    events = [event for at in range(0, len(text), 7) for event in reader.feed(text[at : at + 7])]
    done = [*events, *reader.finish("stop")]
    return _told(event.call for event in done if isinstance(event, CallCompleted))


@cache
def _paradigm(hint: str) -> ToolContextDef:
    return get_paradigm(ASKED.get(hint, "json_strict"), salvage=True)


def _told(calls: Iterable[ToolCall]) -> Calls:
    return [{"name": call.name, "arguments": dict(call.arguments)} for call in calls]


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
    bodies = re.findall(r"[\[{].*", text, re.DOTALL)
    return [call for body in bodies for call in _calls_in(json_repair.loads(body))]


def regex(text: str, tools: Any, format_hint: str) -> Calls:
    """What regular expressions and strict readers make of *text*."""
    found = re.search(r"\[?\s*\{.*\}\s*\]?", text, re.DOTALL)
    if found:
        try:
            return list(_calls_in(json.loads(found.group())))
        except ValueError:
            return []
    return [call for part in re.findall(r"[\w.]+\([^()]*\)", text) for call in _python(part)]


def _python(text: str) -> Iterator[dict[str, Any]]:
    call = ast.parse(text, mode="eval").body
    if isinstance(call, ast.Call):
        named = {word.arg: ast.literal_eval(word.value) for word in call.keywords if word.arg}
        yield {"name": ast.unparse(call.func), "arguments": named}


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
    """The rows whose truth is established."""
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            if _is_established(row["expected_calls"]):
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
READERS: dict[str, Parse] = {
    "asked": parse,
    "any": parse_without_hint,
    "native": parse_lost,
    "repair": baseline,
    "regex": regex,
}


def score(path: Path, by: str, show: int) -> dict[str, Counter[str]]:
    """How many rows of each kind each reader gets right, by group and altogether."""
    table: dict[str, Counter[str]] = defaultdict(Counter)
    for row in rows(path):
        classes = row.get("malformations") or ["(none)"]
        names = [row["format_hint"]] if by == "format" else classes
        groups = [table[name] for name in (ALL, *names)]
        for group in groups:
            group[kind(row)] += 1
        for name, reader in READERS.items():
            found = read(reader, row)
            right = not isinstance(found, Exception) and same(found, row["expected_calls"])
            for group in groups:
                group[f"{name} {kind(row)}"] += right
                group[f"{name} raised"] += isinstance(found, Exception)
            if name == "asked" and not right and show > 0:
                show -= 1
                show_miss(row, found)
    return table


def show_miss(row: Row, found: Calls | Exception) -> None:
    print(f"--- {row['id']} {row['format_hint']} {row.get('malformations')}")
    print(f"{row['raw_output'][:600]}\nwant {row['expected_calls']}\ngot  {found}\n")


def print_table(table: dict[str, Counter[str]]) -> None:
    width = 7 * len(READERS) + 7
    print(f"{'% of rows read exactly':36}" + "".join(f"{name:>{width}}" for name in KINDS))
    columns = "".join(f"{name:>7}" for name in READERS) + f"{'rows':>7}"
    print(f"{'':36}" + columns * len(KINDS))
    for group, counts in sorted(table.items(), key=lambda item: (item[0] == ALL, item[0])):
        print(f"{group:36}" + "".join(_cell(counts, name, width) for name in KINDS))
    for name in READERS:
        print(f"{name} raised on {table[ALL][f'{name} raised']} rows")


def _cell(counts: Counter[str], name: str, width: int) -> str:
    if not counts[name]:
        return f"{'-':>{width}}"
    shares = (100 * counts[f"{reader} {name}"] / counts[name] for reader in READERS)
    return "".join(f"{share:7.1f}" for share in shares) + f"{counts[name]:7}"


def print_bars(counts: Counter[str]) -> None:
    print("\nbars")
    right = {name: 100 * counts[f"asked {name}"] / max(counts[name], 1) for name in KINDS}
    for told, value, passes in (
        ("strict rows read exactly, >= 99.5 %", right["strict"], right["strict"] >= 99.5),
        ("hard rows read exactly, >= 92 %", right["hard"], right["hard"] >= 92),
        ("false calls, <= 0.5 %", 100 - right["no-call"], right["no-call"] >= 99.5),
    ):
        print(f"  {'PASS' if passes else 'FAIL'}  {told:36}{value:7.2f} %")


def ratios(counts: Counter[str]) -> dict[str, float]:
    """What compare.py looks at: the shares that are read right, and how many others are wrong."""
    found: dict[str, float] = {}
    for name in KINDS:
        for reader in ("asked", "any"):
            found[f"{reader}, {name}: read right"] = counts[f"{reader} {name}"] / counts[name]
    found["native, no-call: read right"] = counts["native no-call"] / counts["no-call"]
    return found


def main() -> None:
    options = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    options.add_argument("--file", type=Path, default=CORPUS)
    options.add_argument("--by", choices=("format", "malformation"), default="format")
    options.add_argument("--show", type=int, default=0, metavar="N", help="print that many misses")
    add_figures_option(options)
    given = options.parse_args()
    if not given.file.exists():
        print(f"no corpus at {given.file}: name one with --file")
        keep_figures(given.figures, {})
        return
    table = score(given.file, given.by, given.show)
    print_table(table)
    print_bars(table[ALL])
    keep_figures(given.figures, ratios(table[ALL]))


if __name__ == "__main__":
    main()
