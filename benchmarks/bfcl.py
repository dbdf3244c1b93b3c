"""How well does a model call, and hold back, in each way of asking? BFCL's requests and judge.

    python benchmarks/bfcl.py --endpoint http://localhost:8080/v1 --model NAME --out bfcl/
    python benchmarks/bfcl.py --local --limit 5 --ways json_strict,xml_tag/reticent,array

A *way* is a paradigm, with a preset of teaching behind a slash; ``array`` is what people write by
hand: the schemas, and "respond only with a JSON array". Replies are kept in ``OUT/replies.jsonl``
and not asked for again, so a run that was stopped goes on. ``--half held`` asks the requests whose
id has an odd CRC-32: develop on the others, and judge on these.

Requests and judge come from the package ``bfcl-eval``. It names exact versions of the packages of
every provider; its judge needs few of them:

    pip install --no-deps bfcl-eval
    pip install tree_sitter==0.21.3 tree-sitter-java==0.21.0 tree-sitter-javascript==0.21.4 \\
        filelock tenacity python-dotenv numpy
"""

from __future__ import annotations

import argparse
import importlib
import json
import math
import os
import sys
import tempfile
import types
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from toolproto import ChatRequest, Message, ToolCall, ToolOffer, get_paradigm, parse_any
from toolproto.endpoints import HttpEndpoint, LocalEndpoint
from toolproto.protocol.schemas.tame import tame
from toolproto.protocol.tools.check import check_call
from toolproto.protocol.tools.spec import spec_from_openai
from toolproto.testing.probe.intervals import Share, share_of

CALLING = ("simple_python", "multiple", "parallel", "parallel_multiple")
CALLING += ("live_simple", "live_multiple")
HOLDING_BACK = ("irrelevance", "live_irrelevance")
SYSTEM = "You are a helpful assistant."
ARRAY = (
    "{system}\n\nYou have access to the following tools (JSON Schema):\n\n{tools}\n\n"
    "If a tool is needed, respond only with a JSON array of tool calls: "
    '[{{"name": "<tool name>", "arguments": {{...}}}}]. Otherwise answer normally.'
)
#: What BFCL calls the types of JSON Schema, where it has names of its own.
TYPES = {"dict": "object", "float": "number", "double": "number", "long": "integer"}
TYPES |= {"tuple": "array", "list": "array", "bool": "boolean", "String": "string"}
TYPES |= {"char": "string"}


# --- requests


@dataclass(frozen=True)
class Case:
    """One request: the tools, what was said, and what BFCL's judge needs."""

    row: Mapping[str, Any]
    category: str
    offer: ToolOffer
    system: str
    said: tuple[Message, ...]

    @property
    def id(self) -> str:
        return str(self.row["id"])

    @property
    def is_held_out(self) -> bool:
        return zlib.crc32(self.id.encode()) % 2 == 1


class Bfcl:
    """The data and the judge of ``bfcl-eval``, without the clients of forty providers."""

    def __init__(self) -> None:
        # The judge asks this module for one switch; loading it would load every provider.
        names = types.ModuleType("bfcl_eval.constants.model_config")
        names.MODEL_CONFIG_MAPPING = _PlainNames()  # type: ignore[attr-defined]
        sys.modules["bfcl_eval.constants.model_config"] = names
        os.environ.setdefault("BFCL_PROJECT_ROOT", tempfile.mkdtemp(prefix="bfcl-"))
        self.data = Path(_part("bfcl_eval").__file__).parent / "data"

    @cached_property
    def _judge(self) -> Any:
        python = _part("bfcl_eval.constants.enums").Language.PYTHON
        checker = _part("bfcl_eval.eval_checker.ast_eval.ast_checker").ast_checker
        return lambda functions, told, due, category: checker(
            functions, told, due, python, category, "plain"
        )

    def cases(self, category: str) -> Iterator[Case]:
        """The requests of *category* whose tools have different names."""
        answers = self.data / "possible_answer" / f"BFCL_v4_{category}.json"
        due = {row["id"]: row["ground_truth"] for row in rows(answers)} if answers.exists() else {}
        for row in rows(self.data / f"BFCL_v4_{category}.json"):
            names = [tool["name"] for tool in row["function"]]
            if names and len(set(names)) == len(names):
                yield _case({**row, "due": due.get(row["id"])}, category)

    def is_right(self, case: Case, calls: Sequence[ToolCall]) -> bool:
        """Whether *calls* are what was due; where no tool fits, none is."""
        if case.category in HOLDING_BACK:
            return not calls
        if not calls:
            return False
        told = [{call.name: plain(call.arguments)} for call in calls]
        functions = case.row["function"]
        try:
            verdict = self._judge(functions, told, case.row["due"], case.category)
        except Exception:  # it raises on values of types that it does not expect
            return False
        return bool(verdict["valid"])


