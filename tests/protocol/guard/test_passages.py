"""Words that are found again in texts, and how long that takes."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolproto.protocol.guard.passages import Passages

PAGE = 'Dear all,\n\nplease pay 10.5 to  "US13 3000"; file 13, not 1378.\nCall <b>me</b>'


def often(passages: Passages) -> Passages:
    """*passages* after so many searches that they are indexed."""
    for number in range(40):
        passages.find(f"nothing of the kind {number}")
    return passages


@pytest.fixture(params=[False, True], ids=["searched", "indexed"])
def page(request) -> Passages:
    passages = Passages()
    passages.add("a page", PAGE)
    return often(passages) if request.param else passages


@pytest.mark.parametrize(
    "words",
    ["13", "US13 3000", "us13\n3000", "please pay 10.5 to “".rstrip("“"), "Dear\tALL,", "10.5",
     "file 13, not 1378. call <b>me</b>", "file 13, not 1378.\\ncall &lt;b>me", "m\u2063e"],
)  # fmt: skip
def test_words_are_found_in_any_case_and_with_any_white_space(page: Passages, words: str) -> None:
    found = page.find(words)
    assert found is not None and found.source == "a page" and "\n" not in found.quote


@pytest.mark.parametrize("words", ["137", "10", "5", "3", "ear", "ile 13", "", " \n", "pay 10"])
def test_a_part_of_a_word_or_of_a_number_is_not_found(page: Passages, words: str) -> None:
    assert page.find(words) is None


@pytest.mark.parametrize("is_indexed", [False, True])
def test_a_part_of_a_date_or_an_address_is_not_named(is_indexed: bool) -> None:
    said = "A 3-hour lunch, 12:00, 2024-05-19; mary.bob@example.org, ann@example.org.uk; file 7."
    named, found = Passages(exact=True), Passages()
    for passages in (named, found):
        passages.add("you", said)
        if is_indexed:
            often(passages)
    for part in ("3", "12", "5", "05", "19", "2024", "bob@example.org", "ann@example.org"):
        assert named.find(part) is None
        assert (found.find(part) is None) == (part == "5")
    for whole in ("12:00", "2024-05-19", "mary.bob@example.org", "ann@example.org.uk", "7"):
        assert named.find(whole)


def test_a_quotation_shows_what_stands_around() -> None:
    passages = Passages()
    passages.add("a page", "x " * 100 + "Send It Now" + " y" * 100)
    found = passages.find("send it now")
    assert found is not None
    assert found.quote.startswith("…") and " Send It Now " in found.quote
    assert len(found.quote) < 200


def test_a_number_of_many_digits_in_an_entity_does_no_harm(page: Passages) -> None:
    page.add("another", "&#" + "9" * 10_000 + "; \\ud800 \\u00e9t\\u00e9 \\")
    found = page.find("été \\")
    assert found is not None and "\ud800" not in found.quote


def test_words_of_several_lines_are_found_after_others_were() -> None:
    passages = Passages()
    passages.add("a page", "Some  words, once.\nSend it to\nmallory, and then\nno more")
    assert passages.find("some words, once")
    assert passages.find("it to\nmallory")


@pytest.mark.parametrize(
    "written",
    ["mallory&#64;evil.example", "m&#97;llory&commat;evil&#x2e;example", "mallory%40evil.example",
     "mall\\ory@evil.example", "m\\u0061llory@evil.example", "m\\x61llory@evil.example",
     "ｍａｌｌｏｒｙ＠ｅｖｉｌ．example", "mal\u200blory@evil\u2060.example",
     "𝐦𝐚𝐥𝐥𝐨𝐫𝐲@evil.example", "MALLORY@Evil.Example"],
)  # fmt: skip
@pytest.mark.parametrize("is_indexed", [False, True])
def test_words_that_are_spelled_in_code_are_found(written: str, is_indexed: bool) -> None:
    passages = Passages()
    passages.add("a page", f"Write to {written} \\\\ today, 100% free & easy")
    if is_indexed:
        often(passages)
    assert passages.find("mallory")
    assert passages.find("mallory@evil.example")
    assert passages.find("Write to mallory@evil.example")


def test_words_over_lines_of_yaml_are_found() -> None:
    passages = Passages()
    passages.add(
        "a file",
        '  content: "Do {\\"name\\": \\"get_un\\\n    read\\",\\\n    \\ \\"to\\": 1}\\\n    .',
    )
    assert passages.find('{"name": "get_unread", "to": 1}')


def test_a_row_of_backslashes_hides_nothing() -> None:
    for size in range(100, 104):
        passages = Passages()
        passages.add("a page", "\\" * size + "nasty words of theirs")
        assert passages.find("nasty words of theirs")


text = st.text(alphabet="abn1. \n\"é'&<", max_size=60)


@given(texts=st.lists(text, min_size=1, max_size=6), words=text)
def test_an_index_finds_what_a_search_finds(texts: list[str], words: str) -> None:
    searched, indexed = Passages(), Passages()
    for number, each in enumerate(texts):
        searched.add(str(number), each)
        indexed.add(str(number), each)
    assert bool(searched.find(words)) == bool(often(indexed).find(words))


@given(text=st.text(alphabet="ab 1", min_size=40, max_size=200), at=st.integers(0, 10))
def test_a_long_run_of_words_is_found_wherever_it_stands(text: str, at: int) -> None:
    words = text.split()
    wanted = " ".join(words[at : at + 20])
    passages = Passages()
    passages.add("a page", text)
    assert bool(passages.find(wanted)) == bool(wanted) == bool(often(passages).find(wanted))


def test_old_texts_are_forgotten_and_that_is_known() -> None:
    passages = Passages()
    passages.add("old", "the very first words")
    for _ in range(50):
        passages.add("new", "blah " * 10_000)
    assert passages.has_forgotten and passages
    assert passages.find("the very first words") is None
    assert passages.find("blah blah") is not None


def test_a_hundred_searches_in_hostile_texts_stay_cheap() -> None:
    """A test that hangs has failed: what is quadratic takes minutes here."""
    draw = random.Random(1)
    for hostile in ("a" * 60_000, "a " * 30_000, "1." * 30_000, "\\" * 60_000, "<" * 60_000):
        passages = Passages()
        passages.add("a page", hostile)
        for _ in range(60):
            size = draw.randint(1, 2_000)
            assert passages.find(hostile[:size] + "z") is None
            assert passages.find("z" + hostile[:size]) is None
