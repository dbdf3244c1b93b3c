"""Patterns of schemas: found in linear time, at a cost that is known before."""

from __future__ import annotations

import re
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolproto.protocol.schemas.patterns import MOST_PATTERNS, Unenforced, prepared, size_of
from toolproto.protocol.schemas.work import Work


def search(pattern: str, text: str) -> bool | None:
    """What is said of a pattern by whoever has done no work yet."""
    return Work().search(pattern, text)


#: What ``re`` would need hours for, or a stack that it does not have.
HARD = [
    ("(a+)+$", "a" * 5000 + "b"),
    ("(a*)*b", "a" * 5000),
    ("^(a|a)*$", "a" * 5000 + "b"),
    ("(a|aa)+$", "a" * 5000 + "b"),
    ("(?:a+){2,}b", "a" * 5000),
    ("(.*)*x", "a" * 5000),
    ("([a-z]+-)*[a-z]+!", "a-" * 2500),
    ("(x+x+)+y", "x" * 5000),
    ("(a?){30}a{30}c", "a" * 5000),
    (".*.*.*.*=", "a" * 5000),
    ("(?:|)*" * 20 + "b", "a" * 5000),
]


@pytest.mark.parametrize("pattern, text", HARD)
def test_a_pattern_that_backtracks_for_hours_elsewhere_is_enforced(pattern, text):
    assert search(pattern, text) is False


UNENFORCED = {
    "looks ahead": ["(?=x)a", "a(?!b)", "(?<=a)b", "(?<!a)b"],
    "sets flags": ["(?i)a", "(?i:a)", "(?x) a", "(?P<x>a)(?P=x)", "(?(1)a|b)", "(?>a)"],
    "different things": ["[]a]", "[^]a]", "[+--]", r"\B", "\ud800", "[\udfff]"],
    "too large": [
        *("a{999999}", "((){60000}){60000}", "(?:(?:a?){6000}){60000}", r"\w{20000}"),
        *(r"\p{L}{100}", r"[\p{L}\d]{100}", r"\pL{100}", "[^a]{3000}", "[éè]{2001}"),
        *("(?:[^a]{100}){100}", "(?:(?:(?:(?:a{99}){99}){99}){99}){99}", "a{50}{50}", "a?{2001}"),
        *("a{99999999999999999999}", "(?<n>a{50}){50}", r"\x{41}{2001}", "[" + "é" * 400 + "]{99}"),
        *("x" * 1001, "(" * 5000),
    ],
    # What the engine says is the engine's.
    "": [
        *(
            "(",
            ")",
            "[",
            "\\",
            "a|(b",
            "[b-a]",
            "a[",
            "a[^",
            "[a--b]",
            "{a}",
            "a{,3}",
            "a{3,2}",
            "*",
        ),
        *(
            r"(a)\1",
            r"(?<n>a)\k<n>",
            r"\p{Nothing}",
            r"\u{110000}",
            r"\ud83d",
            r"\é",
            r"[\b]",
            "[\\",
        ),
    ],
}


@pytest.mark.parametrize(
    "reason, pattern", [(why, each) for why, several in UNENFORCED.items() for each in several]
)
def test_what_is_not_enforced_lets_values_pass_and_has_a_reason(reason, pattern):
    with pytest.raises(Unenforced, match=reason or r"\w"):
        prepared(pattern)
    assert search(pattern, "abc") is None


