"""How fast is a long argument read while it streams in, and what does that cost in memory?

    python benchmarks/streaming.py [--quick] [--json FILE]

The reply is one ``write_file`` call whose content is the standard library's own source, as
JSON_Strict and as XML_Tag write it. Beside our decoder, in the same run:

- *buffer*: append the chunks to a list, one ``json.loads`` at the end. The floor: it says nothing
  until the reply is over.
- *object*: the same buffer behind ``feed`` and ``finish``, as a decoder is.
- *jiter*: parse all that has come, at every delta, in partial mode, as inference engines do.
  Quadratic, so it stops at 16k (single characters) or 64k, and a dash stands where it was not run.
- *repair*: json_repair's own parser (not the ``json.loads`` it tries first) once, at the end.
  Quadratic as well on code, and 256k take it 100 s, so it stops at 16k, or 64k in one piece.
- *repair/delta*: the same at every delta, up to 4k in chunks of 64 (in chunks of 4 that took 11 s).

Every chunk of ours gives its own delta: the last bar says how many did not.

A star marks a value that came back different from what was written.

Times are CPU time, the best of several rounds in which the readers take turns. Peak memory is
measured by tracemalloc in a run of its own; the reply does not count, and nobody keeps the chunks
or the events but the reader.
"""

from __future__ import annotations

import argparse
import gc
import json
import math
import os
import time
import tracemalloc
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from io import StringIO
from pathlib import Path
from typing import Any

import jiter
import json_repair
from compare import add_figures_option, keep_figures

from toolproto import (
    ArgumentsDelta,
    ArgumentStrings,
    CallCompleted,
    Event,
    ToolCall,
    ToolOffer,
    ToolSpec,
    get_paradigm,
)

K = 1024
SIZES = (K, 4 * K, 16 * K, 64 * K, 256 * K, 1024 * K)
QUICK_SIZES = (4 * K, 64 * K, 256 * K, 1024 * K)
WHOLE = 0
CHUNKS = (1, 4, 64, WHOLE)
QUICK_CHUNKS = (4, WHOLE)
OFFER = ToolOffer(
    (
        ToolSpec(
            "write_file",
            "Write a file.",
            {
                "type": "object",
                "properties": {"path": {"type": "string"}, "content": {"type": "string"}},
                "required": ["path", "content"],
            },
        ),
    )
)
# What stands before and behind the JSON of a call, which the other readers are told.
AROUND = {"json_strict": ("", ""), "xml_tag": ("<tool_code>", "</tool_code>")}


# --- the work


@dataclass(frozen=True)
class Case:
    """One reply, how it is cut, and the arguments that should be read from it."""

    paradigm: str
    size: int
    chunk: int
    arguments: dict[str, str] = field(repr=False)
    text: str = field(repr=False)

    def pieces(self) -> Iterator[str]:
        """The reply in chunks, made as they are asked for."""
        step = self.chunk or len(self.text)
        return (self.text[at : at + step] for at in range(0, len(self.text), step))

    def payload(self, text: str) -> str:
        """The JSON in *text*, which may be a beginning of the reply."""
        opener, closer = AROUND[self.paradigm]
        return text[len(opener) :].removesuffix(closer)

    def found_in(self, value: Any) -> Any:
        """The arguments in the JSON value of the reply."""
        return (value["tool_calls"][0] if self.paradigm == "json_strict" else value)["arguments"]