def _part(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        sys.exit(f"{error}; how to install bfcl-eval stands at the top of {__file__}")


class _PlainNames(dict[str, Any]):
    def __missing__(self, _: str) -> Any:
        return types.SimpleNamespace(underscore_to_dot=False)


def rows(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as file:
        yield from (json.loads(line) for line in file if line.strip())


def _case(row: Mapping[str, Any], category: str) -> Case:
    said = [Message(each["role"], each["content"]) for each in row["question"][0]]
    system = next((each.content for each in said if each.role == "system"), SYSTEM)
    tools = tuple(
        spec_from_openai({"type": "function", "function": {**tool, "parameters": parameters}})
        for tool in row["function"]
        for parameters in [tame(standard(tool["parameters"]))[0]]
    )
    others = tuple(each for each in said if each.role != "system")
    return Case(row, category, ToolOffer(tools), system, others)


def standard(schema: Any) -> Any:
    """BFCL's dialect of JSON Schema in the standard one."""
    if isinstance(schema, list):
        return [standard(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    kept = {key: value for key, value in schema.items() if key != "optional"}
    if isinstance(kept.get("type"), str):
        kept["type"] = TYPES.get(kept["type"], kept["type"])
        if kept["type"] == "any":
            del kept["type"]
    for key in ("items", "additionalProperties", "anyOf", "oneOf", "allOf"):
        if key in kept:
            kept[key] = standard(kept[key])
    if isinstance(kept.get("properties"), dict):
        kept["properties"] = {name: standard(each) for name, each in kept["properties"].items()}
    return kept


def plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: plain(each) for key, each in value.items()}
    return [plain(each) for each in value] if isinstance(value, list | tuple) else value


# --- ways of asking


@dataclass(frozen=True)
class Way:
    """A paradigm with a preset of teaching, or the prompt for an array."""

    name: str

    def __post_init__(self) -> None:
        if self.name != "array":
            self._paradigm()

    def _paradigm(self) -> Any:
        name, _, teaching = self.name.partition("/")
        return get_paradigm(name, teaching=teaching or None, salvage=True)

    def messages(self, case: Case) -> tuple[Message, ...]:
        """What the model is asked."""
        if self.name == "array":
            tools = [
                {
                    "name": tool.name,
                    "description": tool.description,
                    "parameters": plain(tool.parameters),
                }
                for tool in case.offer.tools
            ]
            shown = json.dumps(tools, indent=2, ensure_ascii=False)
            system = ARRAY.format(system=case.system, tools=shown)
        else:
            system = self._paradigm().splice_system_prompt(case.system, case.offer)
        return (Message("system", system), *case.said)

    def calls(self, text: str, case: Case) -> list[ToolCall]:
        """The calls in the reply *text* that would run."""
        if self.name == "array":
            parsed = parse_any(text, case.offer)
        else:
            parsed = self._paradigm().parse_response(text, case.offer)
        checked = (check_call(call, case.offer, near_names=True) for call in parsed.calls)
        return [call for call in checked if isinstance(call, ToolCall)]


# --- asking and judging


class Kept:
    """What was answered in each way to each request, in a file.

    A line that was cut off does not count: that request is asked again.
    """

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._path = path
        self.known: dict[tuple[str, str], Any] = {}
        for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else ():
            try:
                row = json.loads(line)
                self.known[row["way"], row["id"]] = row["answer"]
            except (ValueError, KeyError, TypeError):
                continue

    def add(self, way: str, id: str, answer: Any) -> None:
        self.known[way, id] = answer
        with self._path.open("a", encoding="utf-8") as file:
            row = {"way": way, "id": id, "answer": answer}
            file.write(json.dumps(row, ensure_ascii=False, default=str) + "\n")


def ask(endpoint: Any, way: Way, case: Case, tokens: int) -> str:
    """The whole reply of the model."""
    params = {"temperature": 0, "max_tokens": tokens}
    request = ChatRequest(way.messages(case), params=params)
    with endpoint.stream(request) as chunks:
        return "".join(chunk.text for chunk in chunks)


def print_table(ways: Sequence[Way], right: Mapping[str, Mapping[str, bool]], cases: Any) -> None:
    """A row for each way, and how it differs from the first by the same requests."""
    print("| way | calls right | holds back | against the first: calls, holding back |")
    print("|---|---|---|---|")
    first = right[ways[0].name]
    for way in ways:
        cells, apart = [], []
        for due in (True, False):
            ids = [case.id for case in cases if (case.category in CALLING) is due]
            marks = right[way.name]
            cells.append(shown(share_of(marks[id] for id in ids if id in marks)))
            both = [id for id in ids if id in marks and id in first]
            won = sum(marks[id] and not first[id] for id in both)
            lost = sum(first[id] and not marks[id] for id in both)
            apart.append(
                f"{100 * (won - lost) / max(1, len(both)):+.1f} (p={exact(won, lost):.2g})"
            )
        told = ", ".join(apart) if way != ways[0] else ""
        print(f"| {way.name} | {' | '.join(cells)} | {told} |", flush=True)


def shown(share: Share) -> str:
    if share.value is None:
        return "-"
    return f"{100 * share.value:.1f} ({100 * share.low:.0f}–{100 * share.high:.0f})"


def exact(won: int, lost: int) -> float:
    """McNemar's exact test of two sides: how likely so uneven a score is by chance."""
    n, least = won + lost, min(won, lost)
    return min(1.0, 2 * sum(math.comb(n, each) for each in range(least + 1)) / 2**n)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--endpoint", help="an OpenAI-style base URL")
    parser.add_argument("--model", default="default")
    parser.add_argument("--local", nargs="?", const="smollm2", help="a model in this process")
    parser.add_argument("--ways", default="json_strict,json_strict/classic,array")
    parser.add_argument("--categories", default=",".join((*CALLING, *HOLDING_BACK)))
    parser.add_argument("--half", choices=("develop", "held", "all"), default="all")
    parser.add_argument("--limit", type=int, help="requests of each category")
    parser.add_argument("--tokens", type=int, default=448, help="how long a reply may be")
    parser.add_argument("--out", type=Path, default=Path("bfcl"), help="where replies are kept")
    options = parser.parse_args()
    if not (options.endpoint or options.local):
        parser.error("which model? give --endpoint URL or --local")
    bfcl, ways = Bfcl(), [Way(name) for name in options.ways.split(",")]
    wanted = {"develop": (False,), "held": (True,), "all": (False, True)}[options.half]
    cases = [
        case
        for category in options.categories.split(",")
        for case in [each for each in bfcl.cases(category) if each.is_held_out in wanted][
            : options.limit
        ]
    ]
    replies = Kept(options.out / "replies.jsonl")
    endpoint = (
        LocalEndpoint(options.local)
        if options.local
        else HttpEndpoint(options.endpoint, model=options.model)
    )
    right: dict[str, dict[str, bool]] = {way.name: {} for way in ways}
    try:
        for number, case in enumerate(cases, 1):
            for way in ways:
                if (way.name, case.id) not in replies.known:
                    replies.add(way.name, case.id, ask(endpoint, way, case, options.tokens))
                calls = way.calls(replies.known[way.name, case.id], case)
                right[way.name][case.id] = bfcl.is_right(case, calls)
            print(f"{number} of {len(cases)}: {case.id}", file=sys.stderr)
    except KeyboardInterrupt:
        print("stopped; the same command goes on from here", file=sys.stderr)
    finally:
        endpoint.close()
    print_table(ways, right, cases)


if __name__ == "__main__":
    main()