#: Pattern, texts in which it is found, and texts in which it is not, as Node.js 20 says with the
#: flag ``u``, or without it where the flag refuses the pattern.
ECMASCRIPT = [
    ("", ["", "x"], []),
    ("b", ["abc"], ["acd"]),
    ("^a|b$", ["ax", "xb"], ["xa", "bx"]),
    ("^abc$", ["abc"], ["abc\n", "xabc", "abc\nabc"]),
    (r"^\d+$", ["123"], ["١٢٣", "12a", "²"]),
    (r"^\D$", ["١"], ["1"]),
    (r"^\w+$", ["a_b1"], ["é", "Ω", "a-b"]),
    (r"^\W$", ["é", " "], ["a"]),
    (r"^\s$", [" ", "\t", "\v", "\u00a0", "\u2028"], ["\x1c", "a"]),
    (r"\bx\b", ["a x b", "éxé"], ["ax", "x_"]),
    (r"^\p{L}+$", ["Zoë", "Ω"], ["3"]),
    (r"^[\p{L}\d]+$", ["é1"], ["_", "١"]),
    (r"^\p{Script=Greek}+$", ["αβ"], ["ab"]),
    ("^(?<year>\\d{4})-x$", ["2024-x"], ["24-x"]),
    (r"^\/api\/v\d+", ["/api/v1"], ["/api/v"]),
    (r"^\x41\u0042\u{43}$", ["ABC"], ["ABc"]),
    ("^[😀-😂]+$", ["😀😁"], ["a"]),
    (r"^\<\-\>$", ["<->"], ["->", "-"]),
    (r"^[\w.-]+$", ["a.b-c"], ["a b"]),
    (r"^[\w-.]+$", ["a.b-c"], ["a b", "/"]),
    (r"^[^\W_]+$", ["ab1"], ["_", "é"]),
    (r"^[a\-z]+$", ["a-z"], ["b"]),
    ("^[-a]+$", ["-a"], ["b"]),
    ("^[a-]+$", ["-a"], ["b"]),
    ("^[[a]+$", ["[a"], ["]"]),
    ("^[[:a:]+$", ["[:a"], ["b"]),
    (r"^[\[\]]+$", ["[]"], ["\\"]),
    ("^[a&&b]+$", ["a&b"], ["c"]),
    ("^[a~~b]+$", ["a~b"], ["c"]),
    (r"^[^\s\S]$", [], ["a", "\n"]),
    (r"^[\s\S]$", ["a", "\n"], ["", "ab"]),
    ("^a{2,3}?$", ["aa", "aaa"], ["a", "aaaa"]),
    ("^a$\\n", [], ["a\n"]),
    (r"^[^@\s]+@[^@\s]+\.[a-z]{2,}$", ["me@example.org"], ["me", "me@x"]),
    ("^(?:[01]\\d|2[0-3]):[0-5]\\d$", ["23:59"], ["24:00"]),
]


@pytest.mark.parametrize("pattern, found, missed", ECMASCRIPT)
def test_a_pattern_means_what_ecmascript_means_by_it(pattern, found, missed):
    assert [text for text in (*found, *missed) if search(pattern, text)] == found
    assert None not in {search(pattern, text) for text in (*found, *missed)}


@pytest.mark.parametrize("pattern", [r"\Aab\Z", r"\Aab\z", "(?P<x>^ab$)"])
def test_the_spelling_of_python_is_read_where_ecmascript_has_no_other_meaning(pattern):
    assert search(pattern, "ab") is True
    assert search(pattern, "ab\n") is False
    assert search(pattern, "xab") is False


#: Where ``re`` says something else, ASCII or not: pattern, text, and what is said here.
NOT_AS_IN_PYTHON = [
    ("^a$", "a\n", False),
    (r"^\s$", "\x1c", False),
    (r"^\d$", "١", False),
    (r"^\w$", "é", False),
    ("a++a", "aa", True),
]


@pytest.mark.parametrize("pattern, text, found", NOT_AS_IN_PYTHON)
def test_what_differs_from_python_is_known(pattern, text, found):
    assert search(pattern, text) is found
    assert bool(re.search(pattern, text)) is not found


#: Patterns of this repository's schemas, tests and grammars.
CORPUS = [
    *("^[a-z]{2,5}$", r"^\d{3}-\d{2}$", "[A-Z]", "^(foo|bar)+$", "^a?b*c+$", r"^\S+@\S+\.\S+$"),
    *(r"^[^/\\]+$", "^(?:x|y){0,3}z$", r"^\x41\u0042$", "^[a-c-]$", "^$", "abc", r"^\.[\w-]+$"),
    *("^é$", r"\bword\b", "a$b", "(^a)", "^[A-Z]{3}$", "^[A-Za-z0-9_-]{1,64}$", "^[0-9]{3}$"),
    *("(a|b|c)", "(a|b|ab)*c", "x", "^x+$", r"^\d{4}-\d{2}-\d{2}$", "^[a-z0-9_-]+$"),
    *(r"^(\d{1,3}\.){3}\d{1,3}$", "^(?:red|green)$", r"^\d+(\.\d+){2}$", "^[a-z]*_[a-z]+$"),
    "^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$",
    r"^(?:19|20)[0-9]{2}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|02-[012][0-9])$",
    r"^[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?(?:\.[a-z]+){1,4}$",
    r"^https?:\/\/[^\s/$.?#].[^\s]*$",
    r"^v?\d+\.\d+(-[\w.]+)?$",
]
SAMPLES = [
    *("", "abc", "ABC", "123-45", "foobar", "a@b.cd", "xyz", "AB", "-", ".a-b", "é", "b/c", "red"),
    *("2024-05-06", "10.0.0.1", "1.12.3", "a_b-1", "xxz", "word", "v1.2-rc.1", "_", "a$b"),
    *("00000000-0000-0000-0000-000000000000", "https://example.org/x?y=1", "me.too@example.org"),
]


