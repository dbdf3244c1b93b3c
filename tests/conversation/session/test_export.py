"""Sessions as files: out, in again, and what is refused on the way."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolproto import Allow, Defer, UsageError, tool
from toolproto.conversation.journal.journal import VERSION
from toolproto.conversation.session import export_jsonl, export_markdown, import_jsonl
from toolproto.conversation.stores import MemoryStore

from .test_turns import add, call

ADD = call("add", '{"a": 1, "b": 2}')


@pytest.fixture
def store():
    return MemoryStore()


@pytest.fixture
def lines(play, store):
    play(ADD, "3.", "Again 3.", tools=[add], store=store, id="x").send("1+2?")
    play.send("Sure?", beside=1)
    return list(export_jsonl(store, "x"))


def unmarked(records):
    """*records* as text, without what says whose words they are."""
    told = json.dumps([list(record) for record in records])
    return told.replace(', "imported": true', "").replace(', "trusted": true', "")


def test_a_session_goes_out_and_comes_in(play, store, lines):
    other = MemoryStore()
    assert import_jsonl(other, lines) == "x"
    assert unmarked(other.read("x")) == unmarked(store.read("x"))
    assert other.info("x").title == store.info("x").title == "1+2?"
    play("ok", store=other, id="x", tools=[add])
    play.session.switch(1)
    assert [message.content for message in play.session.messages][-1] == "3."
    assert play.send("more").text == "ok"
    before = store.read("x")
    assert unmarked(other.read("x")[: len(before)]) == unmarked(before)


def test_a_pending_session_goes_out_and_is_decided_about_elsewhere(play, store):
    @tool(risk="write")
    def put() -> str:
        return "put"

    play(call("put", "{}"), tools=[put], approver=lambda r: Defer(), store=store, id="x").send()
    other = MemoryStore()
    import_jsonl(other, export_jsonl(store, "x"), "y")
    play("done", tools=[put], store=other, id="y")
    assert play.resume({play.session.pending[0].call.id: Allow()}).text == "done"


def test_every_line_is_one_line_that_any_file_can_hold(play, store):
    odd = "a\u2028b\u2029c\x85d\ud800e\x00f\x1cg\nh"
    play(odd, store=store, id="x").send(odd)
    lines = list(export_jsonl(store, "x"))
    written = "".join(lines).encode().decode()
    assert written.splitlines(keepends=True) == lines
    other = MemoryStore()
    import_jsonl(other, written.splitlines())
    assert unmarked(other.read("x")) == unmarked(store.read("x"))


def test_text_that_needs_no_escape_is_left_readable(play, store):
    play("Grüße, 世界", store=store, id="x").send("Hallo")
    assert any("Grüße, 世界" in line for line in export_jsonl(store, "x"))


def test_empty_lines_are_passed_over(store, lines):
    other = MemoryStore()
    import_jsonl(other, ["\n", *lines, "  \n"])
    assert unmarked(other.read("x")) == unmarked(store.read("x"))


def test_a_session_that_is_not_there_goes_nowhere(store):
    for export in (lambda: list(export_jsonl(store, "x")), lambda: export_markdown(store, "x")):
        with pytest.raises(UsageError, match="no session"):
            export()


def changed(line, **told):
    return json.dumps({**json.loads(line), **told})


def record(kind, **data):
    return json.dumps({"kind": kind, "data": data})


TURN = {"version": VERSION, "turn": 1, "parent": None, "message": {"role": "user", "content": "hi"},
        "terms": {}}  # fmt: skip

HOSTILE = {
    "nothing": lambda lines: [],
    "no JSON": lambda lines: [lines[0], "}{"],
    "cut short": lambda lines: [*lines[:-1], lines[-1][: len(lines[-1]) // 2]],
    "no object": lambda lines: [lines[0], "[1, 2]"],
    "a number of too many digits": lambda lines: [lines[0], '{"kind": ' + "9" * 5000 + "}"],
    "nested too deep": lambda lines: [lines[0], "[" * 100_000],
    "nested deep in a record": lambda lines: [
        *lines, record("odd")[:-2] + '"a": ' + "[" * 500 + "]" * 500 + "}}"],
    "without its first line": lambda lines: lines[1:],
    "another format": lambda lines: [changed(lines[0], format="chat"), *lines[1:]],
    "a newer version": lambda lines: [changed(lines[0], version=99), *lines[1:]],
    "no version": lambda lines: [changed(lines[0], version=None), *lines[1:]],
    "a version that is none": lambda lines: [changed(lines[0], version="1"), *lines[1:]],
    "an id that is none": lambda lines: [changed(lines[0], id=7), *lines[1:]],
    "an id too long": lambda lines: [changed(lines[0], id="x" * 10_000), *lines[1:]],
    "a record without kind": lambda lines: [lines[0], '{"data": {}}'],
    "a record without data": lambda lines: [lines[0], '{"kind": "turn"}'],
    "a turn without anything": lambda lines: [lines[0], record("turn")],
    "a turn of a newer version": lambda lines: [lines[0], record("turn", **{**TURN, "version": 9})],
    "a turn whose version is none": lambda lines: [
        lines[0], record("turn", **{**TURN, "version": "1"})],
    "a turn behind itself": lambda lines: [lines[0], record("turn", **{**TURN, "parent": 1})],
    "turns in a circle": lambda lines: [
        lines[0], record("turn", **TURN), record("turn", **{**TURN, "turn": 2, "parent": 1}),
        record("turn", **{**TURN, "parent": 2})],
    "a head that is nowhere": lambda lines: [*lines, record("head", turn=77)],
    "a head that is a list": lambda lines: [*lines, record("head", turn=[1])],
    "a message that is none": lambda lines: [*lines, record("message", message=3, position=0)],
    "a message nowhere": lambda lines: [
        *lines, record("message", message={"role": "user", "content": "x"}, position="up")],
    "pending that is none": lambda lines: [
        lines[0], record("turn", **TURN), record("ended", status="pending", pending={"a": 1})],
    "terms there are not": lambda lines: [
        lines[0], record("turn", **{**TURN, "terms": {"sudo": True}})],
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_lines_that_are_no_session_are_refused_and_leave_nothing(lines, name):
    other = MemoryStore()
    with pytest.raises(UsageError):
        import_jsonl(other, HOSTILE[name](lines))
    assert list(other.list()) == []


def test_a_session_that_is_there_is_not_overwritten(store, lines):
    before = store.read("x")
    with pytest.raises(UsageError, match="already"):
        import_jsonl(store, lines)
    assert store.read("x") == before
    assert import_jsonl(store, lines, "y") == "y"
    assert unmarked(store.read("y")) == unmarked(before)


def test_a_huge_session_comes_in_whole(play, store):
    play("x" * 2_000_000, store=store, id="x").send("go")
    lines = list(export_jsonl(store, "x"))
    turns = [
        record("turn", **{**TURN, "turn": n, "parent": n - 1}) for n in range(2, 3000)
    ]  # fmt: skip
    other = MemoryStore()
    turns.append(record("ended", status="completed"))
    import_jsonl(other, [*lines, *turns])
    assert other.info("x").records == len(lines) - 1 + len(turns)


@given(st.lists(st.one_of(
    st.text(max_size=40),
    st.builds(lambda kind, data: json.dumps({"kind": kind, "data": data}),
              st.sampled_from(["turn", "head", "message", "ended", "compacted", "started", "left"]),
              st.dictionaries(st.sampled_from(["turn", "parent", "version", "message", "position",
                                               "status", "pending", "after", "ids", "terms",
                                               "verdicts", "followed", "loop", "granted"]),
                              st.one_of(st.none(), st.integers(-2, 3), st.text(max_size=3),
                                        st.just({"role": "user", "content": "x"}),
                                        st.lists(st.integers(0, 2), max_size=2)))),
), max_size=6))  # fmt: skip
def test_whatever_the_lines_are_they_are_a_session_or_refused(lines):
    store = MemoryStore()
    head = json.dumps({"format": "toolproto session", "version": VERSION, "id": "x", "title": ""})
    try:
        import_jsonl(store, [head, *lines])
    except UsageError:
        assert list(store.list()) == []
    else:
        export_markdown(store, "x")


# -- Markdown -------------------------------------------------------------------------------


def fences(text):
    """The blocks of code in *text*, as a Markdown reader sees them, and what stands outside."""
    inside, outside, fence = [], [], ""
    for line in text.splitlines():
        start = line.lstrip(" ")
        ticks = start[: len(start) - len(start.lstrip("`"))]
        if not fence and len(ticks) >= 3:
            fence, block = ticks, []
        elif fence and len(ticks) >= len(fence) and not start.strip("`").strip():
            inside.append("\n".join(block))
            fence = ""
        elif fence:
            block.append(line)
        else:
            outside.append(line)
    return inside, "\n".join(outside), fence


def test_people_read_a_conversation_with_its_calls(lines, store, play):
    play.session.switch(1)
    shown = export_markdown(store, "x")
    assert shown.startswith("# 1+2?\n\n**You:** 1+2?\n")
    inside, outside, left_open = fences(shown)
    assert json.loads(inside[0]) == {"a": 1, "b": 2} and inside[1] == "3" and not left_open
    assert "→ `add`" in outside and "← `add`" in outside and "**Model:** 3." in outside


@pytest.mark.parametrize("text", [
    "```", "````\n```", "a ``` b", "```python\nprint()\n```", "\t```\n`````", "x" * 50 + "```",
    "~~~\n```\n~~~", "   ````````` text",
])  # fmt: skip
def test_nothing_in_a_result_ends_its_fence(play, store, text):
    @tool
    def show() -> str:
        return text

    play(call("show", "{}"), "Seen.", tools=[show], store=store, id="x").send("go")
    inside, outside, left_open = fences(export_markdown(store, "x"))
    assert inside[1] == text and not left_open and "**Model:** Seen." in outside


def test_a_fence_is_no_longer_than_it_must_be(play, store):
    @tool
    def show() -> str:
        return "x" * 100_000 + "```"

    play(call("show", "{}"), "Seen.", tools=[show], store=store, id="x").send("go")
    assert len(export_markdown(store, "x")) < 101_000


@pytest.mark.parametrize("reply", ["Look:\n```python\nprint(1)", "~~~\nopen", "````\n```\nopen"])
def test_a_fence_that_the_model_left_open_swallows_nothing(play, store, reply):
    play(reply, "Second.", store=store, id="x").send("a")
    play.send("b")
    shown = export_markdown(store, "x").replace("~~~", "```")
    _, outside, left_open = fences(shown)
    assert "**You:** b" in outside and "**Model:** Second." in outside and not left_open


def test_a_title_is_one_line(play, store):
    play("ok", store=store, id="x").send("a")
    store.rename("x", "one\n\n# two")
    assert export_markdown(store, "x").splitlines()[0] == "# one # two"
