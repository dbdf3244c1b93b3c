"""Every value of a journal is read as it was written, whatever is in it."""

from __future__ import annotations

import json
from dataclasses import fields, is_dataclass, replace
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolproto import Allow, Defer, Deny, Message, ToolCall, ToolResult
from toolproto.conversation.deciding.approvals import ApprovalRequest, EarlierAnswer, call_digest
from toolproto.conversation.journal import decisions as decisions_as_json
from toolproto.conversation.journal import errors as errors_as_json
from toolproto.conversation.journal import messages as messages_as_json
from toolproto.conversation.journal.errors import TurnEnding, read_error, write_error
from toolproto.conversation.journal.messages import read_call, read_result, write_call, write_result
from toolproto.conversation.stores import MemoryStore
from toolproto.conversation.stores.base import Record
from toolproto.conversation.turn.commands import Outcome
from toolproto.conversation.turn.result import StepRecord
from toolproto.conversation.turn.setup import Pending, Terms
from toolproto.protocol import errors as errors_
from toolproto.protocol.deciding.decisions import AskedKind, Topic, Yes
from toolproto.protocol.deciding.pins import Grant, Pin
from toolproto.protocol.messages import Attachment, Grade, Repair, Usage
from toolproto.protocol.tools.spec import ToolSpec

# Halves of surrogate pairs, NUL and line separators included.
texts = st.text(st.characters(codec=None), max_size=20)
numbers = st.one_of(
    st.integers(), st.just(10**300), st.just(-(2**63) - 1),
    st.floats(allow_nan=False), st.just(-0.0),
)  # fmt: skip
plain = st.recursive(
    st.one_of(st.none(), st.booleans(), numbers, texts),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(texts, inner, max_size=4)
    ),
    max_leaves=12,
)  # fmt: skip
mappings = st.dictionaries(texts, plain, max_size=4)
repairs = st.builds(Repair, texts, st.sampled_from(Grade), texts)
calls = st.builds(
    ToolCall, texts, mappings, texts, repairs=st.lists(repairs, max_size=2).map(tuple)
)
results = st.builds(
    ToolResult, calls, texts, st.booleans(), st.none() | texts, mappings,
    st.lists(plain, max_size=3).map(tuple),
)  # fmt: skip
messages = st.builds(
    Message, st.sampled_from(["user", "assistant", "system"]), texts,
    st.lists(calls, max_size=2).map(tuple), st.lists(results, max_size=2).map(tuple), texts,
)  # fmt: skip
decisions = st.one_of(
    st.builds(Allow, st.none() | calls, st.booleans()),
    st.builds(Deny, texts, st.booleans()),
    st.just(Defer()),
)
names = st.lists(texts, max_size=2).map(tuple)
terms = st.builds(
    Terms, texts, st.booleans(), mappings, st.none() | names, names, st.none() | texts, texts, texts
)
risks = st.sampled_from(["read", "write", "egress", "exec"])
pins = st.builds(Pin, texts, texts, texts, risks, texts)
topics = st.builds(Topic, st.sampled_from(get_args(AskedKind)), texts, texts)
requests = st.builds(
    ApprovalRequest, calls, st.builds(ToolSpec, st.just("t"), texts, st.just({"type": "object"})),
    risks, texts, texts, asked=st.lists(topics, max_size=2).map(tuple),
    pin=st.none() | pins, before=st.none() | pins,
)  # fmt: skip
answers = st.builds(
    EarlierAnswer, decisions, texts, st.lists(topics, max_size=2).map(tuple), st.none() | pins
)
yeses = st.builds(
    Yes,
    st.lists(topics, max_size=2).map(tuple),
    pins,
    st.lists(texts, max_size=2).map(tuple),
    texts,
)
pendings = st.builds(
    Pending, messages, st.lists(calls, max_size=3).map(tuple),
    st.dictionaries(texts, requests, max_size=2), st.dictionaries(texts, results, max_size=2),
    st.dictionaries(texts, decisions, max_size=2), terms,
    st.dictionaries(texts, results, max_size=1), st.dictionaries(texts, calls, max_size=1),
    st.dictionaries(texts, yeses, max_size=1),
)  # fmt: skip
endpoint_errors = st.builds(
    lambda kind, said, status, body, pause: kind(
        said, status=status, body=body, retry_after=pause
    ),
    st.sampled_from([errors_.EndpointError, errors_.EndpointTimeout, errors_.WireError]),
    texts, st.none() | st.integers(0, 999), texts, st.none() | st.floats(0, 1e6),
)  # fmt: skip
own_errors = st.builds(
    lambda kind, said: kind(said),
    st.sampled_from([errors_.TurnCancelled, errors_.TurnTimeout, errors_.UsageError]),
    texts,
)
times = st.floats(0, 1e10)
pictures = st.builds(Attachment, texts, texts, texts, texts)
steps = st.builds(
    StepRecord, st.just(0), st.builds(Usage, st.integers(0), st.integers(0)), st.none() | texts,
    st.none() | st.floats(0, 9), texts,
)  # fmt: skip


def _numbered(steps: list[StepRecord]) -> tuple[StepRecord, ...]:
    return tuple(replace(each, number=at) for at, each in enumerate(steps, 1))


