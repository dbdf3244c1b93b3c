"""Secrets are removed, and nothing else is."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.patience import PATIENCE
from toolproto.endpoints.redaction import REDACTED, Redactor, names_a_secret

KEY = 's3cret/Käy+"x"'


@pytest.mark.parametrize(
    "text",
    [
        f"wrong key {KEY}!",
        'wrong key {"k": "s3cret/K\\u00e4y+\\"x\\""}',
        "wrong key s3cret%2FK%C3%A4y%2B%22x%22",
        "Authorization: Bearer abcdefgh12345678",
        "sk-proj-abcdefghijklmnop1234",
        "token ghp_abcdefghijklmnopqrstuvwxyz0123456789",
        "AKIAIOSFODNN7EXAMPLE",
    ],
)
def test_a_key_is_removed_however_it_is_written(text):
    cleaned = Redactor([KEY])(text)
    assert REDACTED in cleaned
    assert "s3cret" not in cleaned and "abcdefgh" not in cleaned and "AKIA" not in cleaned


def test_the_longer_of_two_keys_leaves_no_rest():
    assert Redactor(["abcdef", "abcdefghij"])("abcdefghij") == REDACTED


def test_a_pattern_of_ones_own_is_removed():
    assert Redactor(patterns=[r"\d{4}-\d{4}"])("call 1234-5678 now") == f"call {REDACTED} now"


def test_ordinary_text_stays():
    text = "the bearer of this task-list is basic: sk-8 and 3 tokens"
    assert Redactor([KEY, ""])(text) == text


def test_a_redactor_does_not_show_what_it_looks_for():
    assert KEY not in repr(Redactor([KEY]))


@given(st.data())
def test_a_key_across_pieces_is_removed(data):
    text = "before abcdef123 between abcdef123abcdef123 after"
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=8)))
    pieces = [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    cleaned = Redactor(["abcdef123"]).pieces(pieces)
    assert len(cleaned) == len(pieces)
    assert "".join(cleaned) == f"before {REDACTED} between {REDACTED}{REDACTED} after"


def test_many_keys_in_many_pieces_take_linear_time():
    began = time.monotonic()
    Redactor(["abcdef"]).pieces(["abc", "def "] * 50_000)
    assert time.monotonic() - began < PATIENCE


def test_values_lose_what_stands_under_secret_names():
    value = {"api_key": "x", "headers": {"Authorization": ["y"]}, "max_tokens": 5, "a": ["b", None]}
    assert Redactor().value(value) == {
        "api_key": REDACTED,
        "headers": {"Authorization": [REDACTED]},
        "max_tokens": 5,
        "a": ["b", None],
    }


@pytest.mark.parametrize("name", ["Authorization", "x-api-key", "Cookie", "ACCESS_TOKEN"])
def test_names_of_secrets(name):
    assert names_a_secret(name)
    assert not names_a_secret("max_tokens")
    assert not names_a_secret("content-type")
