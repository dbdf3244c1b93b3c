"""The web page under load: many viewers, many turns, long sessions, long arguments.

    python -m soak.web [viewers] [turns] [long] [argument] [weight]

Each prints its figures; without names all of them run. All but the first two need a Chromium
(see ``tests/web/browser.py``).
"""

from __future__ import annotations

import asyncio
import json
import statistics
import sys
import time
from collections.abc import Callable
from contextlib import closing
from multiprocessing import Process, Queue
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import httpx

from tests.web.browser import FLAGS, chromium
from tests.web.serving import Client, call, scripted, served
from tests.web.watched import Tab
from toolproto.conversation.journal.following import Copying
from toolproto.conversation.session import ChatSession
from toolproto.conversation.stores import open_store
from toolproto.endpoints import FunctionEndpoint
from toolproto.protocol.messages import ChatRequest, Chunk
from toolproto.web import WebConfig
from toolproto.web.choices import Choices

VIEWERS, SESSIONS = 100, 20
TOKENS, PER_SECOND = 200, 20
TURNS = 10_000
MESSAGES = 10_000
ARGUMENT = 1024 * 1024


async def _timed(request: ChatRequest) -> Any:
    """A reply whose tokens say when they were made."""
    for _ in range(TOKENS):
        yield Chunk(f"{time.time():.4f} ")
        await asyncio.sleep(1 / PER_SECOND)
    yield Chunk(finish_reason="stop")


def _config(endpoint: Any, **settings: Any) -> WebConfig:
    choices = Choices(source="given", paradigm="xml_tag")
    return WebConfig(given=lambda: endpoint, given_name="s", choices=choices, **settings)


def viewers() -> None:
    """How late events reach *VIEWERS* viewers of *SESSIONS* running sessions."""
    config = _config(FunctionEndpoint(_timed))
    late: Queue[list[float]] = Queue()
    with served(config) as url, Client(url, config.token) as me:
        ids = [me.new() for _ in range(SESSIONS)]
        places = [(id, me.show(id)["after"]) for id in ids]
        watching = Process(target=_watch_all, args=(url, config.token, places, late))
        watching.start()
        time.sleep(3)
        cpu = time.process_time()
        begun = time.monotonic()
        for id in ids:
            me.act(id, "send", text="Go")
        found = sorted(late.get())
        took, cpu = time.monotonic() - begun, time.process_time() - cpu
        watching.join()
    told = [f"p{q} {found[len(found) * q // 100] * 1000:.0f} ms" for q in (50, 95, 99)]
    print(f"viewers: {VIEWERS} of {SESSIONS} sessions, {len(found)} tokens, {', '.join(told)}")
    print(f"         {cpu:.1f} s of CPU in {took:.1f} s")


def _watch_all(url: str, token: str, places: list[tuple[str, str]], late: Any) -> None:
    async def watch(client: httpx.AsyncClient, id: str, after: str) -> list[float]:
        found = []
        path = f"/api/sessions/{id}/events"
        async with client.stream("GET", path, params={"after": after}) as told:
            async for line in told.aiter_lines():
                if not line.startswith("data: "):
                    continue
                event = json.loads(line[6:])
                if event["event"] == "text":
                    now = time.time()
                    found += [now - float(each) for each in event["text"].split()]
                elif event["event"] == "settled":
                    break
        return found

    async def all_of_them() -> list[float]:
        headers = {"authorization": f"Bearer {token}"}
        limits = httpx.Limits(max_connections=VIEWERS + 10)
        async with httpx.AsyncClient(
            base_url=url, headers=headers, limits=limits, timeout=120
        ) as client:
            each = [watch(client, *places[n % len(places)]) for n in range(VIEWERS)]
            return [value for found in await asyncio.gather(*each) for value in found]

    late.put(asyncio.run(all_of_them()))