@pytest.mark.parametrize("pattern", CORPUS)
def test_everyday_patterns_are_found_where_python_finds_them(pattern):
    for text in [*SAMPLES, " ".join(SAMPLES)]:
        assert search(pattern, text) is bool(re.search(pattern, text, re.ASCII)), text


class Both(NamedTuple):
    """A pattern as JSON Schema writes it, and with the same meaning for Python's ``re``."""

    schema: str
    python: str


PARTS = [
    *(Both(each, each) for each in ["a", "b", "-", "é", r"\.", "[ab]", "[^a]", "[a-k-]", r"\n"]),
    *(Both(each, each) for each in [".", r"\d", r"\D", r"\w", r"\W", r"[\w-]", r"[^\d]", r"\s"]),
    Both("[[b&&-]", r"[\[b&-]"),
    Both(r"\u0061", "a"),
    *(Both(r"\b", r"\b"), Both("^", "^"), Both("$", r"\Z")),
]


def _repeat(inner: Both, count: str, lazy: str) -> Both:
    return Both(*(f"(?:{each}){count}{lazy}" for each in inner))


patterns = st.recursive(
    st.sampled_from(PARTS),
    lambda inner: st.one_of(
        st.builds(lambda one, two: Both(one[0] + two[0], one[1] + two[1]), inner, inner),
        st.builds(
            lambda one, two: Both(f"({one[0]}|{two[0]})", f"({one[1]}|{two[1]})"), inner, inner
        ),
        st.builds(
            _repeat,
            inner,
            st.sampled_from(["*", "+", "?", "{2}", "{0,2}", "{1,}"]),
            st.sampled_from(["", "?"]),
        ),
    ),
    max_leaves=8,
)


@given(patterns, st.text("ab1_-é.\n\r [&", max_size=8))
def test_any_pattern_is_found_where_python_finds_it(pattern, text):
    assert search(pattern.schema, text) is bool(re.search(pattern.python, text, re.ASCII))


@given(
    st.text(alphabet="ab(|)*+?{}[]^$\\,1.:=!<>PdpLuw&-~", max_size=14), st.text("ab-1", max_size=9)
)
def test_whatever_a_pattern_is_it_has_an_answer(pattern, text):
    try:
        prepared(pattern)
    except Unenforced:
        assert search(pattern, text) is None
    else:
        assert search(pattern, text) in (True, False)


def test_half_of_a_surrogate_pair_in_a_text_is_let_pass():
    assert search("^a$", "\ud800") is None
    assert search("a", "a\ud800") is None


#: Patterns as large as can be, and one repetition more.
LARGEST = [
    ("a{{{}}}", 2000),
    ("(?:a|b){{{}}}", 400),
    ("(a{{0,10}}){{{}}}", 181),
    ("[^a]{{2,{}}}", 2000),
    ("[a-zA-Z0-9._]{{{}}}", 1000),
    (r"\p{{L}}{{{}}}", 76),
]


@pytest.mark.parametrize("pattern, times", LARGEST)
def test_the_engine_takes_whatever_is_not_too_large(pattern, times):
    assert prepared(pattern.format(times)).size <= 2000
    with pytest.raises(Unenforced, match="too large"):
        size_of(pattern.format(times + 1))


@given(patterns, st.integers(2, 9))
def test_repeating_a_pattern_makes_it_as_much_larger(pattern, times):
    assert size_of(f"(?:{pattern.schema}){{{times}}}") >= times * size_of(pattern.schema)


def test_patterns_are_compiled_while_the_work_lasts():
    work = Work(20_000)
    patterns = [f"a{{{number}}}" for number in range(500, 500 + MOST_PATTERNS)]
    answers = [work.search(pattern, "b") for pattern in patterns]
    assert 0 < answers.count(False) < 10
    assert answers[-1] is None
    assert work.search(patterns[0], "b") is False
    assert work.pattern_steps >= 0


def test_only_so_many_patterns_are_run_for_one_reply():
    work = Work()
    answers = [work.search(f"^a{number}$", "a") for number in range(MOST_PATTERNS + 20)]
    assert answers == [False] * MOST_PATTERNS + [None] * 20
    assert work.search("^a0$", "a") is False


def test_many_searches_draw_on_one_purse():
    work = Work()
    answers = [work.search("a*a*a*b", "a" * 50_000) for _ in range(100)]
    assert answers[0] is False and answers[-1] is None
    assert work.pattern_steps >= 0


def test_what_is_enforced_does_not_depend_on_earlier_calls():
    pattern = "[a-f]{1,500}x"
    fresh = Work()
    fresh.search(pattern, "a")
    again = Work()
    again.search(pattern, "a")
    assert fresh.pattern_steps == again.pattern_steps
