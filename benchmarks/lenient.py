"""How faithfully, and how fast, broken JSON is read: ours, json_repair, the standard library.

Ours three times: the reader alone, knowing its keys or not, and as part of a whole reply.

``python benchmarks/lenient.py [--count 1500] [--seed 1]``

A payload counts as read when the value is identical to the one that was meant, to the last
character. It is *silently wrong* when another value comes back with nothing to warn of it.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from compare import add_figures_option, keep_figures

if __name__ == "__main__":  # run from a checkout, installed or not
    sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parent.parent)]

from defects import KEYS, KINDS, Defect, defects

from toolproto import ToolOffer, ToolSpec, get_paradigm
from toolproto.protocol.decoding.values.lenient import read_json
from toolproto.protocol.decoding.values.strict import Reading
from toolproto.protocol.messages import Grade

WRITE_FILE = ToolSpec(
    "write_file",
    "",
    {
        "type": "object",
        "properties": {"path": {"type": "string"}, "content": {"type": "string"}},
        "required": ["path", "content"],
    },
)

# A reader's answer: the value, and whether anything warns of it. None: it refused.
Answer = tuple[Any, bool] | None
Reader = Callable[[str], Answer]

# What makes a careless reader slow, each repeated to the asked length behind a prefix.
HOSTILE = (
    ("", "{"),
    ("", "["),
    ("[", '"'),
    ('{"a": "', "\\"),
    ('{"a": "', '\\"'),
    ("{'a': '", "'"),
    ("{", '"a":'),
    ("", '{"a":['),
    ("[", ","),
    ("[", "\"'"),
    ('{"a": "', 'b "c" d'),
    ('{"a": "', 'b", c'),
    ('{"a": "x"y', '"}'),
    ('{"a": "', '", "b": '),
    ("[", '"\\d",'),
    ("[", "1,"),
    ("[", "/*x*/"),
    ("[", "//\n"),
    ("{", "a:1,"),
    ("[", "f("),
)


@dataclass(slots=True)
class Score:
    """What one reader made of one kind of payload."""

    total: int = 0
    identical: int = 0
    silently_wrong: int = 0
    seconds: float = 0.0

    def add(self, other: Score) -> None:
        self.total += other.total
        self.identical += other.identical
        self.silently_wrong += other.silently_wrong
        self.seconds += other.seconds


def ours(keys: frozenset[str] | None) -> Reader:
    """``read_json``, with or without the keys it may expect."""

    def read(text: str) -> Answer:
        reading = read_json(text, 0, keys)
        if not isinstance(reading, Reading):
            return None
        return reading.value, any(r.grade is not Grade.LOSSLESS for r in reading.repairs)

    return read


def through(name: str, before: str, behind: str) -> Reader:
    """A whole reply in a paradigm, the payload where its call stands."""
    paradigm, offer = get_paradigm(name), ToolOffer((WRITE_FILE,))

    def read(text: str) -> Answer:
        calls = paradigm.parse_response(f"{before}{text}{behind}", offer).calls
        if not calls:
            return None
        warned = len(calls) > 1 or calls[0].grade not in (None, Grade.LOSSLESS)
        return {"name": calls[0].name, "arguments": dict(calls[0].arguments)}, warned

    return read


def standard_library(text: str) -> Answer:
    """``json.loads``."""
    try:
        return json.loads(text), False
    except (ValueError, RecursionError):
        return None


def json_repair_reader() -> Reader | None:
    """``json_repair.loads``, where it is installed."""
    try:
        import json_repair
    except ImportError:
        return None

    def read(text: str) -> Answer:
        try:
            return json_repair.loads(text), False
        except (ValueError, RecursionError):
            return None

    return read


def readers() -> dict[str, Reader]:
    """The readers that are compared, by the heading of their columns."""
    found: dict[str, Reader | None] = {
        "ours": ours(KEYS),
        "ours, no keys": ours(None),
        "xml_tag": through("xml_tag", "<tool_code>", "</tool_code>"),
        "json_strict": through("json_strict", '{"tool_calls": [', "]}"),
        "json_repair": json_repair_reader(),
        "json": standard_library,
    }
    return {name: reader for name, reader in found.items() if reader is not None}


def score(read: Reader, payload: Defect) -> Score:
    """Read one payload and compare."""
    began = time.process_time()
    answer = read(payload.text)
    seconds = time.process_time() - began
    identical = answer is not None and answer[0] == payload.value
    silent = answer is not None and not identical and not answer[1]
    return Score(1, int(identical), int(silent), seconds)


def tally(read: Reader, payloads: Iterable[Defect]) -> dict[str, Score]:
    """One reader's scores by kind, and the total."""
    scores = {kind: Score() for kind in (*KINDS, "total")}
    for payload in payloads:
        result = score(read, payload)
        scores[payload.kind].add(result)
        scores["total"].add(result)
    return scores


def print_accuracy(payloads: list[Defect]) -> dict[str, float]:
    """Identical values, silently wrong ones and the time per payload; the ratios of them."""
    columns = {name: tally(read, payloads) for name, read in readers().items()}
    print("identical of total · silently wrong · ms per payload\n")
    print(f"{'':20}" + "".join(f"{name:>25}" for name in columns))
    for kind in (*KINDS, "total"):
        print(f"{kind:20}" + "".join(_cell(scores[kind]) for scores in columns.values()))
    return ratios({name: scores["total"] for name, scores in columns.items()})


def ratios(totals: dict[str, Score]) -> dict[str, float]:
    """What compare.py looks at."""
    ours = {name: each for name, each in totals.items() if name not in ("json_repair", "json")}
    found = {f"{name}: read right": each.identical / each.total for name, each in ours.items()}
    found["silently wrong"] = max(each.silently_wrong for each in ours.values())
    if "json_repair" in totals:
        found["time / json_repair"] = totals["ours"].seconds / totals["json_repair"].seconds
    return found


def _cell(result: Score) -> str:
    milliseconds = 1000 * result.seconds / max(1, result.total)
    share = f"{result.identical}/{result.total}"
    return f"{share:>11}{result.silently_wrong:>6}{milliseconds:>8.2f}"


def seconds_for(prefix: str, pattern: str, length: int) -> float:
    """CPU time to read a hostile text, the better of two."""
    text = prefix + pattern * (length // len(pattern))
    return min(_seconds(text) for _ in range(2))


def _seconds(text: str) -> float:
    began = time.process_time()
    read_json(text)
    return time.process_time() - began


def print_growth(length: int = 1_000_000) -> float:
    """Time for hostile texts, and how it grows when the text doubles; the most it does."""
    most = 0.0
    print(f"\n{'hostile text':30}{'half':>10}{'1 MB':>10}{'growth':>10}")
    for prefix, pattern in HOSTILE:
        half, whole = (seconds_for(prefix, pattern, n) for n in (length // 2, length))
        name = f"{prefix}{pattern}…"
        growth = whole / max(half, 1e-6)
        most = max(most, growth)
        print(f"{name!r:30}{half:>9.3f}s{whole:>9.3f}s{growth:>9.1f}x")
    return most


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1500)
    parser.add_argument("--seed", type=int, default=1)
    add_figures_option(parser)
    options = parser.parse_args()
    figures = print_accuracy(list(defects(options.count, options.seed)))
    figures["worst growth for twice the text"] = print_growth()
    keep_figures(options.figures, figures)


if __name__ == "__main__":
    main()