def turns(count: int = TURNS) -> None:
    """Memory of the server over many turns, in sessions of twenty turns that are deleted."""
    config = _config(FunctionEndpoint(lambda request: "Yes, of course. " * 5))
    with served(config) as url, Client(url, config.token) as me:
        sizes: list[float] = []
        id = me.new()
        for number in range(count):
            if number % 20 == 19:
                me.http.delete(f"/api/sessions/{id}")
                id = me.new()
            me.act(id, "send", text=f"Question {number}")
            while me.show(id)["running"]:
                time.sleep(0.001)
            if number % (count // 10) == count // 10 - 1:
                sizes.append(_megabytes())
    print(f"turns: {count}, memory at each tenth: {[f'{size:.0f}' for size in sizes]} MB")
    growth = sizes[-1] - statistics.median(sizes[2:5])
    print(f"       {growth:+.1f} MB from the fourth tenth to the last")


def _megabytes() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096 / 1e6


def long() -> None:
    """A session of ten thousand messages: when it is shown, and frames while scrolling."""
    with TemporaryDirectory() as folder:
        store = str(Path(folder) / "chats.db")
        session = ChatSession(
            lambda request: "An answer with **some** words.", store=store, id="long"
        )
        session.send("A question.")
        first = session.turns[0]
        session.close()
        with closing(open_store(store)) as kept:
            for number in range(2, MESSAGES // 2 + 1):  # saying all that would take an hour
                copied = Copying(0, 2 * (number - 1)).copies([first], number, number - 1)
                info = kept.info("long")
                kept.append("long", list(copied), info.records if info else 0, durable=False)
        config = scripted("One more.", store=store)
        with served(config) as url, _Opened(url, config) as tab:
            begun = time.monotonic()
            tab.page.goto(f"{url}/?token={config.token}")
            tab.page.locator(".turn").last.wait_for()
            shown = time.monotonic() - begun
            frames = tab.page.evaluate(_SCROLL)
            for _ in range(5):
                tab.page.locator(".earlier").click()
                tab.page.wait_for_timeout(100)
            boxes = tab.page.locator(".turn").count()
            tab.say("And?")
            tab.sees("One more.")
            tab.check()
    print(f"long: {MESSAGES} messages, shown after {shown:.2f} s, longest frame {frames:.0f} ms")
    print(f"      {boxes} turns loaded after five clicks, and a turn goes on")


def argument() -> None:
    """One megabyte of an argument, streamed: the longest frame of the page."""
    text = "A line of the file, of some length.\n" * (ARGUMENT // 36)
    config = scripted(call("write_file", path="big.txt", content=text), "Done.", chunk_size=64)
    with served(config) as url, _Opened(url, config) as tab:
        tab.page.evaluate(_FRAMES)
        begun = time.monotonic()
        tab.say("Write it")
        tab.card("waiting")
        took = time.monotonic() - begun
        longest, tasks = tab.page.evaluate("[window.longest, window.tasks]")
        tab.click("Run")
        tab.sees("Done.")
        tab.check()
    print(f"argument: {len(text)} characters in {took:.1f} s, longest frame {longest:.0f} ms")
    print(f"          long tasks (> 50 ms): {[round(each) for each in tasks]}")


def weight() -> None:
    """Bytes of the page, and when its first text is there, in five loads."""
    folder = Path(__file__).parent.parent / "toolproto" / "web" / "page"
    size = sum(path.stat().st_size for path in folder.iterdir())
    config = scripted("ok")
    with served(config) as url, _Opened(url, config) as tab:
        tab.page.add_init_script(_WELCOMED)
        times = []
        for _ in range(5):
            tab.page.reload()
            tab.page.locator(".welcome").wait_for()
            times.append(tab.page.evaluate(_PAINTED))
    first, whole = (sorted(each) for each in zip(*times, strict=True))
    print(f"weight: {size:,} bytes, first text after {first} ms, the session after {whole} ms")


_WELCOMED = """new MutationObserver(() => {
  if (!window.whole && document.querySelector(".welcome")) window.whole = performance.now();
}).observe(document, { childList: true, subtree: true })"""
_PAINTED = """[performance.getEntriesByName("first-contentful-paint")[0].startTime, whole]
  .map(Math.round)"""
#: Counts time between frames, and tasks of the main thread that take longer than 50 ms.
_FRAMES = """() => {
  window.longest = 0;
  window.tasks = [];
  new PerformanceObserver((list) => list.getEntries().forEach((e) => tasks.push(e.duration)))
    .observe({ type: "longtask" });
  let last = performance.now();
  const frame = (now) => {
    window.longest = Math.max(window.longest, now - last);
    last = now;
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
}"""
_SCROLL = """async () => {
  const log = document.querySelector("tp-conversation");
  let longest = 0, last = performance.now();
  for (let at = log.scrollHeight; at > 0; at -= 300) {
    log.scrollTo(0, at);
    await new Promise(requestAnimationFrame);
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
  }
  return longest;
}"""


class _Opened:
    """The page of a server in a browser of its own."""

    def __init__(self, url: str, config: WebConfig) -> None:
        self._url, self._token = url, config.token

    def __enter__(self) -> Tab:
        from playwright.sync_api import sync_playwright

        self._driver = sync_playwright()
        self._browser = self._driver.__enter__().chromium.launch(
            executable_path=chromium(), args=FLAGS
        )
        context = self._browser.new_context(viewport={"width": 1280, "height": 800})
        return Tab(context, self._url, self._token)

    def __exit__(self, *failure: object) -> None:
        self._browser.close()
        self._driver.__exit__(*failure)


PARTS: dict[str, Callable[[], None]] = {
    "viewers": viewers,
    "turns": turns,
    "long": long,
    "argument": argument,
    "weight": weight,
}

if __name__ == "__main__":
    for name in sys.argv[1:] or PARTS:
        PARTS[name]()
