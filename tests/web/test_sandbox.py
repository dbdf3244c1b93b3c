"""Code that a model wrote, run in the page's sandbox: it gets nowhere, and it ends."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.web.serving import scripted
from tests.web.watched import Tab

Visit = Callable[..., Tab]

_LINES = (Path(__file__).parent / "hostile_scripts.txt").read_text(encoding="utf-8").splitlines()
SCRIPTS = [line for line in _LINES if not line.startswith("#")]
_RUN = """async ([codes, seconds]) => {
  const { run } = await import("/page/sandbox.js");
  return Promise.all(codes.map((code) => run(code, seconds).done));
}"""


@contextmanager
def counting() -> Iterator[tuple[str, list[bytes]]]:
    """A server to which nobody should come; its address, and the first bytes of those who did."""
    heard: list[bytes] = []
    listener = socket.create_server(("127.0.0.1", 0))

    def listen() -> None:
        while True:
            try:
                line, _ = listener.accept()
            except OSError:
                return
            with line:
                line.settimeout(1)
                try:
                    heard.append(line.recv(200))
                except OSError:
                    heard.append(b"")

    threading.Thread(target=listen, daemon=True).start()
    yield f"http://127.0.0.1:{listener.getsockname()[1]}", heard
    listener.shutdown(socket.SHUT_RDWR)
    listener.close()


def test_code_reaches_nothing_and_always_ends(visit: Visit) -> None:
    tab = visit(scripted("ok"))
    # Whatever is barred is said in the console of the frame.
    tab.expect("Content Security Policy", "policy:", "ERR_", "Refused", "Failed to")
    title, pages, asked = tab.page.title(), tab.context.pages, []
    tab.page.on("request", lambda request: asked.append(request.url))
    with counting() as (evil, heard):
        for at in range(0, len(SCRIPTS), 8):
            codes = [each.replace("EVIL", evil) for each in SCRIPTS[at : at + 8]]
            for code, result in zip(codes, tab.page.evaluate(_RUN, [codes, 1.5]), strict=True):
                lines = result["text"].split("\n")
                assert not any(line.startswith("got") for line in lines), (code, lines[:3])
                assert result["text"].strip(), code
                assert len(result["text"]) <= 100_000, code
        assert not heard
    assert len(SCRIPTS) >= 60
    assert tab.page.title() == title and tab.context.pages == pages
    assert tab.page.evaluate("document.querySelectorAll('iframe').length") == 0
    assert tab.page.evaluate("({}).value === undefined && ({}).line === undefined")
    mine = [url for url in asked if url.startswith(tab.url)]
    assert all(url.endswith(("/page/sandbox.html", "/page/sandbox.js")) for url in mine), mine
    tab.say("Hi")  # the page is as well as before
    tab.sees("ok")


def test_results_are_what_a_person_would_expect(visit: Visit) -> None:
    expected: dict[str, tuple[str, bool]] = {
        "1 + 1": ("2", False),
        "[1, 2].map((n) => n * 2)": ("[2,4]", False),
        "({ a: [1, { b: 2 }] })": ('{"a":[1,{"b":2}]}', False),
        "const x = 5; return x": ("5", False),
        "return await Promise.resolve('later')": ("later", False),
        "Promise.reject(new TypeError('no'))": ("error: TypeError: no", True),
        "console.log('a', { b: 1 }); console.error('c'); 3": ('a {"b":1}\nc\n3', False),
        "undefined": ("undefined", False),
        "10n ** 20n": ("100000000000000000000", False),
        "new Map([[1, 2]])": ("Map [[1,2]]", False),
        "nothing.at.all": ("error: ReferenceError: nothing is not defined", True),
        "while (true) {}": ("stopped: it ran longer than 0.3 seconds", True),
    }
    tab = visit(scripted("ok"))
    told: list[dict[str, Any]] = tab.page.evaluate(_RUN, [list(expected)[:-1], 5])
    told += tab.page.evaluate(_RUN, [["while (true) {}"], 0.3])
    assert [(each["text"], each["failed"]) for each in told] == list(expected.values())


def test_code_that_awaits_has_the_value_of_its_last_expression(visit: Visit) -> None:
    expected = {
        "await Promise.resolve(5)": "5",
        "await (async () => 5)()": "5",
        "const x = await Promise.resolve(2); x + 1": "3",
        "const x = await Promise.resolve(2)\nx + 1; // and no more\n": "3",
        "for (const n of [1, 2]) { await n }\n({ n: await 3 });": "undefined",
        "for (const n of [1, 2]) { await n };\n({ n: await 3 });": '{"n":3}',
        "let y = await 1 // the rest is a remark; 5": "undefined",
        "const f = (n) => n;\nconst y = f\n(await 7); `${y}; ${await 8}`": "7; 8",
        "if (await true) { 5 }": "undefined",
        "if (await false) return 1; await 2": "2",
        "await 'https://a.example/'": "https://a.example/",
    }
    tab = visit(scripted("ok"))
    told: list[dict[str, Any]] = tab.page.evaluate(_RUN, [list(expected), 5])
    assert [each["text"] for each in told] == list(expected.values())


def test_code_that_fails_has_run_once(visit: Visit) -> None:
    tab = visit(scripted("ok"))
    [told] = tab.page.evaluate(_RUN, [["console.log('here'); JSON.parse('{')"], 5])
    assert told["text"].count("here") == 1 and "SyntaxError" in told["text"]
