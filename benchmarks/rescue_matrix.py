"""What becomes of lost calls behind the real proxy, for every kind of client?

    python benchmarks/rescue_matrix.py [--backend openai_chat] [--ways hermes,glm45] [--all]
        [--clients chat,google] [--sizes 0,7]

A server on the loopback address has tools and loses calls in every published way, and says much in
which none is lost (`tests/native_server/`). Five kinds of clients ask it through the proxy, whole
(size 0) and streamed in pieces of 1, 7 and all characters. False calls are printed first: a rescue
that makes a call of what was none is worse than no rescue. With --all each cell that is not right
is printed.
"""

from __future__ import annotations

import argparse
import logging
import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.native_server.clients import CLIENTS
from tests.native_server.matrix import OUTCOMES, Cell, proxied
from tests.native_server.ways import WAYS
from tests.native_server.wires import WIRES


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--backend", choices=list(WIRES), default="openai_chat")
    parser.add_argument("--ways", help="some of them, with commas")
    parser.add_argument("--clients", default=",".join(CLIENTS), help="some of them, with commas")
    parser.add_argument("--sizes", default="0,1,7,all", help="some of them, with commas")
    parser.add_argument("--all", action="store_true", help="print each cell that is not right")
    options = parser.parse_args()
    logging.disable(logging.WARNING)  # each refusal is told, and there are hundreds
    ways = [WAYS[name] for name in (options.ways or ",".join(WAYS)).split(",")]
    with proxied(options.backend) as proxy:
        sizes = [None if size == "all" else int(size) for size in options.sizes.split(",")]
        cells = list(proxy.cells(ways, options.clients.split(","), sizes))
    show(cells)
    if options.all:
        for cell in cells:
            if cell.outcome != "right":
                print(f"{cell.outcome}: {cell.way.name}, {cell.client}, {cell.size}: {cell.got}")


def show(cells: list[Cell]) -> None:
    print(f"{'':24}" + "".join(f"{client:>12}" for client in CLIENTS))
    for outcome in OUTCOMES:
        found = Counter(cell.client for cell in cells if cell.outcome == outcome)
        print(f"{outcome:24}" + "".join(f"{found[client]:>12}" for client in CLIENTS))
    bad = Counter(f"{cell.way.name} ({cell.outcome})" for cell in cells if cell.outcome != "right")
    for name, times in bad.most_common():
        print(f"  {name}: {times}")


if __name__ == "__main__":
    main()
