"""One reply, read and checked."""

from __future__ import annotations

import json

import pytest

from toolproto.bulk.replies import ReplyOutcome, ReplyReader
from toolproto.protocol.errors import UsageError
from toolproto.protocol.tools import ToolOffer

from .samples import OFFER, call, reading


def read(text, *, paradigm="xml_tag", offer=OFFER, finish_reason=None, **options):
    reader = ReplyReader(reading(**options))
    return reader.read(text, offer, paradigm, finish_reason)


OUTCOMES = [
    ("Hello.", ReplyOutcome.NO_CALL),
    ("", ReplyOutcome.NO_CALL),
    (call(), ReplyOutcome.CALLS),
    (call() + call(), ReplyOutcome.CALLS),
    (call().replace('"', "'"), ReplyOutcome.REPAIRED),
    (call(name="getWeather"), ReplyOutcome.REPAIRED),
    ('{"name": "get_weather", "arguments": {"city": "Oslo"}}', ReplyOutcome.GUESSED),
    (f"- {call()}", ReplyOutcome.GUESSED),
    (f"So:\n{call()}\nThat is how.", ReplyOutcome.GUESSED),
    (call()[:40], ReplyOutcome.TRUNCATED),
    (call() + call()[:40], ReplyOutcome.TRUNCATED),
    (call(name="get_time"), ReplyOutcome.PROBLEM),
    (call(city=3), ReplyOutcome.REPAIRED),
    (call(city={}), ReplyOutcome.PROBLEM),
    (call() + "<tool_code>oops</tool_code>", ReplyOutcome.PROBLEM),
    ("<tool_code>oops</tool_code>" + call()[:40], ReplyOutcome.PROBLEM),
]  # fmt: skip


@pytest.mark.parametrize("text, outcome", OUTCOMES)
def test_the_outcome_is_the_worst_that_came(text, outcome):
    reply = read(text)
    assert reply.outcome is outcome
    assert json.loads(json.dumps(reply.told()))["outcome"] == outcome.value


def test_all_that_was_read_is_told():
    reply = read("<think>Oslo.</think>Let me look. " + call(name="getWeather") + call(name="no"))
    assert reply.told() == {
        "outcome": "problem",
        "calls": [
            {
                "id": "call_1",
                "name": "get_weather",
                "arguments": {"city": "Oslo"},
                "repairs": [
                    {"name": "name_separator", "grade": "lossless", "detail": "getWeather"}
                ],
                "place": "",
            }
        ],
        "problems": [
            {
                "kind": "unknown_tool",
                "name": "no",
                "message": "there is no tool 'no'; the tools are: get_weather",
                "raw": '{"name": "no", "arguments": {"city": "Oslo"}}',
            }
        ],
        "text": "Let me look. ",
        "reasoning": "Oslo.",
    }


def test_a_doubt_that_only_the_end_shows_is_told():
    told = read(f"So:\n{call()}\nThat is how.").told()
    assert [each["place"] for each in told["calls"]] == ["introduced"]


def test_ids_are_counted_anew_in_every_reply():
    reader = ReplyReader(reading())
    for _ in range(2):
        reply = reader.read(call() + call(), OFFER, "xml_tag")
        assert [each.id for each in reply.calls] == ["call_1", "call_2"]


def test_without_tools_or_without_the_check_any_name_and_argument_will_do():
    for reply in (
        read(call(3, name="no"), check=False),
        read(call(3, name="no"), offer=ToolOffer()),
    ):
        assert [(each.name, each.arguments) for each in reply.calls] == [("no", {"city": 3})]
        assert reply.outcome is ReplyOutcome.CALLS


@pytest.mark.parametrize("reason", ["length", "MAX_TOKENS", "content_filter", "abort"])
def test_a_reply_that_was_cut_does_not_guess_its_end(reason):
    open_end = call().removesuffix("}</tool_code>")
    assert read(open_end, finish_reason="stop").calls
    reply = read(open_end, finish_reason=reason)
    assert reply.calls == [] and reply.outcome is ReplyOutcome.TRUNCATED


def test_a_row_may_be_in_a_form_of_its_own():
    hermes = call().replace("tool_code", "tool_call")
    assert read(hermes, paradigm="hermes").outcome is ReplyOutcome.CALLS
    assert read(hermes, paradigm="Hermes").outcome is ReplyOutcome.CALLS
    with pytest.raises(UsageError, match="no paradigm named 'nope'"):
        read(hermes, paradigm="nope")
    with pytest.raises(UsageError, match="no paradigm named"):
        read(hermes, paradigm=" " * 100_000 + "hermes")


def test_a_row_loads_no_code(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "evil.py").write_text("raise SystemExit('ran')")
    for name in ("evil.py", "evil", str(tmp_path / "evil.py")):
        with pytest.raises(UsageError, match="no paradigm named"):
            read(call(), paradigm=name)


def test_salvage_reads_other_forms_of_known_tools():
    hermes = call().replace("tool_code", "tool_call")
    assert "foreign_format" in [each.name for each in read(hermes, salvage=True).calls[0].repairs]


def test_any_reads_every_form_of_known_tools():
    for text in (call(), '[get_weather(city="Oslo")]', "[TOOL_CALLS]get_weather[ARGS]{}"):
        assert read(text, paradigm="any", check=False).calls[0].name == "get_weather"
    assert read(call(name="no"), paradigm="any").outcome is ReplyOutcome.NO_CALL
    with pytest.raises(UsageError, match="has no tools"):
        read(call(), paradigm="any", offer=ToolOffer())
    with pytest.raises(UsageError, match="--tools"):
        reading(paradigm="any", offer=ToolOffer())


def test_a_reply_may_begin_inside_a_thought():
    text = f"So I call it: {call('Rome')}</think>{call('Oslo')}"
    assert [each.arguments["city"] for each in read(text).calls] != ["Oslo"]
    reply = read(text, starts_in_thinking=True)
    assert [each.arguments["city"] for each in reply.calls] == ["Oslo"]
    assert reply.reasoning.startswith("So I call it")
