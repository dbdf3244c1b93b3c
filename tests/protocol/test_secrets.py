"""Secrets are removed, and nothing else is."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.patience import PATIENCE
from toolproto.protocol.secrets import REDACTED, Redactor, names_a_secret, rewritten, with_texts

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


AWS = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"
PEM = "MIIEpAIBAAKCAQEA7v0e1kq5QmWf8K1v0x2y3z4A5B6C7D8E9F0a1b2c3d4e5f6g"
LINES = "\n".join([PEM] * 3)
SECRETS = {
    "an AWS secret in a shell": (f"export AWS_SECRET_ACCESS_KEY={AWS}", AWS),
    "in its credentials file": (f"aws_secret_access_key = {AWS}\n", AWS),
    "in JSON": (f'{{"SecretAccessKey": "{AWS}"}}', AWS),
    "in JSON in JSON": (f'{{\\"secretAccessKey\\": \\"{AWS}\\"}}', AWS),
    "in YAML": (f"secret_key: '{AWS}'", AWS),
    "a temporary AWS id": ("ASIAIOSFODNN7EXAMPLE", "ASIAIOSFODNN7"),
    "Stripe": ("charge with sk_live_4eC39HqLyjWDarjtT1zdp7dc now", "4eC39HqLyjWDarjtT1zdp7dc"),
    "Stripe, restricted": ("rk_test_4eC39HqLyjWDarjtT1zdp7dc", "4eC39HqLyjWDarjtT1zdp7dc"),
    "Stripe's webhooks": ("whsec_abcdefghijklmnopqrstuvwxyz012345", "abcdefghijklmnop"),
    "a JWT": ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N",
              "eyJzdWIiOiIxMjM0NTY3ODkwIn0"),
    "a JWT without a signature": ("eyJhbGciOiJub25lIn0.eyJzdWIiOiJhZGEifQ.", "eyJzdWIi"),
    "PEM": (f"-----BEGIN RSA PRIVATE KEY-----\n{LINES}\n-----END RSA PRIVATE KEY-----", PEM),
    "PEM in JSON": (f'"-----BEGIN PRIVATE KEY-----\\n{PEM}\\n-----END PRIVATE KEY-----\\n"', PEM),
    "PEM cut off": (f"-----BEGIN EC PRIVATE KEY-----\n{LINES}", PEM),
    "PEM with a word of its own": (
        "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,12AB\n\n"
        f"{LINES}\n-----END RSA PRIVATE KEY-----", PEM),
    "OpenSSH": (f"-----BEGIN OPENSSH PRIVATE KEY-----\n{LINES}\n-----END OPENSSH", PEM),
    "a password in a URL": ("postgresql://ada:hunter2@db.example/x", "hunter2"),
    "a password with signs in a URL": ("https://ada:p%40ss:w0rd!@db.example", "w0rd"),
    "a key in a URL": ("GET https://x.example/v1?a=1&api_key=abcdef0123&b=2", "abcdef0123"),
    "GitLab": ("glpat-abcdefghij0123456789", "abcdefghij0123456789"),
    "GitLab's runners": ("glrt-abcdefghij0123456789", "abcdefghij0123456789"),
    "npm": ("//registry/:_authToken=npm_abcdefghijklmnopqrstuvwxyz0123456789", "abcdefghijkl"),
    "PyPI": ("pypi-AgEIcHlwaS5vcmcCJDAwMDAwMDAwLTAwMDAtMDAwMC0wMDAwLTAwMDAwMDAw", "AgEIcHlwaS5"),
    "GitHub's apps": ("ghu_abcdefghijklmnopqrstuvwxyz0123456789", "abcdefghijkl"),
    "SendGrid": ("SG.abcdefghijklmnopqrstuv.ABCDEFGHIJKLMNOPQRSTUVWXYZ01234", "ABCDEFGHIJ"),
    "Vault": ("hvs.CAESIJabcdefghijklmnopqrstuvwxyz", "abcdefghijkl"),
    "Databricks": (f"dapi{'0123456789abcdef' * 2}", "0123456789abcdef"),
    "Slack's webhooks": ("https://hooks.slack.com/services/T000/B000/abcdefghijklmnop", "abcdef"),
    "Azure's accounts": ("AccountName=x;AccountKey=Eby8vdM02xNOcqFlqUwJPLl+/==;", "Eby8vdM02xNO"),
    "a password in YAML": ("db_password: hunter2hunter", "hunter2"),
    "a password in JSON in JSON": (r'{\"password\": \"hunter2hunter\"}', "hunter2"),
    "a key in a header": ("x-api-key: abcdef0123456789", "abcdef0123456789"),
    "a cookie": ("HTTP/1.1 200 OK\r\nSet-Cookie: session=abcdef0123; Path=/\r\n", "abcdef0123"),
    "a key of npm": ("//registry/:_authToken=0123abcd-4567-89ab-cdef-0123", "0123abcd"),
    "Slack's apps": ("xapp-1-A0123456789-abcdefghijklmnop", "A0123456789"),
}  # fmt: skip


@pytest.mark.parametrize("text, secret", SECRETS.values(), ids=list(SECRETS))
def test_a_secret_is_known_by_its_look(text, secret):
    assert secret in text
    around = f"It says: {text} That is all."
    cleaned = Redactor()(around)
    assert secret not in cleaned and REDACTED in cleaned
    assert cleaned.startswith("It says: ") and cleaned.endswith("That is all.")


@pytest.mark.parametrize("text, secret", SECRETS.values(), ids=list(SECRETS))
def test_a_secret_that_comes_in_pieces_is_known_too(text, secret):
    for size in (1, 3, 7):
        pieces = [text[at : at + size] for at in range(0, len(text), size)]
        assert secret not in "".join(Redactor().pieces(pieces))


PLAIN = [
    "See https://example.org:8080/a@b and http://[::1]:80/ or mailto:ada@example.org.",
    "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
    "A key begins with -----BEGIN PRIVATE KEY----- and so on.",
    'secret_key = os.environ["SECRET_KEY"]',
    "eyJ is how a JWT begins; 3.14.15; a.b.c",
    "glass, npm_install, pypi-server, sk_live, pk_test_, AKIAbc, ASIAN food",
    "git@github.com:ada/engine.git and ssh://git@example.org/x",
    "d41d8cd98f00b204e9800998ecf8427e da39a3ee5e6b4b0d3255bfef95601890afd80709",
    "?token=&key=a&x=1",
    'password: str | None = None; api_key: "string"; access_token=$TOKEN1; a password is needed',
]


@pytest.mark.parametrize("text", PLAIN)
def test_what_only_looks_a_little_like_one_stays(text):
    assert Redactor()(text) == text


HOSTILE = ["eyJ", "eyJa.", "-----BEGIN ", "-----BEGIN PRIVATE KEY-----", "://a:", "://", "sk-",
           "?key=", "secret_key: ", "glpat-", "-----BEGIN PRIVATE KEY-----\nA: b\n",
           "a" * 7, "\\n", "password=", "password=a",
           "SG.aaaaaaaaaaaaaaaaaaaa", "cookie: a="]  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_is_gone_over_once(text):
    # A test that hangs has failed; what is quadratic takes minutes here.
    told = Redactor(["abcdef"])(text * (400_000 // len(text)) + " abcdef")
    assert "abcdef" not in told


# -- values ---------------------------------------------------------------------------------


def test_a_text_is_told_the_name_it_belongs_to_also_in_a_list() -> None:
    value = {"a": ["x", {"b": ("y", 1, None)}], "c": "z"}
    assert rewritten(value, lambda text, name: f"{name}={text}", name="top") == {
        "a": ["a=x", {"b": ["b=y", 1, None]}],
        "c": "c=z",
    }
    assert rewritten("x", lambda text, name: f"{name}={text}", name="top") == "top=x"


def test_what_a_member_was_changed_to_is_not_looked_into() -> None:
    value = {"hide": ["x"], "show": {"hide": "x", "y": "x"}}
    hidden = rewritten(
        value,
        lambda text, _: text.upper(),
        member=lambda name, each: {"kept": "x"} if name == "hide" else each,
    )
    assert hidden == {"hide": {"kept": "x"}, "show": {"hide": {"kept": "x"}, "y": "X"}}
    assert value == {"hide": ["x"], "show": {"hide": "x", "y": "x"}}


def test_of_two_members_that_become_one_the_last_stays() -> None:
    assert with_texts({"a": ["x"], "A": "y"}, str.upper) == {"A": "Y"}


def test_a_value_may_nest_as_deep_as_it_likes() -> None:
    value: object = "sk-aaaaaaaaaaaaaaaaaaaa"
    for _ in range(50_000):
        value = [value]
    cleaned = Redactor().value(value)
    while isinstance(cleaned, list):
        (cleaned,) = cleaned
    assert cleaned == REDACTED
