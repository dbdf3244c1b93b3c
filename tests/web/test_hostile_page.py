"""What models, tools and files say is shown as text: nothing runs, nothing leaves its place."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.gateway.proxy.clients.environments import NotInstalled, installed
from tests.web.serving import Client, scripted, served
from tests.web.test_sandbox import counting
from tests.web.watched import Tab
from toolproto import Tool
from toolproto.web.tooling import ToolGroup

Visit = Callable[..., Tab]
#: `make web` looks at all of them.
PANELS = ["insight", "settings"] + ["tools", "files", "scratch"] * ("TOOLPROTO_WEB" in os.environ)
FILE = Path(__file__).parent / "hostile_texts.txt"
#: Elements that a text can bring into a page only if something reads it as markup.
_FOREIGN = (
    "script, iframe, object, embed, svg, math, style, link, base, meta, video, marquee, template"
)
_CHECK = f"""() => ({{
  hit: window.hit,
  foreign: [...document.body.querySelectorAll({json.dumps(_FOREIGN)})].map((e) => e.outerHTML),
  images: [...document.images].map((e) => e.src),
  links: [...document.body.querySelectorAll("a[href]")].map((e) => new URL(e.href).protocol),
  styled: [...document.querySelectorAll("tp-app [style]")].map((e) => e.outerHTML),
  forms: [...document.forms].map((e) => e.getAttribute("action")),
  wide: document.documentElement.scrollWidth - innerWidth,
  out: [...document.querySelectorAll(".turn, tp-call, [role=tabpanel], .left")].filter((e) => {{
    const box = e.getBoundingClientRect();
    return box.width && (box.left < -1 || box.right > innerWidth + 1);
  }}).map((e) => e.outerHTML.slice(0, 200)),
  send: document.elementFromPoint(...(() => {{
    const box = document.querySelector(".composer .primary").getBoundingClientRect();
    return [box.x + box.width / 2, box.y + box.height / 2];
  }})())?.textContent,
}})"""


def texts(evil: str) -> list[str]:
    host = evil.removeprefix("http://")
    lines = FILE.read_text(encoding="utf-8").splitlines()
    return [line.replace("EVILHOST", host).replace("EVIL", evil) for line in lines]


def echo(**arguments: Any) -> str:
    return str(arguments.get("text", ""))


def hostile_tool(number: int, text: str) -> Tool:
    schema = {"type": "object", "properties": {"text": {"type": "string", "description": text}}}
    return Tool.from_schema(f"tool_{number}", text, schema, echo)


def clean(tab: Tab) -> None:
    found = tab.page.evaluate(_CHECK)
    for _ in range(200):  # a turn that runs has no such button
        if found["send"] == "Send":
            break
        tab.page.wait_for_timeout(50)
        found = tab.page.evaluate(_CHECK)
    assert found["hit"] is None
    assert found["foreign"] == [] and found["images"] == [] and found["styled"] == []
    assert set(found["links"]) <= {"http:", "https:", "mailto:"}
    assert set(found["forms"]) <= {None}
    assert found["wide"] <= 0 and found["out"] == [], found["out"]
    assert found["send"] == "Send"


def test_hostile_texts_are_shown_in_every_place_and_run_in_none(visit: Visit) -> None:
    with counting() as (evil, heard):
        hostile = texts(evil)
        assert len(hostile) * 6 >= 300
        said = "\n\n".join(hostile)
        thought = f"<think>{said.replace('<', '< ')}</think>"
        calls = "\n".join(
            f"<tool_code>{json.dumps({'name': f'tool_{n}', 'arguments': {'text': text, text: 1}})}"
            "</tool_code>"
            for n, text in enumerate(hostile)
        )
        broken = f"<tool_code>{{'name': 'tool_0', 'arguments': ][ {hostile[0]}</tool_code>"
        group = ToolGroup(
            hostile[0], tuple(hostile_tool(n, text) for n, text in enumerate(hostile))
        )
        settings = {"mode": "automatic", "guard": "off"}
        replies = [f"{thought}\n\n{said}", calls, broken, "Never mind.", "Done."]
        config = scripted(*replies, groups=(group,), choices=settings)
        tab = visit(config)
        tab.expect("400")
        with Client(tab.url, config.token) as me:
            id = me.get("/api/sessions")["sessions"][0]["id"]
            me.http.patch(f"/api/sessions/{id}", json={"title": hostile[1]})
            for text in hostile:
                me.http.put(
                    f"/api/sessions/{id}/file", params={"path": text}, content=text.encode()
                )
            assert len(me.get(f"/api/sessions/{id}/files")["files"]) > 30
        tab.turn(said)
        clean(tab)
        tab.turn("Call them all")
        tab.page.locator("tp-call").nth(50).wait_for()
        for name in ("tools", "files", "insight", "scratch", "settings"):
            tab.panel(name)
            tab.page.locator(f"#view-{name} > *").first.wait_for()
            clean(tab)
        tab.page.evaluate("document.querySelectorAll('details').forEach((e) => (e.open = true))")
        clean(tab)
        tab.page.reload()
        tab.page.locator("tp-call").first.wait_for()
        clean(tab)
        assert not heard
        # What a text says about its own direction is written out.
        assert "⟨U+202E⟩" in tab.page.locator("tp-conversation").inner_text()


def test_the_page_is_well_for_people_who_cannot_see_it(visit: Visit) -> None:
    """No element without a name, a role that means nothing, or a text that is hard to read."""
    axe = axe_source()
    config = scripted(
        "Hello **there**.\n\n```python\nx = 1\n```\n\n| a |\n|---|\n| 1 |",
        '<tool_code>{"name": "write_file", "arguments": {"path": "a", "content": "b"}}</tool_code>',
        "Done.",
    )
    tab = visit(config)
    states = []

    def look(name: str) -> None:
        told = tab.page.evaluate(f"{axe}; axe.run()")
        grave = [each for each in told["violations"] if each["impact"] in ("serious", "critical")]
        states.append(name)
        nodes = [(each["id"], node["html"][:150]) for each in grave for node in each["nodes"]]
        assert not nodes, (name, nodes)

    look("empty")
    tab.turn("Hi")
    tab.say("Write")
    tab.card("waiting")
    look("answered, and a call waits")
    for panel in PANELS:
        tab.panel(panel)
        tab.page.locator(f"#view-{panel} > *").first.wait_for()
        look(panel)
    tab.page.emulate_media(color_scheme="dark")
    look("dark")
    tab.page.keyboard.press("Escape")
    tab.click("Keys")
    look("help")
    assert len(states) >= 5


def axe_source() -> str:
    """axe-core, fetched once by npm; the test is skipped where that cannot be."""
    try:
        folder = installed(str(Path(__file__).with_name("axe.json")))
    except NotInstalled as reason:
        pytest.skip(f"no axe-core: {reason}")
    script = folder / "node_modules" / "axe-core" / "axe.min.js"
    return script.read_text(encoding="utf-8")


def test_one_server_is_told_from_another(visit: Visit) -> None:
    tab = visit(scripted("ok"))
    with served(scripted("ok")) as other:
        tab.page.goto(other)
        tab.expect("401")
        tab.page.get_by_label("Token or key").wait_for()
