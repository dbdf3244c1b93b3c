"""Coverage-guided fuzzing: is there a text that breaks a reader, however it is cut?

    python -m soak.fuzz [--runs 1000000] [--seconds N] [--seed 1]

An input says which reader it is for: a paradigm, which reads it in one piece and in random
chunks, or the lenient JSON reader. Nothing may raise, the two readings must be the same, and time
must not grow faster than the text. Prints the smallest text that broke each rule, and exits with 1
if there was one. A reader that hangs is stopped by libFuzzer, which names the input's file.
"""

from __future__ import annotations

import argparse
import math
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import redirect_stderr
from dataclasses import dataclass, replace
from functools import partial
from io import StringIO
from pathlib import Path
from typing import NoReturn

try:
    import atheris  # type: ignore[import-untyped,unused-ignore]
except ImportError:
    print("fuzzing needs atheris: pip install 'toolproto[soak]'", file=sys.stderr)
    sys.exit(2)

_ROOT = Path(__file__).parent.parent
# Atheris instruments a top-level package but for the modules one names, and ours need naming: code
# that is not under test costs time and distracts the search.
_OTHERS = [
    ".".join(path.relative_to(_ROOT).with_suffix("").parts)
    for path in (_ROOT / "toolproto").rglob("*.py")
    if "decoding" not in path.parts
]
# It also writes a line for every module.
with redirect_stderr(StringIO()), atheris.instrument_imports(["toolproto"], _OTHERS):
    from toolproto.protocol.decoding.values.lenient import read_json
    from toolproto.protocol.decoding.values.strict import Reading
    from toolproto.protocol.paradigms import get_paradigm, list_paradigms
    from toolproto.testing import laws
    from toolproto.testing.fixtures import load_fixtures
    from toolproto.testing.marks import MARKS
    from toolproto.testing.offers import STANDARD_OFFER

# Short inputs are tried oftener, and hold a call or three.
_LONGEST = 512
_HANGS_AFTER = 60
# A text of this length shows what is not linear; that takes a second, so only some are grown to it.
_GROWN = 8_000
_GROW_EVERY = 5_000
# Seconds per character, some twenty times the usual (instrumented) cost: such a text is grown, too.
_SLOW = 2e-4

Check = Callable[[str, list[int]], None]


# --- what every input has to stand


def _read_leniently(text: str, cuts: list[int]) -> None:
    for keys in (None, frozenset({"city", "unit", "path", "content"})):
        reading = read_json(text, keys=keys)
        if isinstance(reading, Reading) and not 0 <= reading.end <= len(text):
            raise AssertionError(f"ends at {reading.end} of {len(text)}")


CHECKS: dict[str, Check] = {
    name: partial(laws.chunking, get_paradigm(name), offer=STANDARD_OFFER)
    for name in list_paradigms()
}
CHECKS["lenient"] = _read_leniently


class NotLinear(AssertionError):
    """Time grows faster than the text."""


def _linear(check: Check, text: str) -> None:
    """Compare a long text with twice that text. Clocks are noisy: one good attempt will do."""
    text *= 1 + _GROWN // len(text)
    ratio = 0.0
    for _ in range(5):
        ratio = _cost(check, text * 2) / _cost(check, text)
        if ratio <= 2.3:
            return
    raise NotLinear(f"twice of {len(text)} characters took {ratio:.1f} times as long")