def source(size: int) -> str:
    """That many characters of the standard library.

    ASCII, so that a character is a byte: one emoji makes Python keep four for every character,
    in anybody's buffer.
    """
    text = ""
    for path in sorted(Path(os.__file__).parent.glob("*.py")):
        read = path.read_text(encoding="utf-8")
        if read.isascii():
            text += read
        if len(text) >= size:
            return text[:size]
    return (text * (size // len(text) + 1))[:size]


def case(paradigm: str, size: int, chunk: int) -> Case:
    arguments = {"path": "src/module.py", "content": source(size)}
    text = get_paradigm(paradigm).encode_call(ToolCall("write_file", arguments))
    return Case(paradigm, size, chunk, arguments, text)


# --- the readers


def ours(this: Case, chunks: Iterable[str]) -> Any:
    """Our decoder; events are looked at and dropped."""
    decoder = get_paradigm(this.paradigm).decoder(OFFER)
    arguments = None
    for chunk in chunks:
        for event in decoder.feed(chunk):
            if isinstance(event, CallCompleted):
                arguments = event.call.arguments
    for event in decoder.finish():
        if isinstance(event, CallCompleted):
            arguments = event.call.arguments
    return arguments


def strings(this: Case, chunks: Iterable[str]) -> Any:
    """Our decoder, and the content as it will stand in the file, shown as it comes."""
    decoder = get_paradigm(this.paradigm).decoder(OFFER)
    screen = Screen()
    for chunk in chunks:
        screen.show(decoder.feed(chunk))
    screen.show(decoder.finish())
    assert screen.text.getvalue() == this.arguments["content"], f"{this} was shown wrong"
    return screen.arguments


class Screen:
    """Somebody who watches a file being written."""

    def __init__(self) -> None:
        self.text = StringIO()
        self.arguments: Any = None
        self._strings = ArgumentStrings()

    def show(self, events: list[Event]) -> None:
        for event in events:
            if isinstance(event, ArgumentsDelta):
                for delta in self._strings.feed(event.text):
                    if delta.path == ("content",):
                        self.text.write(delta.text)
            elif isinstance(event, CallCompleted):
                self.arguments = event.call.arguments


def buffer(this: Case, chunks: Iterable[str]) -> Any:
    """(a): nothing until the end."""
    parts = []
    for chunk in chunks:
        parts.append(chunk)
    return this.found_in(json.loads(this.payload("".join(parts))))


class BufferDecoder:
    """(b): the buffer with a decoder's interface."""

    def __init__(self, this: Case) -> None:
        self._case = this
        self._parts: list[str] = []

    def feed(self, chunk: str) -> list[Any]:
        self._parts.append(chunk)
        return []

    def finish(self) -> list[Any]:
        return [self._case.found_in(json.loads(self._case.payload("".join(self._parts))))]


def buffer_object(this: Case, chunks: Iterable[str]) -> Any:
    decoder = BufferDecoder(this)
    found = None
    for chunk in chunks:
        for event in decoder.feed(chunk):
            found = event
    for event in decoder.finish():
        found = event
    return found


def jiter_each(this: Case, chunks: Iterable[str]) -> Any:
    """(c): jiter over everything so far, at every delta."""
    text, value = "", None
    for chunk in chunks:
        text += chunk
        # Half a closing tag behind the JSON is an error to jiter, and no news.
        with suppress(ValueError):
            value = jiter.from_json(this.payload(text).encode(), partial_mode="trailing-strings")
    return this.found_in(value)


def repair_once(this: Case, chunks: Iterable[str]) -> Any:
    """(d): json_repair at the end."""
    parts = []
    for chunk in chunks:
        parts.append(chunk)
    text = this.payload("".join(parts))
    return this.found_in(json_repair.loads(text, skip_json_loads=True))


def repair_each(this: Case, chunks: Iterable[str]) -> Any:
    """(d): json_repair over everything so far, at every delta."""
    text, value = "", None
    for chunk in chunks:
        text += chunk
        value = json_repair.loads(this.payload(text), skip_json_loads=True, stream_stable=True)
    return this.found_in(value)


@dataclass(frozen=True)
class Reader:
    """A way to do the work. *largest* is the size, by chunk, up to which it can be afforded."""

    name: str
    read: Callable[[Case, Iterable[str]], Any]
    largest: dict[int, int] = field(default_factory=dict)

    @property
    def is_linear(self) -> bool:
        return not self.largest

    def takes(self, this: Case, quick: bool) -> bool:
        if self.is_linear:
            return True
        return this.size * (4 if quick else 1) <= self.largest.get(this.chunk, 0)


OURS, STRINGS = Reader("ours", ours), Reader("strings", strings)
BUFFER, OBJECT = Reader("buffer", buffer), Reader("object", buffer_object)
JITER = Reader("jiter", jiter_each, {1: 16 * K, 4: 64 * K, 64: 64 * K})
REPAIR = Reader("repair", repair_once, {4: 16 * K, WHOLE: 64 * K})
REPAIR_EACH = Reader("repair/delta", repair_each, {4: K, 64: 4 * K})
READERS = (OURS, STRINGS, BUFFER, OBJECT, JITER, REPAIR, REPAIR_EACH)


# --- the measuring


@dataclass(frozen=True)
class Figure:
    """What one reader took for one case. *peak* is a multiple of the reply's size."""

    paradigm: str
    size: int
    chunk: int
    reader: str
    seconds: float
    speed: float  # megabytes of reply a second
    peak: float | None
    exact: bool


Figures = dict[tuple[str, int, int, str], Figure]


def measure(paradigm: str, chunk: int, quick: bool) -> Iterator[Figure]:
    """The figures of every size that each reader can afford."""
    tasks = [
        task
        for size in (QUICK_SIZES if quick else SIZES)
        for task in _tasks(case(paradigm, size, chunk), quick)
    ]
    _take_turns(tasks, quick)
    for task in tasks:
        this, reader = task.case, task.reader
        assert task.exact or not reader.is_linear, f"{reader.name} read {this} wrong"
        traced = reader.is_linear and not (quick and this.size > 256 * K)  # tracing is slow
        peak = _peak(this, reader) if traced else None
        speed = len(this.text) / task.best / 1e6
        yield Figure(paradigm, this.size, chunk, reader.name, task.best, speed, peak, task.exact)


@dataclass
class Task:
    """One reader at one case, and its best time so far."""

    case: Case
    chunks: list[str]
    reader: Reader
    best: float = math.inf
    exact: bool = True

    def run(self) -> None:
        start = time.process_time()
        arguments = self.reader.read(self.case, self.chunks)
        self.best = min(self.best, time.process_time() - start)
        self.exact &= arguments == self.case.arguments

    @property
    def is_hopeless(self) -> bool:
        """Once is enough to see that a quadratic reader is no match."""
        return not self.reader.is_linear and 0.2 < self.best < math.inf


def _tasks(this: Case, quick: bool) -> list[Task]:
    chunks = list(this.pieces())  # cutting is not reading, and is not timed
    return [Task(this, chunks, reader) for reader in READERS if reader.takes(this, quick)]


def _take_turns(tasks: list[Task], quick: bool) -> None:
    """Readers and sizes take turns, so that a busy moment of the machine hits them all."""
    for number in range(12):
        gc.collect()
        for task in tasks:
            if number < _rounds(task.case, quick) and not task.is_hopeless:
                task.run()


def _rounds(this: Case, quick: bool) -> int:
    """Enough of them to meet a quiet moment; single characters take too long for as many."""
    if this.chunk == 1 and this.size > 64 * K:
        return 5
    return 8 if quick else 12


def _peak(this: Case, reader: Reader) -> float:
    gc.collect()
    tracemalloc.start()
    reader.read(this, this.pieces())
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / len(this.text)


def late(this: Case) -> float:
    """The share of the content's chunks that gave no delta with their own ``feed``.

    A chunk that ends in half an escape or in what may be structure still gives what it adds for
    certain; nothing is left of a chunk that only holds such a thing.
    """
    decoder = get_paradigm(this.paradigm).decoder(OFFER)
    given = [bool(decoder.feed(chunk)) for chunk in this.pieces()]
    inside = given[100 // this.chunk : -100 // this.chunk]
    return inside.count(False) / len(inside)


def growth(figures: Figures, paradigm: str, chunk: int, reader: str, sizes: list[int]) -> float:
    """The exponent with which time grows between the first and the last of *sizes*."""
    small, large = (figures[paradigm, size, chunk, reader] for size in (sizes[0], sizes[-1]))
    length = (large.speed * large.seconds) / (small.speed * small.seconds)
    return math.log(large.seconds / small.seconds) / math.log(length)


# --- the tables


def show(figures: Figures, paradigm: str, reader: Reader, others: tuple[Reader, ...]) -> None:
    """A line for each size and chunk: *reader*, its ratio to the two buffers, and the others."""
    title = f"{paradigm}, {'decoded strings' if reader is STRINGS else 'calls'}"
    beside = "".join(f"{other.name:>14}" for other in others)
    print(f"\n{title}\n{'':12}{reader.name + ', MB/s':>14}{'x buffer':>10}{'x object':>10}", end="")
    print(f"{'peak':>8}{'buffer peak':>13}   MB/s of:{beside}")
    cells = [key[1:3] for key in figures if key[0] == paradigm and key[3] == reader.name]
    for size, chunk in sorted(cells, key=lambda cell: (cell[0], cell[1] or math.inf)):
        figure, *plain = (
            figures[paradigm, size, chunk, name] for name in (reader.name, "buffer", "object")
        )
        ratios = "".join(f"{figure.seconds / other.seconds:10.1f}" for other in plain)
        print(f"{_size(size):>5} {_chunk(chunk):>6}{figure.speed:14.2f}{ratios}", end="")
        print(f"{_times(figure.peak):>8}{_times(plain[0].peak):>13}{'':11}", end="")
        found = (figures.get((paradigm, size, chunk, other.name)) for other in others)
        print("".join(f"{_speed(other):>14}" for other in found))


def show_growth(figures: Figures, paradigm: str) -> None:
    print(f"\n{paradigm}, growth: the exponent of time over size (1 is linear, 2 quadratic)")
    for reader in READERS:
        told = [_slope(figures, paradigm, chunk, reader) for chunk in CHUNKS]
        if any(told):
            print(f"  {reader.name:<14}{'   '.join(filter(None, told))}")


def _slope(figures: Figures, paradigm: str, chunk: int, reader: Reader) -> str:
    """Over the sizes that are long enough to be timed well: the last two for a quadratic reader."""
    sizes = [size for size in SIZES if (paradigm, size, chunk, reader.name) in figures]
    sizes = [size for size in sizes if size >= 64 * K] if reader.is_linear else sizes[-2:]
    if len(sizes) < 2:
        return ""
    slope = growth(figures, paradigm, chunk, reader.name, sizes)
    return f"{_chunk(chunk)}: {slope:.2f} ({_size(sizes[0])}..{_size(sizes[-1])})"


def _size(size: int) -> str:
    return f"{size // K}k" if size < K * K else f"{size // K // K}M"


def _chunk(chunk: int) -> str:
    return str(chunk) if chunk else "whole"


def _times(peak: float | None) -> str:
    return "-" if peak is None else f"{peak:.1f}x"


def _speed(figure: Figure | None) -> str:
    if figure is None:
        return "-"
    return f"{figure.speed:.3g}{'' if figure.exact else '*'}"


# --- the bars


@dataclass(frozen=True)
class Bar:
    """What was promised for 256k in 4-character chunks, and what is."""

    paradigm: str
    what: str
    value: float
    limit: float
    at_least: bool = False

    @property
    def passes(self) -> bool:
        return self.value >= self.limit if self.at_least else self.value <= self.limit

    def __str__(self) -> str:
        sign = ">=" if self.at_least else "<="
        verdict = "PASS" if self.passes else "FAIL"
        told = f"{self.paradigm:<12}{self.what:<28}{self.value:8.2f}"
        return f"{verdict}  {told}  ({sign} {self.limit})"


def bars(figures: Figures) -> list[Bar]:
    return [bar for paradigm in AROUND for bar in _bars_of(figures, paradigm)]


def _bars_of(figures: Figures, paradigm: str) -> Iterator[Bar]:
    us, plain = (figures[paradigm, 256 * K, 4, name] for name in ("ours", "buffer"))
    slope = growth(figures, paradigm, 4, "ours", [64 * K, 1024 * K])
    yield Bar(paradigm, "MB/s", us.speed, 4, at_least=True)
    yield Bar(paradigm, "times the buffer's time", us.seconds / plain.seconds, 20)
    yield Bar(paradigm, "chunks without their delta", late(case(paradigm, 256 * K, 4)), 0.05)
    yield Bar(paradigm, "growth exponent, 64k..1M", slope, 1.05)
    yield Bar(paradigm, "peak memory, times the reply", us.peak or math.nan, 8)


def ratios(figures: Figures) -> dict[str, float]:
    """What compare.py looks at: 256k in chunks of 4 and whole, beside the buffer."""
    found: dict[str, float] = {}
    for paradigm in AROUND:
        for chunk in QUICK_CHUNKS:
            plain = figures[paradigm, 256 * K, chunk, "buffer"].seconds
            for reader in (OURS, STRINGS):
                took = figures[paradigm, 256 * K, chunk, reader.name].seconds
                found[f"{paradigm}, {reader.name}, {_chunk(chunk)}: time / buffer"] = took / plain
        slope = growth(figures, paradigm, 4, "ours", [64 * K, 1024 * K])
        found[f"{paradigm}: growth exponent"] = slope
        found[f"{paradigm}: memory / reply"] = figures[paradigm, 256 * K, 4, "ours"].peak or 0
    return found


def main() -> None:
    options = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    options.add_argument("--quick", action="store_true", help="fewer sizes, chunks and rounds")
    options.add_argument("--json", type=Path, metavar="FILE", help="write every figure there too")
    add_figures_option(options)
    given = options.parse_args()
    figures: Figures = {}
    for paradigm in AROUND:
        for chunk in QUICK_CHUNKS if given.quick else CHUNKS:
            for figure in measure(paradigm, chunk, given.quick):
                figures[paradigm, figure.size, chunk, figure.reader] = figure
        show(figures, paradigm, OURS, (BUFFER, OBJECT, JITER, REPAIR, REPAIR_EACH))
        show(figures, paradigm, STRINGS, (BUFFER, OBJECT))
        show_growth(figures, paradigm)
    print("\nbars (256k in chunks of 4)")
    for bar in bars(figures):
        print(f"  {bar}")
    keep_figures(given.figures, ratios(figures))
    if given.json:
        told = {
            "figures": [asdict(figure) for figure in figures.values()],
            "bars": [{**asdict(bar), "passes": bar.passes} for bar in bars(figures)],
        }
        given.json.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
