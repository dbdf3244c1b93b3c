"""The page in a real browser: every button and every key."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.gateway.proxy.backend import Backend
from tests.gateway.proxy.backend import served as backend_served
from tests.ports import free_port
from tests.web.serving import Client, call, scripted, served
from tests.web.test_api import BOOK, TOOLS
from tests.web.watched import Tab
from toolproto.endpoints.recorded.scripted import Hold
from toolproto.web import WebConfig
from toolproto.web.choices import Choices

Visit = Callable[..., Tab]
JS = call("browser_js_eval", code="console.log('counting'); 6 * 7")


def config(*replies: Any, **settings: Any) -> WebConfig:
    return scripted(*replies, groups=TOOLS, **settings)


def test_an_answer_streams_as_markdown_with_thinking_folded(visit: Visit) -> None:
    hold = Hold()
    said = ["<think>hm", "mm</think>**Bold** and `co", "de`\n\n```python\ndef f():\n", hold,
            "    return 1\n```\n\n| a | b |\n|---|--:|\n| 1 | 2 |\n"]  # fmt: skip
    tab = visit(config(said))
    tab.say("Hi")
    tab.page.locator(".live pre", has_text="def f():").wait_for()  # while it is still written
    tab.soon(tab.button("Stop")).to_be_visible()
    hold.release()
    tab.page.locator(".hl-word", has_text="return").wait_for()
    tab.idle()
    tab.soon(tab.page.locator(".text strong")).to_have_text("Bold")
    tab.soon(tab.page.locator("td.to-right")).to_have_text("2")
    thinking = tab.page.locator("details.thought")
    assert not thinking.get_attribute("open") and "hmmm" in thinking.text_content()
    assert tab.page.title().startswith("Hi")


def test_run_and_its_key(visit: Visit) -> None:
    tab = visit(config(BOOK, "Booked.", BOOK, "Again."))
    tab.say("Book it")
    card = tab.card("waiting")
    tab.soon(card).to_contain_text("changes something")
    tab.click("Run")
    tab.sees("Booked.")
    tab.idle()
    tab.say("Once more")
    tab.card("waiting")
    tab.key("r")
    tab.sees("Again.")
    tab.soon(tab.page.locator("tp-call[data-status=completed]")).to_have_count(2)


def test_edit_and_run(visit: Visit) -> None:
    tab = visit(config(BOOK, "Changed."))
    tab.say("Book it")
    tab.card("waiting")
    tab.key("e")
    field = tab.page.get_by_label("Arguments as JSON")
    field.fill("[]")
    tab.click("Run it like this")
    tab.sees("This is not a JSON object.")
    field = tab.page.get_by_label("Arguments as JSON")
    field.fill('{"flight": "LH 9"}')
    tab.click("Run it like this")
    tab.sees("Changed.")
    tab.page.locator("details.result summary").first.click()
    tab.sees("booked LH 9")


def test_refuse_with_a_reason_and_escape_from_it(visit: Visit) -> None:
    tab = visit(config(BOOK, "Pity."))
    tab.say("Book it")
    tab.card("waiting")
    tab.key("n")
    tab.page.keyboard.press("Escape")
    tab.card("waiting")
    tab.click("Deny")
    tab.page.get_by_label("Why not? The model is told.").fill("too dear")
    tab.page.keyboard.press("Enter")
    tab.sees("Pity.")
    tab.page.locator("tp-call[data-status=denied] summary", has_text="too dear").wait_for()


def test_always_answer_and_ignore(visit: Visit) -> None:
    tab = visit(config(BOOK, "One.", BOOK, "Two.", call("fetch", url="x"), "Three.",
                       call("fetch", url="y"), "Four."))  # fmt: skip
    tab.say("Book it")
    tab.card("waiting")
    tab.key("a")
    tab.sees("One.")
    tab.idle()
    tab.say("Again")  # runs by itself now
    tab.sees("Two.")
    tab.idle()
    tab.say("Fetch")
    tab.card("waiting")
    tab.key("m")
    tab.page.get_by_label("The result").fill("<b>my own</b> words")
    tab.click("Give result")
    tab.sees("Three.")
    tab.idle()
    tab.say("Fetch again")
    tab.card("waiting")
    tab.key("i")
    tab.sees("Four.")
    tab.soon(tab.page.locator("tp-call b")).to_have_count(0)


@pytest.mark.parametrize("paradigm", ["json_strict", "xml_tag"])
def test_the_whole_way_of_a_call_in_the_browser(visit: Visit, paradigm: str) -> None:
    """Ask, card, Run, the page runs it, the result goes back, the model answers."""
    from toolproto import ToolCall, get_paradigm
    from toolproto.endpoints import ScriptedEndpoint

    code = "console.log('counting'); 6 * 7"
    form = get_paradigm(paradigm)
    wanted = form.encode_call(ToolCall("browser_js_eval", {"code": code}))
    endpoint = ScriptedEndpoint(f"I count.\n\n{wanted}", "It is 42.", chunk_size=5)
    choices = Choices(source="given", paradigm=paradigm)
    tab = visit(WebConfig(given=lambda: endpoint, given_name="s", choices=choices))
    tab.say("What is 6 * 7?")
    card = tab.card("waiting")
    tab.soon(card).to_contain_text("runs in your browser")
    assert len(endpoint.requests) == 1  # nothing ran before somebody said so
    tab.click("Run")
    tab.sees("It is 42.")
    back = endpoint.requests[1].messages[-1]
    assert back.role == "user" and "counting\n42" in back.content.replace("\\n", "\n")
    if paradigm == "json_strict":
        told = json.loads(back.content)["tool_call_result"]
        assert told["result"] == "counting\n42" and told["toolCallId"]
    tab.page.reload()
    tab.card("completed")
    tab.sees("It is 42.")


def test_always_lets_the_page_run_code_by_itself(visit: Visit) -> None:
    tab = visit(config(JS, "One.", JS, "Two."))
    tab.say("Count")
    tab.card("waiting")
    tab.key("a")
    tab.sees("One.")
    tab.idle()
    tab.say("Again")
    tab.sees("Two.")
    tab.page.reload()
    tab.sees("Two.")


def test_code_that_does_not_end_is_stopped_by_the_person(visit: Visit) -> None:
    endless = call("browser_js_eval", code="while (true) {}")
    tab = visit(config(endless, "Stopped, then.", choices={"js_seconds": 60}))
    tab.say("Count")
    tab.card("waiting")
    tab.click("Run")
    tab.card("running")
    tab.click("Stop", within="tp-call")
    tab.sees("Stopped, then.")
    tab.page.locator("tp-call summary", has_text="stopped by the user").wait_for()


def test_a_turn_is_stopped_run_again_edited_and_branched(visit: Visit) -> None:
    tab = visit(config(["Half ", Hold()], "Whole.", "Other.", "More."))
    tab.say("Question")
    tab.sees("Half")
    tab.page.keyboard.press("Escape")
    tab.page.locator("[data-status=aborted]").wait_for()
    tab.click("Run again")
    tab.sees("Whole.")
    tab.idle()
    tab.click("Edit and resend")
    tab.page.locator(".own textarea").fill("Other question")
    tab.click("Resend")
    tab.sees("Other.")
    tab.idle()
    tab.soon(tab.page.get_by_text("3/3")).to_be_visible()
    tab.page.get_by_label("Previous version").click()
    tab.sees("Whole.")
    tab.soon(tab.page.get_by_text("2/3")).to_be_visible()
    tab.click("Continue from here")
    tab.say("And then?")
    tab.sees("More.")


def test_a_reload_in_the_middle_of_a_turn_shows_all_of_it(visit: Visit) -> None:
    hold = Hold()
    tab = visit(config(["First half, ", hold, "second half."]))
    tab.say("Hi")
    tab.sees("First half,")
    tab.page.reload()
    tab.sees("First half,")
    tab.soon(tab.button("Stop")).to_be_visible()
    hold.release()
    tab.sees("First half, second half.")


def test_two_tabs_show_the_same(visit: Visit) -> None:
    tab = visit(config(BOOK, "Booked."))
    tab.say("Book it")
    tab.card("waiting")
    other = tab.beside()
    other.card("waiting")
    other.click("Run")
    tab.sees("Booked.")
    other.sees("Booked.")
    tab.card("completed")
    tab.soon(tab.page.locator("tp-call[data-status=waiting]")).to_have_count(0)
    other.check()


def test_a_session_that_is_deleted_elsewhere_is_left(visit: Visit) -> None:
    tab = visit(config("One.", "Two."))
    tab.expect("404", "ERR_")
    tab.say("First")
    tab.sees("One.")
    tab.idle()
    other = tab.beside()
    other.sees("One.")
    other.page.get_by_label("What to do with First").click()
    other.click("Delete")
    other.click("Delete", within="dialog")
    other.page.locator(".welcome").wait_for()
    tab.page.locator(".welcome").wait_for()
    other.expect("404", "ERR_")
    other.check()


def test_a_call_waits_while_the_server_is_restarted(browser: Any, tmp_path: Path) -> None:
    store = str(tmp_path / "chats.db")
    secret = b"s" * 32
    context = browser.new_context()
    port = free_port()
    first = config(BOOK, store=store, secret=secret, port=port)
    with served(first) as url:
        tab = Tab(context, url, first.token)
        tab.expect("Failed to load resource", "ERR_", "401", "400", "404")
        tab.say("Book it")
        tab.card("waiting")
    tab.sees("No connection to the server.")
    with served(config("Booked.", store=store, secret=secret, port=port)):
        tab.until("!document.querySelector('.notice').textContent")
        tab.card("waiting")
        tab.click("Run")
        tab.sees("Booked.")
        tab.check()
        context.close()


def test_a_call_waits_while_the_server_is_killed(browser: Any, tmp_path: Path) -> None:
    """The command itself, ended as a power cut would."""
    port = free_port()
    context = browser.new_context()
    with started(port, tmp_path) as address:
        url, _, token = address.partition("/?token=")
        tab = Tab(context, url, token)
        tab.expect("ERR_", "Failed to load")
        tab.say("Write a poem to poem.txt")
        tab.card("waiting")
    tab.sees("No connection to the server.")
    with started(port, tmp_path):
        tab.until("!document.querySelector('.notice').textContent")
        tab.card("waiting")
        tab.click("Run")
        tab.sees("Done. The result is in the card above.")
    tab.check()
    context.close()


@contextmanager
def started(port: int, folder: Path) -> Iterator[str]:
    """``toolproto web``, killed at the end; the address it prints."""
    options = ["--port", str(port), "--no-open", "--store", str(folder / "chats.db")]
    environment = {**os.environ, "XDG_STATE_HOME": str(folder), "PYTHONUNBUFFERED": "1"}
    command = [sys.executable, "-m", "toolproto", "web", *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as server:
        try:
            assert server.stdout is not None
            address = server.stdout.readline().split(" · ")[1].strip()
            for _ in range(600):
                try:
                    socket.create_connection(("127.0.0.1", port), 1).close()
                    break
                except OSError:
                    time.sleep(0.05)
            yield address
        finally:
            server.kill()


def test_a_browser_that_was_offline_catches_up(visit: Visit) -> None:
    hold = Hold()
    tab = visit(config(["Before, ", hold, "after."]))
    tab.expect("ERR_INTERNET_DISCONNECTED", "Failed to load", "ERR_")
    tab.say("Hi")
    tab.sees("Before,")
    tab.context.set_offline(True)
    tab.page.evaluate("document.querySelector('tp-conversation').stream.source.onerror()")
    tab.sees("No connection to the server.")
    hold.release()
    tab.context.set_offline(False)
    tab.sees("Before, after.")


def test_an_address_that_names_no_session_opens_one(visit: Visit) -> None:
    tab = visit(config("ok"))
    tab.expect("404")
    for name in ("%", "%E0%A4%A", "%00", "../../x", "__proto__", "a" * 5000):
        tab.page.goto(f"{tab.url}/#{name}")
        tab.page.reload()
        tab.page.locator(".welcome").wait_for()


def test_sessions_are_made_searched_named_and_deleted(visit: Visit) -> None:
    tab = visit(config("Fish swim.", "Birds fly."))
    tab.say("About fish")
    tab.sees("Fish swim.")
    tab.page.keyboard.press("Alt+n")
    tab.page.locator(".welcome").wait_for()
    tab.say("About birds")
    tab.sees("Birds fly.")
    tab.page.get_by_label("Search sessions").fill("swim")
    tab.until("document.querySelectorAll('tp-sessions li').length === 1")
    tab.page.locator("tp-sessions .open").click()
    tab.sees("Fish swim.")
    tab.page.get_by_label("What to do with About fish").click()
    tab.page.get_by_label("Rename").fill("Water")
    tab.click("Save title")
    tab.page.locator("tp-sessions .open", has_text="Water").wait_for()
    tab.page.get_by_label("What to do with Water").click()
    tab.click("Delete")
    tab.click("Delete", within="dialog")
    # Behind an open dialog, the field takes no keys, and when that closes, the focus goes elsewhere
    # once more: the list without what was deleted comes after that.
    tab.soon(tab.page.locator("dialog[open]")).to_have_count(0)
    tab.soon(tab.page.locator("tp-sessions .open")).to_have_count(0)
    search = tab.page.get_by_label("Search sessions")
    while search.input_value():  # it is emptied by a key, which goes to whatever has the focus then
        search.fill("")
    tab.page.locator("tp-sessions .open", has_text="About birds").wait_for()
    tab.soon(tab.page.locator("tp-sessions .open", has_text="Water")).to_have_count(0)


def test_changes_are_undone_and_the_model_names_the_session(visit: Visit) -> None:
    write = call("write_file", path="a.txt", content="from the model")
    tab = visit(config(write, "Written.", "Notes on a file"))
    tab.panel("files")
    tab.say("Write it")
    tab.card("waiting")
    tab.key("r")
    tab.page.get_by_label("Open a.txt").wait_for()
    tab.idle()
    tab.click("Undo its changes")
    tab.sees("Restored: a.txt.")
    tab.soon(tab.page.get_by_label("Open a.txt")).to_have_count(0)
    tab.expect("400")
    tab.click("Undo its changes")
    tab.sees("not restored")
    tab.page.get_by_label("What to do with Write it").click()
    tab.click("Let the model find a title")
    tab.soon(tab.page.locator("h1")).to_have_text("Notes on a file")
    tab.page.locator("tp-sessions .open", has_text="Notes on a file").wait_for()


def test_tools_are_switched_and_files_edited_uploaded_downloaded(
    visit: Visit, tmp_path: Path
) -> None:
    tab = visit(config(call("write_file", path="a.txt", content="from the model"), "Written."))
    tab.panel("tools")
    tab.page.locator("[data-tool='group:trips']").uncheck()
    tab.until("!document.querySelector('[data-tool=book]').checked")
    tab.page.locator("[data-tool=book]").check()
    tab.until("document.querySelector('[data-tool=\"group:trips\"]').indeterminate")
    tab.panel("files")
    tab.say("Write it")
    tab.card("waiting")
    tab.key("r")
    tab.page.get_by_label("Open a.txt").click()
    field = tab.page.get_by_label("Content of a.txt")
    tab.soon(field).to_have_value("from the model")
    field.fill("from me")
    tab.click("Save")
    tab.page.locator("tp-files", has_text="7 bytes").wait_for()
    sent = tmp_path / "up.bin"
    sent.write_bytes(b"\xff\x00\x01")
    tab.page.set_input_files("tp-files input[type=file]", str(sent))
    tab.page.get_by_label("Open up.bin").wait_for()
    with tab.page.expect_download() as found:
        tab.page.get_by_label("Download up.bin").click()
    assert Path(found.value.path()).read_bytes() == b"\xff\x00\x01"
    tab.page.get_by_label("Delete a.txt").click()
    tab.until("document.querySelectorAll('tp-files .file').length === 1")
    tab.page.get_by_label("Open up.bin").click()
    tab.sees("This file is not text")


def test_what_the_model_saw_and_another_paradigm(visit: Visit) -> None:
    tab = visit(config(f"I look.\n\n{BOOK}"))
    tab.say("Book it")
    tab.card("waiting")
    tab.panel("insight")
    tab.page.locator("mark.ex-accepted", has_text='"book"').wait_for()
    assert "as asked" in tab.page.locator("mark.ex-accepted").first.get_attribute("title")
    tab.page.get_by_label("Paradigm", exact=True).select_option("hermes")
    tab.page.locator("tp-insight h3", has_text="read in this paradigm").wait_for()
    tab.soon(tab.page.locator("tp-insight .scrolled").first).to_contain_text("<tool_call>")


def test_settings_are_chosen_and_hold(visit: Visit) -> None:
    tab = visit(config("ok"))
    tab.panel("settings")
    tab.page.get_by_label("Form of the calls").select_option("hermes")
    tab.page.get_by_label("Guard against strangers' text").select_option("strict")
    tab.page.get_by_label("Requests for one message").fill("3")
    tab.click("Use these settings")
    tab.sees("These settings hold")
    tab.soon(tab.page.locator(".led")).to_contain_text("hermes")
    tab.page.reload()
    tab.panel("settings")
    tab.soon(tab.page.get_by_label("Requests for one message")).to_have_value("3")
    tab.page.get_by_label("Where replies come from").select_option("url")
    tab.page.get_by_label("Address", exact=True).fill("nonsense")
    tab.expect("400")
    tab.click("Use these settings")
    tab.page.locator("tp-settings .problem", has_text="must be like").wait_for()


def test_a_pasted_reply_is_read_in_the_scratch_tab(visit: Visit, tmp_path: Path) -> None:
    tab = visit(config("ok", fixtures=tmp_path))
    tab.panel("scratch")
    tab.page.get_by_label("A model's reply").fill(BOOK)
    tab.click("Use this session's tools")
    tab.until("document.querySelector('#scratch-tools').value.includes('book')")
    tab.click("Read it")
    tab.page.locator("tp-scratch .badge", has_text="accepted").wait_for()
    tab.page.get_by_label("Name of the fixture").fill("mine")
    tab.click("Save as a fixture")
    tab.sees("Saved as xml_tag/mine.txt")
    assert (tmp_path / "xml_tag" / "mine.txt").read_text() == BOOK


def test_keys_move_between_calls_and_to_the_message(visit: Visit) -> None:
    tab = visit(config(BOOK + "\n" + call("book", flight="LH 2"), "Both."))
    tab.say("Book both")
    tab.until("document.querySelectorAll('tp-call[data-status=waiting]').length === 2")
    focused = "document.activeElement.closest('tp-call')?.textContent.includes('LH 2')"
    tab.page.keyboard.press("x")  # into the message, from which no key decides anything
    tab.soon(tab.page.locator("tp-call[data-status=waiting]")).to_have_count(2)
    tab.page.keyboard.press("Escape")
    tab.page.keyboard.press("j")
    assert tab.page.evaluate(focused)
    tab.page.keyboard.press("k")
    assert not tab.page.evaluate(focused)
    tab.page.keyboard.press("?")
    tab.page.locator("dialog[open] kbd").first.wait_for()
    tab.page.keyboard.press("Escape")
    tab.page.keyboard.press("/")
    assert tab.page.evaluate("document.activeElement.id") == "say"


def test_the_page_asks_who_is_there_and_lets_in_by_key(browser: Any, monkeypatch: Any) -> None:
    monkeypatch.setenv("ANN", "annas-long-key")
    with served(config("ok", key_envs=("ANN",))) as url:
        context = browser.new_context()
        page = context.new_page()
        page.goto(url)
        page.get_by_label("Token or key").fill("wrong")
        page.keyboard.press("Enter")
        page.get_by_text("the key is wrong").wait_for()
        page.get_by_label("Token or key").fill("annas-long-key")
        page.keyboard.press("Enter")
        page.locator(".welcome").wait_for()
        (cookie,) = context.cookies()
        assert cookie["httpOnly"] and cookie["sameSite"] == "Strict"
        context.close()


def test_a_phone_shows_one_thing_at_a_time(visit: Visit) -> None:
    tab = visit(config(BOOK), viewport={"width": 360, "height": 740}, is_mobile=True)
    tab.soon(tab.page.locator("nav.left")).to_be_hidden()
    tab.say("Book it")
    tab.card("waiting")
    for name in ("tools", "files", "insight", "scratch", "settings"):
        tab.panel(name)  # nothing stands above its switch
    wide = "document.documentElement.scrollWidth > innerWidth"
    assert not tab.page.evaluate(wide)
    tab.page.keyboard.press("Escape")
    tab.soon(tab.page.locator("aside.right")).to_be_hidden()
    tab.soon(tab.button("Run")).to_be_visible()


def test_the_page_is_small_and_soon_there(visit: Visit) -> None:
    folder = Path(__file__).parents[2] / "toolproto" / "web" / "page"
    assert sum(path.stat().st_size for path in folder.iterdir()) <= 150_000
    tab = visit(config("ok"))
    tab.page.reload()
    tab.page.locator(".welcome").wait_for()
    # Everything comes from this server, nothing from elsewhere.
    names = tab.page.evaluate("performance.getEntriesByType('resource').map((each) => each.name)")
    assert names and all(name.startswith(tab.url) for name in names)


def test_a_turn_that_broke_off_is_gone_on_with(browser: Any, tmp_path: Path) -> None:
    from toolproto.conversation.stores import open_store
    from toolproto.conversation.stores.base import Record

    store = str(tmp_path / "chats.db")
    told = config("Hello.", store=store)
    with served(told) as url, Client(url, told.token) as me:
        id = me.new()
        me.say(id, "Hi")
    kept = open_store(store)  # as if the server had been killed before the end
    records = kept.read(id)
    cut = [each for each in records if each.kind not in ("ended",)]
    kept.delete(id)
    kept.create(id, "Hi")
    kept.append(id, [Record(each.kind, each.data) for each in cut[:1]], 0, durable=True)
    kept.close()
    again = config("Hello again.", store=store)
    with served(again) as url:
        context = browser.new_context()
        tab = Tab(context, url, again.token)
        tab.sees("The server stopped in the middle of this turn.")
        tab.click("Continue it")
        tab.sees("Hello again.")
        tab.check()
        context.close()


def test_arguments_come_into_the_card_before_anything_can_be_decided(visit: Visit) -> None:
    hold = Hold()
    tab = visit(config(["I book.\n\n" + BOOK[:60], hold, BOOK[60:]], "Booked."))
    tab.say("Book it")
    card = tab.card("streaming")
    tab.soon(card.locator(".name")).to_have_text("book")
    tab.soon(card.locator("pre.streaming")).to_contain_text("LH")
    assert card.get_by_role("button").count() == 0
    hold.release()
    tab.card("waiting")
    tab.soon(tab.button("Run")).to_be_visible()


def test_a_card_tells_what_was_mended_and_what_to_look_at_twice(visit: Visit) -> None:
    fetched = call("fetch", url="https://a.example")
    mended = "<tool_code>{'name': 'book', 'arguments': {'flight': 'EVIL 666',}}</tool_code>"
    terms = {"mode": "automatic", "guard": "strict"}
    tab = visit(config(fetched, mended, "Booked.", choices=terms))
    tab.say("What is on https://a.example?")
    card = tab.card("waiting")
    tab.soon(card.locator(".concerns")).to_contain_text("EVIL 666")
    tab.soon(card).to_contain_text("Mended: other quotation marks (lossless)")
    card.get_by_label("I have checked this value and vouch for it").check()
    tab.click("Run")
    tab.sees("Booked.")


def test_reads_run_by_themselves_and_pictures_and_long_results_are_shown(visit: Visit) -> None:
    long = "".join(f"line {n}\n" for n in range(4000))
    tab = visit(config(call("draw"), "Drawn.", call("read_file", path="long.txt"), "Read."))
    with Client(tab.url, tab.token) as me:
        id = me.get("/api/sessions")["sessions"][0]["id"]
        me.http.put(f"/api/sessions/{id}/file", params={"path": "long.txt"}, content=long.encode())
    tab.page.get_by_label("Reads run by themselves").check()
    tab.soon(tab.page.get_by_label("Reads run by themselves")).to_be_checked()
    tab.say("Draw")
    tab.sees("Drawn.")
    tab.soon(tab.page.locator("img.picture")).to_have_js_property("naturalWidth", 1)
    tab.idle()
    tab.say("Read")
    tab.sees("Read.")
    tab.idle()
    result = tab.page.locator("details.result").last
    tab.soon(result.locator("pre")).to_have_count(0)
    result.locator("summary").click()
    tab.soon(result.locator("pre")).to_contain_text("line 3")
    result.get_by_role("button", name="Show all").first.click()
    tab.soon(result.locator("pre").first).to_contain_text("line 1999")


def test_an_address_is_chosen_in_the_page_with_its_key_and_models(visit: Visit) -> None:
    backend = Backend(lambda messages: "Hello from there.")
    with backend_served(backend.app()) as place:
        tab = visit(config("ok"))
        tab.panel("settings")
        tab.page.get_by_label("Where replies come from").select_option("url")
        tab.page.get_by_label("Address", exact=True).fill(f"{place}/v1")
        tab.page.get_by_label("Key", exact=True).fill("sk-page-0123456789")
        tab.click("Fetch the list")
        tab.soon(tab.page.get_by_label("Model", exact=True)).to_have_value("m")
        tab.soon(tab.page.locator("tp-settings")).to_contain_text("For this model:")
        tab.page.get_by_label("How the form is taught").select_option("eager")
        tab.click("Use these settings")
        tab.sees("These settings hold")
        tab.soon(tab.page.get_by_label("Key", exact=True)).to_have_value("")
        tab.say("Hi")
        tab.sees("Hello from there.")
        assert {each["authorization"] for each in backend.headers} == {"Bearer sk-page-0123456789"}


def test_settings_that_are_being_filled_in_stay_when_a_turn_ends(visit: Visit) -> None:
    hold = Hold()
    tab = visit(config(["One", hold, " two."]))
    tab.say("Hi")
    tab.sees("One")
    tab.panel("settings")
    tab.page.get_by_label("System prompt").fill("Be brief.")
    hold.release()
    tab.sees("One two.")
    tab.idle()
    tab.soon(tab.page.get_by_label("System prompt")).to_have_value("Be brief.")


def test_a_session_is_shared_and_watched_by_another_person(browser: Any, monkeypatch: Any) -> None:
    keys = {"ANN": "annas-long-key", "BEN": "bens-long-key"}
    for name, key in keys.items():
        monkeypatch.setenv(name, key)
    with served(config(BOOK, "Booked.", key_envs=("ANN", "BEN"))) as url:
        ann, ben = (Tab(browser.new_context(), url, key) for key in keys.values())
        ann.say("Book it")
        ann.card("waiting")
        assert ben.page.get_by_text("Book it").count() == 0
        ann.page.get_by_label("What to do with Book it").click()
        ann.click("Share")
        ben.page.reload()
        ben.page.locator("tp-sessions .open", has_text="shared with you").click()
        ben.card("waiting")
        assert ben.button("Run").count() == 0
        ben.soon(ben.page.locator("#say")).to_be_hidden()
        ann.click("Run")
        ben.sees("Booked.")
        ann.page.get_by_label("What to do with Book it").click()
        ann.click("Stop sharing")
        ben.page.reload()
        ben.expect("404")
        ben.page.locator(".welcome").wait_for()
        for tab in (ann, ben):
            tab.check()
            tab.context.close()


def test_the_end_is_in_sight_unless_the_person_scrolls_up(visit: Visit) -> None:
    long = "\n\n".join(f"Paragraph {n}." for n in range(60))
    hold = Hold()
    replies = (long, BOOK, "Booked.", [long, hold, "\n\nAt last."])
    tab = visit(config(*replies), viewport={"width": 360, "height": 500})
    left = "(({scrollHeight: all, scrollTop: top, clientHeight: seen}) => all - top - seen)"
    end = f"{left}(document.querySelector('tp-conversation')) < 2"
    tab.say("Tell me much")
    tab.sees("Paragraph 59.")
    tab.idle()
    tab.until(end)
    tab.say("Book it")
    tab.card("waiting")
    tab.until(end)
    tab.click("Run")
    tab.sees("Booked.")
    tab.idle()
    tab.until(end)
    log = tab.page.locator("tp-conversation")
    log.evaluate("(log) => log.scrollBy(0, -300)")
    tab.say("Tell me more")
    tab.until(end)
    log.evaluate("(log) => log.scrollBy(0, -300)")
    tab.until("!document.querySelector('tp-conversation').stuck")
    hold.release()
    tab.idle()
    tab.soon(log).to_contain_text("At last.")
    assert not tab.page.evaluate(end)