rounds = st.lists(st.lists(st.text("0123456789abcdef", min_size=1), min_size=1), max_size=3)
VALUES = {
    "grants": st.lists(st.builds(Grant, pins, st.booleans()), max_size=3).map(
        lambda granted: {each.pin.name: each for each in granted}
    ),
    "loop": st.fixed_dictionaries(
        {"rounds": rounds, "tolerated": rounds, "refused": st.booleans()}
    ),
    "call": calls,
    "result": results,
    "outcome": st.builds(Outcome, results) | st.builds(Outcome, results, times, times),
    "ending": st.builds(
        TurnEnding,
        st.lists(steps, max_size=3).map(_numbered),
        st.integers(0, 9),
        times,
        st.none() | own_errors,
    ),
    "attachment": st.one_of(
        st.binary(max_size=9), pictures, plain, st.fixed_dictionaries({"$bytes": texts})
    ),
    "message": messages,
    "usage": st.builds(Usage, st.integers(0), st.integers(0)),
    "answer": answers,
    "decision": decisions,
    "verdict": st.one_of(decisions, texts, results),
    "review": st.one_of(
        st.none(), results, st.builds(Deny, texts, st.booleans()), st.just(Defer())
    ),
    "terms": terms,
    "pending": pendings,
    "error": st.one_of(endpoint_errors, own_errors),
}
#: All writers and readers by name.
WAYS = {
    name: getattr(module, name)
    for module in (decisions_as_json, errors_as_json, messages_as_json)
    for name in module.__all__
    if name.startswith(("read_", "write_"))
}


def told(value: Any) -> Any:
    """*value* with what equality leaves out, and 1 told from 1.0 and True."""
    if isinstance(value, Exception):
        return type(value), str(value), sorted(vars(value).items())
    if is_dataclass(value) and not isinstance(value, type):
        names = [each.name for each in fields(value) if each.name not in ("raw", "span")]
        return type(value), [(name, told(getattr(value, name))) for name in names]
    if isinstance(value, dict):
        return {key: told(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [told(each) for each in value]
    return type(value), repr(value)


def stored(value: Any) -> Any:
    """*value* as it comes out of a store."""
    store = MemoryStore()
    store.create("x")
    store.append("x", [Record("kind", {"value": value})], 0, durable=False)
    return store.read("x")[0].data["value"]


@pytest.mark.parametrize("name", VALUES)
@given(data=st.data())
def test_a_value_is_read_as_it_was_written(name, data):
    value = data.draw(VALUES[name])
    write, read = WAYS[f"write_{name}"], WAYS[f"read_{name}"]
    assert told(read(stored(write(value)))) == told(value)


def test_every_value_has_a_writer_and_a_reader():
    assert WAYS.keys() == {f"{way}_{name}" for name in VALUES for way in ("read", "write")}


@given(calls)
def test_a_call_keeps_its_digest(call):
    assert call_digest(read_call(stored(write_call(call)))) == call_digest(call)


class Mute:
    def __repr__(self) -> str:
        raise RuntimeError("no words")


def circle() -> list[Any]:
    inside: list[Any] = []
    inside.append(inside)
    return inside


UNHOLDABLE = [object(), {1, 2}, b"bytes", circle(), 10**5000, Mute(), {("a", 1): 2}, 1j, type]


@pytest.mark.parametrize("value", UNHOLDABLE, ids=lambda each: type(each).__name__)
def test_what_json_cannot_hold_is_shown_and_the_rest_is_whole(value):
    call = ToolCall("t", {"odd": value, "even": [1, "a"]}, "c1")
    result = ToolResult(call, "said", metadata={"odd": value, "even": 2}, attachments=(value, "b"))
    again = read_result(stored(write_result(result)))
    assert again.call.arguments["even"] == [1, "a"] and isinstance(again.call.arguments["odd"], str)
    assert again.metadata["even"] == 2 and isinstance(again.metadata["odd"], str)
    assert again.attachments[1] == "b"
    assert isinstance(again.attachments[0], str) or again.attachments[0] == b"bytes"


def test_names_that_are_no_text_become_text():
    result = ToolResult(ToolCall("t", {}), "said", metadata={("a", 1): 1, None: 2, 3: 3})
    assert set(read_result(stored(write_result(result))).metadata) == {
        "('a', 1)", "None", "3",
    }  # fmt: skip


def test_an_empty_title_and_an_empty_metadata_stay_so():
    result = ToolResult(ToolCall("t", {}), "", title="")
    assert read_result(write_result(result)) == result


class Odd(Exception):
    status, body = object(), b"bytes"

    def __str__(self) -> str:
        raise RuntimeError("no words")


@pytest.mark.parametrize(
    "error", [ValueError("x"), Odd(), KeyError(1), ExceptionGroup("g", [OSError()])]
)
def test_somebody_elses_error_is_told_by_one_of_ours(error):
    told = read_error(stored(write_error(error)))
    assert type(told) is errors_.ToolProtoError and str(told).startswith(type(error).__name__)


@pytest.mark.parametrize("name", ["__builtins__", "TYPE_CHECKING", "CallError", "annotations"])
def test_an_error_of_a_made_up_type_makes_nothing_else(name):
    assert type(read_error({"type": name, "message": "m"})) is errors_.ToolProtoError


def test_a_written_value_shares_nothing_with_the_first():
    arguments = {"list": [1]}
    told = write_call(ToolCall("t", arguments))
    arguments["list"].append(2)
    assert json.dumps(told["arguments"]) == '{"list": [1]}'