def _cost(check: Check, text: str) -> float:
    start = time.process_time()
    check(text, [7, len(text) // 2])
    return time.process_time() - start


# --- the run


@dataclass(frozen=True)
class Input:
    """A text, the reader it is for, and where it is cut."""

    reader: str
    text: str
    cuts: list[int]

    def check(self) -> None:
        CHECKS[self.reader](self.text, self.cuts)

    def check_growth(self) -> None:
        if self.text:
            _linear(CHECKS[self.reader], self.text)


def read_input(data: bytes) -> Input:
    """What *data* says, from its last byte: reader, kind of text, number of cuts, the cuts.

    Most texts are UTF-8, where the dictionary's words fit in whole, with a surrogate for every
    byte that is none; the others are any code points. Now and then every character is a chunk.
    """
    fuzzed = atheris.FuzzedDataProvider(data)
    reader = list(CHECKS)[fuzzed.ConsumeIntInRange(0, len(CHECKS) - 1)]
    any_points = fuzzed.ConsumeIntInRange(0, 3) == 3
    count = fuzzed.ConsumeIntInRange(0, 7)
    cuts = [fuzzed.ConsumeIntInRange(0, 0xFFFF) for _ in range(count)]
    if any_points:
        text = fuzzed.ConsumeUnicode(_LONGEST)
    else:
        text = fuzzed.ConsumeBytes(_LONGEST).decode("utf-8", "surrogateescape")
    return Input(reader, text, cuts or list(range(len(text))))


class Fuzzing:
    """What libFuzzer calls with every input, until there were enough of them."""

    def __init__(self, runs: int, seconds: float, folder: Path) -> None:
        self._runs = runs
        self._until = time.monotonic() + seconds
        self._folder = folder
        self._done = 0
        self._broken: dict[str, Input] = {}

    def __call__(self, data: bytes) -> None:
        given = read_input(data)
        self._done += 1
        start = time.process_time()
        self._note(given, _failure(given.check))
        slow = time.process_time() - start > _SLOW * len(given.text) + 0.02
        if slow or self._done % _GROW_EVERY == 0:
            self._note(given, _failure(given.check_growth))
        if self._done % 20_000 == 0:
            print(self._told(), file=sys.stderr, flush=True)
        if self._done >= self._runs or time.monotonic() > self._until:
            self._end()

    def _note(self, given: Input, error: Exception | None) -> None:
        if error is None:
            return
        key = f"{given.reader} {type(error).__name__}"
        if key not in self._broken:
            print(f"{key}: {error!a:.500}", file=sys.stderr, flush=True)
        if key not in self._broken or len(given.text) < len(self._broken[key].text):
            self._broken[key] = given

    def _told(self) -> str:
        return f"{self._done:,} runs, {len(self._broken)} failures"

    def _end(self) -> NoReturn:
        """Leave from inside: libFuzzer would end the process without asking us."""
        for key, given in self._broken.items():
            small = shrunk(given)
            print(f"--- {key}\n{small.text!a}\n{str(_failure(small.check))!a:.2000}")
        print(self._told(), flush=True)
        shutil.rmtree(self._folder, ignore_errors=True)
        os._exit(bool(self._broken))


def _failure(check: Callable[[], None]) -> Exception | None:
    try:
        check()
    except Exception as error:  # anything that escapes is a finding
        return error
    return None


def shrunk(given: Input) -> Input:
    """*given* without every stretch that it can lose and still fail in the same way."""
    failure = type(_failure(given.check))
    step = len(given.text) if _failure(given.check) else 0
    while step:
        at = 0
        while at < len(given.text):
            less = replace(given, text=given.text[:at] + given.text[at + step :])
            if type(_failure(less.check)) is failure:
                given = less
            else:
                at += step
        step //= 2
    return given


# --- what libFuzzer starts from


def write_dictionary(path: Path) -> None:
    """The marks, a quoted word a line."""
    words = (mark.encode("utf-8", "surrogatepass") for mark in MARKS)
    lines = ("".join(f"\\x{byte:02x}" for byte in word) for word in words)
    path.write_text("".join(f'"{line}"\n' for line in lines))


def write_corpus(folder: Path) -> None:
    """The shorter fixtures, as :func:`read_input` wants them: UTF-8, in two cuts."""
    folder.mkdir()
    for number, fixture in enumerate(load_fixtures(_ROOT / "fixtures")):
        text = fixture.reply.encode("utf-8", "surrogatepass")
        reader = list(CHECKS).index(fixture.paradigm)
        if len(text) < _LONGEST - 8:
            (folder / str(number)).write_bytes(text + bytes([7, 0, 31, 0, 2, 0, reader]))


def main() -> None:
    options = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    options.add_argument("--runs", type=int, default=1_000_000)
    options.add_argument("--seconds", type=float, default=math.inf)
    options.add_argument("--seed", type=int, default=1)
    given = options.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="toolproto-fuzz-"))
    write_dictionary(folder / "marks.dict")
    write_corpus(folder / "corpus")
    settings = {
        "dict": folder / "marks.dict",
        "max_len": _LONGEST,
        "timeout": _HANGS_AFTER,
        "artifact_prefix": f"{folder}/",
        "seed": given.seed,
        "verbosity": 0,
    }
    flags = [f"-{name}={value}" for name, value in settings.items()]
    fuzzing = Fuzzing(given.runs, given.seconds, folder)
    atheris.Setup(["fuzz", *flags, str(folder / "corpus")], fuzzing)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
