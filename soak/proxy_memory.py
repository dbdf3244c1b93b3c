"""What one process of ``toolproto serve`` holds while it answers fifty thousand requests.

    python -m soak.proxy_memory [--requests 50000] [--at-once 24] [--seed N]

The requests are those of ``soak.proxy``, as fast as they come: four APIs, streamed and whole, with
tools and without. Models call, name tools that do not exist, refuse and break off; one client in
seven leaves in the middle. Prints the memory after each tenth, and exits with 1 if the second half
of the requests added more than a tenth to it, or if an answer was wrong.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import subprocess
import sys
import tempfile
from pathlib import Path
from signal import SIGTERM

from .flapping import FlappingBackend
from .proxy import Found, ask, free_port, read_log, ready, resident

#: The share of memory by which the second half of the requests may add to that of the first.
MOST_GROWTH = 0.1
#: Responses that are remembered are to fill their place in the first tenth.
REMEMBERED = 1_000_000


async def run(requests: int, at_once: int, dice: random.Random, folder: Path) -> list[str]:
    """Send *requests* and return what went wrong."""
    found, upstream, port = Found(), free_port(), free_port()
    # Large tokens: what is kept, is kept for a request.
    backend = FlappingBackend(upstream, dice, size=16, pause=0.0)
    await backend.come()
    settings = f'[serve]\nport = {port}\nparadigm = "xml_tag"\n'
    settings += f"[limits]\nremembered = {REMEMBERED}\n"
    for name in "ab":
        settings += f'[upstreams.{name}]\nurl = "http://127.0.0.1:{upstream}/v1"\n'
        settings += f'prefix = "{name}/"\n'
    (folder / "toolproto.toml").write_text(settings)
    words = ["serve", "--config", str(folder / "toolproto.toml")]
    with (folder / "log").open("ab") as log:
        process = subprocess.Popen([sys.executable, "-m", "toolproto", *words], stderr=log)
    try:
        await ready(port)
        held = [resident(process.pid)]
        print(f"at the start: {held[0]:.1f} MB", flush=True)
        for tenth in range(1, 11):
            await ask_many(requests // 10, at_once, port, dice, found)
            held.append(resident(process.pid))
            print(f"{tenth * requests // 10} requests: {held[-1]:.1f} MB", flush=True)
    finally:
        process.send_signal(SIGTERM)
        process.wait(60)
        backend.leave()
        await asyncio.sleep(0.1)  # until all have heard of it
    print(dict(found.outcomes))
    read_log(folder / "log", found)
    if held[10] > held[5] * (1 + MOST_GROWTH):
        found.faults.append(f"the second half added {held[10] - held[5]:.1f} MB")
    return found.faults


async def ask_many(
    requests: int, at_once: int, port: int, dice: random.Random, found: Found
) -> None:
    """Send *requests*, so many at once."""
    left = iter(range(requests))

    async def one_after_the_other() -> None:
        for _ in left:
            await ask(port, dice, found, hostility=0.0)

    await asyncio.gather(*(one_after_the_other() for _ in range(at_once)))


def main() -> int:
    options = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    options.add_argument("--requests", type=int, default=50_000)
    options.add_argument("--at-once", type=int, default=24)
    options.add_argument("--seed", type=int, default=random.randrange(2**32))
    given = options.parse_args()
    print(f"seed {given.seed}")
    with tempfile.TemporaryDirectory() as place:
        dice = random.Random(given.seed)
        faults = asyncio.run(run(given.requests, given.at_once, dice, Path(place)))
    for fault in faults[:20]:
        print(fault)
    print(f"{len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
