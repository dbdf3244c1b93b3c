"""What is not written down: keys, configured fields, and what becomes of a call without them."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from toolproto import Allow, Defer, tool
from toolproto.conversation.journal.journal import unpacked
from toolproto.conversation.session import Redaction, export_jsonl, export_markdown
from toolproto.conversation.stores import MemoryStore
from toolproto.endpoints import HttpEndpoint, ScriptedEndpoint
from toolproto.protocol.tools.outcome import ToolOutput

from .test_turns import call

KEY = "sk-" + "a1B2c3D4" * 4
PINS = [47110815, 47120815]  # long enough that no clock's digits hold them
LOGIN = call("login", f'{{"user": "ada", "account": {{"Password": "hunter22", "pins": {PINS}}}}}')


def raw(store, id="x"):
    """Everything that *store* knows of the session, as text."""
    told = [store.info(id).title, *(json.dumps(each.data) for each in store.read(id))]
    told += [json.dumps(each.data, ensure_ascii=False) for each in store.read(id)]
    return "\n".join([*told, *export_jsonl(store, id), export_markdown(store, id)])


def cut(store, kind):
    records = [each for record in store.read("x") for each in unpacked(record)]
    at = next(at for at, each in enumerate(records) if each.kind == kind)
    kept = MemoryStore()
    kept.create("x")
    kept.append("x", records[: at + 1], 0, durable=True)
    return kept


@pytest.fixture
def store():
    return MemoryStore()


def logging_in(got, **options):
    @tool(**options)
    def login(user: str, account: dict) -> ToolOutput:
        got.append(account)
        shown = f"logged in with {account.get('Password')}"
        return ToolOutput(shown, metadata={"password": account.get("Password"), "took": 3})

    return login


FIELDS = Redaction(fields=["password", "PINS"])


def test_keys_that_look_like_keys_are_never_written(play, store):
    @tool
    def show(key: str) -> str:
        return f"the key is {key}"

    reply = ["I use sk", f"-{KEY[3:]} now. ", call("show", json.dumps({"key": KEY}))]
    play(reply, f"Done with {KEY}.", tools=[show], store=store, id="x").send(f"{KEY} is my key")
    assert KEY not in raw(store) and KEY[8:] not in raw(store)
    assert "[redacted]" in raw(store)


def test_the_session_that_runs_knows_what_was_redacted(play, store):
    play("I know.", "I still know.", store=store, id="x").send(f"my key is {KEY}")
    play.send("Which?")
    assert KEY in play.requests[1].messages[-3].content
    assert KEY in play.session.messages[0].content
    play("I do not.", store=store, id="x")
    assert play.session.messages[0].content == "my key is [redacted]"


def test_the_beginning_of_a_key_is_no_title(play, store):
    play("ok", store=store, id="x").send(f"use {KEY} " * 3)
    assert KEY[:10] not in store.info("x").title
    play.session.title = f"about {KEY}"
    assert store.info("x").title == "about [redacted]"


def test_a_title_that_the_model_makes_holds_no_key(play, store):
    play("ok", f"Key {KEY}"[:60], store=store, id="x").send("hi")
    made = play.session.make_title()
    if play.kind == "async":
        made = play.runner.run(made)
    assert KEY[:20] not in raw(store)


def test_the_keys_of_an_endpoint_are_never_written(play, store):
    secret = "plain-as-a-pikestaff"
    endpoint = HttpEndpoint("http://localhost:1", model="m", api_key=secret)
    heard = ScriptedEndpoint(f"you sent {secret}", f"Bearer {secret}")
    heard.redactor = endpoint.redactor
    play.open(heard, store=store, id="x")
    play.send(f"is it {secret}?")
    assert secret not in raw(store)


def test_secrets_and_patterns_are_removed_wherever_they_stand(play, store):
    redact = Redaction(secrets=["swordfish"], patterns=[r"\bDE\d{20}\b"])
    reply = "swordfish " + call("login", '{"user": "swordfish", "account": {"swordfish": 1}}')
    play(reply, "DE12345678901234567890", tools=[logging_in([])], store=store, id="x",
         redact=redact).send("say swordfish")  # fmt: skip
    assert "swordfish" not in raw(store) and "DE1234" not in raw(store)


def test_fields_are_removed_from_arguments_metadata_and_text(play, store):
    got = []
    play("I log in. " + LOGIN, "Your password hunter22 works.", tools=[logging_in(got)],
         store=store, id="x", redact=FIELDS).send("go")  # fmt: skip
    assert got == [{"Password": "hunter22", "pins": PINS}]
    for secret in ("hunter22", *map(str, PINS)):
        assert secret not in raw(store)
    assert '"user": "ada"' in raw(store) and '"took": 3' in raw(store)
    call_ = play.session.messages[1].calls[0]
    assert call_.arguments["account"]["Password"] == "hunter22"


@pytest.mark.parametrize("field", [
    "name", "id", "content", "role", "turn", "version", "parent", "status", "message", "call",
    "arguments", "kind", "at", "digest", "parts", "pending", "tool", "ids", "title",
])  # fmt: skip
def test_a_field_of_any_name_leaves_the_journal_whole(play, store, field):
    """A field is what a tool calls so, not what the journal does."""

    @tool
    def greet(name: str, id: str, status: str) -> ToolOutput:
        return ToolOutput("greeted", title="t", metadata={"content": "meta", "role": "none"})

    reply = call("greet", '{"name": "Adalbert", "id": "4711a", "status": "vip"}')
    options = dict(tools=[greet], store=store, id="x", redact=Redaction(fields=[field]))
    play(reply, "Hello.", **options).send("go")
    contents = [message.content for message in play.session.messages if not message.results]
    play("ok", **options)
    assert [m.content for m in play.session.messages if not m.results] == contents
    assert play.send("more").status == "completed"
    assert ("Adalbert" in raw(store)) is (field != "name")


def test_a_pending_call_that_was_redacted_is_not_run(play, store):
    got = []
    options = dict(tools=[logging_in(got, risk="write")], store=store, id="x", redact=FIELDS)
    play(LOGIN, approver=lambda request: Defer(), **options).send()
    id = play.session.pending[0].call.id
    play("I could not.", **options)
    assert play.session.pending[0].call.arguments["account"]["Password"] == "[redacted]"
    result = play.resume({id: Allow()})
    assert got == [] and result.status == "completed"
    assert result.calls[0].result.content == "not run: it is not what was approved"


def test_a_pending_call_that_was_redacted_runs_when_it_is_given_anew(play, store):
    got = []
    options = dict(tools=[logging_in(got, risk="write")], store=store, id="x", redact=FIELDS)
    play(LOGIN, approver=lambda request: Defer(), **options).send()
    play("Done.", **options)
    (request,) = play.session.pending
    whole = {"user": "ada", "account": {"Password": "hunter22", "pins": []}}
    play.resume({request.call.id: Allow(replace(request.call, arguments=whole))})
    assert got == [whole["account"]] and "hunter22" not in raw(store)


def test_the_session_that_runs_decides_about_the_call_as_it_was(play, store):
    got = []
    options = dict(tools=[logging_in(got, risk="write")], store=store, id="x", redact=FIELDS)
    play(LOGIN, "Done.", approver=lambda request: Defer(), **options).send()
    play.resume({play.session.pending[0].call.id: Allow()})
    assert [each["Password"] for each in got] == ["hunter22"]


@pytest.mark.parametrize("idempotent", [False, True])
@pytest.mark.parametrize("kind", ["reply", "decision", "started"])
def test_a_redacted_call_of_a_turn_that_broke_off_is_not_run(play, store, kind, idempotent):
    got = []
    login = logging_in(got, risk="write", idempotent=idempotent)
    options = dict(tools=[login], id="x", redact=FIELDS, approver=lambda request: Allow())
    play(LOGIN, "Done.", store=store, **options).send()
    got.clear()
    play(*["Well."] * 3, store=cut(store, kind), **options)
    result = play.resume({})
    assert got == [] and result.status in ("error", "completed")
    assert play.send("And now?").status == "completed"
    calls = [each.id for message in play.session.messages for each in message.calls]
    answers = [each.call.id for message in play.session.messages for each in message.results]
    assert calls == answers


def test_a_turn_whose_texts_were_redacted_is_told_again(play, store):
    options = dict(tools=[logging_in([])], id="x", redact=FIELDS)
    play(LOGIN, "Done.", store=store, **options).send()
    play("Done.", store=cut(store, "outcome"), **options)
    assert play.resume({}).text == "Done."


def test_a_redaction_does_not_tell_what_it_hides():
    assert "swordfish" not in repr(Redaction(["pin"], ["swordfish"], ["sword.*"]))
