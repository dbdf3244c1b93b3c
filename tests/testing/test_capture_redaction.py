"""What is private goes, and the reply reads as before."""

from __future__ import annotations

import json

import pytest

from toolproto import UsageError, get_paradigm
from toolproto.testing.capture_classes import malformation
from toolproto.testing.capture_redaction import StandIns
from toolproto.testing.explain import explain_reply

KEY = "sk-abcDEF0123456789xyz"
MAIL = "ann.lee+work@mail.example.org"
#: text, what must not be left of it
PRIVATE = {
    "a key": (f"The key is {KEY}.", KEY),
    "a bearer token": ("Authorization: Bearer abcdef.12345678", "abcdef"),
    "an address": (f"Write to {MAIL} today.", "ann"),
    "an address in angle brackets": (f"<{MAIL}>", "mail.example"),
    "a key in JSON": (json.dumps({"header": KEY}), KEY),
    "two addresses": ("a.b@c.de,f.g@h.ij", "a.b"),
}


@pytest.mark.parametrize("case", PRIVATE)
def test_what_is_private_is_replaced_by_as_much(case: str) -> None:
    text, private = PRIVATE[case]
    redacted = StandIns()(text)
    assert private not in redacted
    assert len(redacted) == len(text)
    assert [c for c in redacted if not c.isalnum()] == [c for c in text if not c.isalnum()]


def test_redacting_twice_is_redacting_once() -> None:
    for text, _ in PRIVATE.values():
        once = StandIns()(text)
        assert StandIns()(once) == once


@pytest.mark.parametrize(
    "text",
    [
        "Nothing private, not even @here or a@b.",
        "price: 3 sk-short",
        "x" * 10_000,
        "@" * 5_000 + "." * 5_000,
        "a@" * 5_000,
        "\ud800 \x00 \u202e",
        "",
    ],
    ids=lambda text: text[:12],
)
def test_what_is_not_private_stays(text: str) -> None:
    assert StandIns()(text) == text


def test_escapes_and_brackets_stay_where_they_are() -> None:
    text = r'{"a": "SECRET\n\u00e9\"}", "b": [12, "SECRET"]}'
    redacted = StandIns(patterns=[r"SECRET\\n\\u00e9\\\"|SECRET|12"])(text)
    assert redacted == r'{"a": "xxxxxx\n\u00e9\"}", "b": [11, "xxxxxx"]}'


def test_a_number_stays_a_number() -> None:
    redacted = StandIns(patterns=[r"\d{16}"])('{"card": 4000123412341234}')
    assert json.loads(redacted) == {"card": 1111111111111111}


def test_a_key_behind_an_escape_is_found_in_what_was_read() -> None:
    text = json.dumps({"content": f"x\n{KEY}"})
    assert KEY in StandIns()(text), "the letter of the escape hides where the key begins"
    assert KEY not in StandIns().learnt(json.loads(text))(text)


def test_what_is_named_like_a_secret_is_one_wherever_it_stands() -> None:
    arguments = {"user": "ann", "login": {"password": "hunter2", "pin_token": ["0042"]}}
    text = f"I log in with hunter2: {json.dumps(arguments)}"
    redacted = StandIns().learnt(arguments)(text)
    assert "hunter2" not in redacted and "0042" not in redacted
    assert '"user": "ann"' in redacted


def test_what_somebody_names_goes_as_well() -> None:
    redact = StandIns(["Project Heron"], [r"\bEMP-\d+\b"])
    assert redact("Project Heron, EMP-1234") == "xxxxxxx xxxxx, xxx-1111"


def test_a_pattern_that_is_none_is_refused() -> None:
    with pytest.raises(UsageError, match=r"'\(' is not a regular expression"):
        StandIns(patterns=["("])


MALFORMED = [
    f"<tool_code>{{'name': 'send', 'arguments': {{'to': '{MAIL}'}}}}</tool_code>",
    f'<tool_code>{{"name": "send", "arguments": {{"to": "{MAIL}"</tool_code>',
    f'<tool_code>{{"name": "send", "arguments": {{"to": "{MAIL}", }}}}</tool_code>',
    f'<tool_code>{{"name": "send", "arguments": {{"to": "say "{KEY}" there"}}}}</tool_code>',
    f'```json\n{{"name": "send", "arguments": {{"to": "{MAIL}"}}}}\n```',
    f"<tool_code>write to {MAIL}</tool_code>",
    f'`<tool_code>{{"name": "send", "arguments": {{"key": "{KEY}"}}}}</tool_code>`',
]


@pytest.mark.parametrize("reply", MALFORMED, ids=lambda reply: reply[:30])
def test_a_broken_call_stays_broken_in_the_same_way(reply: str) -> None:
    paradigm = get_paradigm("xml_tag")
    redacted = StandIns()(reply)
    assert redacted != reply
    assert malformation(explain_reply(redacted, paradigm)) == malformation(
        explain_reply(reply, paradigm)
    )
