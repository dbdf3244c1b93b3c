"""What does it cost to look for lost calls in the answers of a service that has tools?

    python benchmarks/rescue.py [--rounds N]

Tokens of prose, of Markdown and of the arguments of a call go through the reader of such answers;
beside it, an object that makes the same event of each and looks at nothing. Times are CPU time, the
best of several rounds in which both take turns. What the reader makes of real replies, `corpus.py`
says.
"""

from __future__ import annotations

import argparse
import json
import math
import re
import time
from collections.abc import Callable, Iterable

from compare import add_figures_option, keep_figures
from prose import PAGE
from streaming import OFFER

from toolproto.protocol.events import ArgumentsDelta, Event, TextDelta
from toolproto.protocol.messages import NativePiece
from toolproto.protocol.native import NativeReader

MARKDOWN = """\
# Rain

- item [link](https://example.org) with `code` in it
- **bold** a < b, x[0] = {1: 2}

```py
for i in range(10):
    print(x[i])
```

"""
TIMES = 40
Take = Callable[[str], list[Event]]


def tokens(text: str) -> list[str]:
    return re.findall(r"\s*\S{1,6}|\s+", text)


TEXTS = {
    "prose": tokens(PAGE * TIMES),
    "Markdown": tokens(MARKDOWN * TIMES),
    "arguments": tokens(json.dumps({"path": "a.md", "content": PAGE * TIMES})),
}


def reading(name: str) -> Take:
    """What takes a token of *name*, in an answer of which nothing else came but a call's name."""
    reader = NativeReader(OFFER)
    if name != "arguments":
        return reader.feed
    reader.take((NativePiece(0, "a", OFFER.tools[0].name),))
    return lambda token: reader.take((NativePiece(0, arguments=token),))


def passing_on(name: str) -> Take:
    if name != "arguments":
        return lambda token: [TextDelta(token)]
    return lambda token: [ArgumentsDelta(0, NativePiece(0, arguments=token).arguments)]


def seconds(take: Take, chunks: Iterable[str]) -> float:
    began = time.process_time()
    for chunk in chunks:
        take(chunk)
    return time.process_time() - began


def main() -> None:
    options = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    options.add_argument("--rounds", type=int, default=9)
    add_figures_option(options)
    given = options.parse_args()
    figures: dict[str, float] = {}
    for name, chunks in TEXTS.items():
        best = plain = math.inf
        for _ in range(given.rounds):
            best = min(best, seconds(reading(name), chunks) / len(chunks))
            plain = min(plain, seconds(passing_on(name), chunks) / len(chunks))
        print(f"{name:12}{best * 1e6:7.2f} µs a token, passed on {plain * 1e6:5.2f} µs")
        figures[f"{name}: time / passing on"] = best / plain
    keep_figures(given.figures, figures)


if __name__ == "__main__":
    main()
