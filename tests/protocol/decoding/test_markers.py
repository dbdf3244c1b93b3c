"""Markers in text of which more may come: found in any spelling, never decided too early."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolproto.protocol.decoding.markers import MORE, NO, Marker, MarkerSet
from toolproto.protocol.decoding.reply.landmarks import SPACE

CODE = Marker("<tool_code>")
CLOSE = Marker("</tool_code>")
BRACKET = Marker("[[call ")

#: Spellings of a marker.
SPELT = [
    (CODE, "<tool_code>"),
    (CODE, "<TOOL_CODE>"),
    (CODE, "<Tool_Code>"),
    (CODE, "<tool_code >"),
    (CODE, "< tool_code>"),
    (CODE, "<\ntool_code\n>"),
    (CODE, '<tool_code lang="json">'),
    (CODE, "<tool_code\tid=1 x='y'>"),
    (CODE, "<tool_code " + "a" * 200 + ">"),
    (CLOSE, "</tool_code>"),
    (CLOSE, "</TOOL_CODE>"),
    (CLOSE, "< / tool_code >"),
    (CLOSE, "<\\tool_code>"),
    (CLOSE, "</ tool_code\n>"),
    (BRACKET, "[[call "),
    (Marker("<|im_start|>"), "<|im_start|>"),
    (Marker("<|im_start|>"), "<|IM_START|>"),
    (Marker("<｜tool▁sep｜>"), "<｜tool▁sep｜>"),
    (Marker("<｜tool▁sep｜>"), "<|tool_sep|>"),
    (Marker("<｜tool▁sep｜>"), "<｜tool_sep｜>"),
    (Marker("<｜tool▁sep｜>"), "<|tool sep|>"),
    (Marker("<|tool_sep|>"), "<｜tool▁sep｜>"),
    (Marker("<|tool_sep|>"), "<|tool\\_sep|>"),
    (Marker("<tool_call>"), "<tool\\_call>"),
    (Marker("<tool_call>"), "<tool_call:opensource>"),
    (Marker("</tool_call>"), "</tool_call:opensource>"),
    (Marker("<function="), "<function="),
    (Marker("<invoke name="), "<Invoke name="),
    (Marker("<|to|>{name}<|m|>"), "<|to|>get_weather<|m|>"),
    (Marker("→"), "→"),
    (Marker("<a.b-c:d>"), "<a.b-c:d>"),
]

#: What is not that marker, and will not become it.
OTHER = [
    (CODE, "<tool_codes>"),
    (CODE, "<tool_cod>"),
    (CODE, "<tool-code>"),
    (CODE, "<toolcode>"),
    (CODE, "<<tool_code>"),
    (CODE, "</tool_code>"),
    (CODE, "<tool_code/>"),
    (CODE, "<tool_code <b>"),
    (CODE, "<     tool_code>"),
    (CODE, "<tool_code " + "a" * 300 + ">"),
    (CODE, "tool_code>"),
    (CODE, "a<tool_code>"),
    (CLOSE, "<tool_code>"),
    (CLOSE, "</tool_result>"),
    (CLOSE, '</tool_code id="1">'),
    (BRACKET, "[call "),
    (BRACKET, "[[CALL "),
    (BRACKET, "[[callx"),
    (BRACKET, "[ [call "),
    (Marker("<|im_start|>"), "< |im_start|>"),
]


def ids(value: object) -> str:
    return value.text if isinstance(value, Marker) else repr(value)[:30]


@pytest.mark.parametrize("marker, text", SPELT, ids=ids)
def test_a_marker_is_met_in_this_spelling(marker, text):
    assert marker.at(text, 0, False) == len(text)
    assert marker.at(f"x{text}{{", 1, False) == len(text) + 1


@pytest.mark.parametrize("marker, text", SPELT, ids=ids)
def test_every_beginning_of_a_marker_asks_for_more(marker, text):
    answers = {marker.at(text[:cut], 0, False) for cut in range(1, len(text))}
    assert answers <= {MORE}


@pytest.mark.parametrize("marker, text", SPELT, ids=ids)
def test_a_beginning_that_stays_one_is_none(marker, text):
    answers = {marker.at(text[:cut], 0, True) for cut in range(1, len(text))}
    assert answers <= {NO}


@pytest.mark.parametrize("marker, text", OTHER, ids=ids)
def test_this_is_another(marker, text):
    assert marker.at(text, 0, False) == NO
    assert marker.at(text, 0, True) == NO


@pytest.mark.parametrize("marker, text", OTHER, ids=ids)
def test_once_it_is_none_more_text_does_not_make_it_one(marker, text):
    answers = [marker.at(text[:cut], 0, False) for cut in range(1, len(text) + 1)]
    first = answers.index(NO)
    assert set(answers[:first]) <= {MORE}
    assert set(answers[first:]) == {NO}


@given(
    spelt=st.sampled_from(SPELT),
    tail=st.text(st.sampled_from(list("<>/\\ tool_code[call|a")), max_size=20),
)
def test_more_text_behind_a_marker_does_not_change_where_it_ends(spelt, tail):
    marker, text = spelt
    assert marker.at(text + tail, 0, False) == len(text)


@given(text=st.text(st.sampled_from(list('<>/\\ tolcdeTOLCDE_[a\n"=')), max_size=40))
def test_an_answer_holds_whatever_comes_behind(text):
    """NO and an end are for good: only MORE may turn into something else."""
    for marker in (CODE, CLOSE, BRACKET):
        settled = None
        for cut in range(1, len(text) + 1):
            answer = marker.at(text[:cut], 0, False)
            if settled is not None:
                assert answer == settled
            elif answer != MORE:
                settled = answer


@pytest.mark.parametrize("marker, first", [(CODE, "<"), (CLOSE, "<"), (BRACKET, "[")], ids=ids)
def test_a_marker_knows_how_it_begins(marker, first):
    assert marker.first == first


def test_a_long_beginning_is_given_up():
    assert CODE.at("<tool_code " + "a" * 1000, 0, False) == NO


# -- several at once ----------------------------------------------------------------------

MARKERS = [CODE, CLOSE, BRACKET, Marker("<think>"), Marker("<|im_end|>"), Marker("→")]
SET = MarkerSet(MARKERS)


@pytest.mark.parametrize("marker", MARKERS, ids=ids)
def test_a_set_tells_which_marker_it_is(marker):
    assert SET.at(f"a{marker.text}b", 1, False) == (MARKERS.index(marker), 1 + len(marker.text))


@pytest.mark.parametrize("marker", MARKERS, ids=ids)
def test_a_set_asks_for_more_at_every_split(marker):
    for cut in range(1, len(marker.text)):
        assert SET.at(marker.text[:cut], 0, False) == (MORE, MORE)
        assert SET.at(marker.text[:cut], 0, True) == (NO, NO)


@pytest.mark.parametrize("text", ["a", "<b>", "[x]", "<tool_codes>", "< b", "</b>", "<1"])
def test_a_set_tells_that_there_is_none(text):
    assert SET.at(text, 0, False) == (NO, NO)


_SIGNS = st.text(st.sampled_from(list("<>/\\ tolcdehinkTC_[a|m\n→")), max_size=30)
_BEGUN = st.builds(lambda marker, end: marker.text[:end], st.sampled_from(MARKERS), st.integers(1))


@given(text=st.one_of(_SIGNS, st.tuples(_BEGUN, _SIGNS).map("".join)).filter(bool))
def test_a_set_answers_as_its_markers_do(text):
    """The few characters by which a set rules places out must never rule a marker out."""
    for final in (False, True):
        answers = [marker.at(text, 0, final) for marker in MARKERS]
        found = [(number, end) for number, end in enumerate(answers) if end >= 0]
        expected = found[0] if found else (MORE, MORE) if MORE in answers else (NO, NO)
        answer = SET.at(text, 0, final)
        if answer == (MORE, MORE) and not final:  # it waits until so many have come
            assert expected[0] < 0 and (expected == answer or len(text) < 20)
        else:
            assert answer == expected


def test_what_was_read_before_changes_no_answer():
    """They are remembered by how a text begins, and a backslash may mean nothing yet."""
    markers = [Marker("</inner_monologue>"), Marker("<|START_THINKING|>")]
    for marker in markers:
        cut = marker.text.index("_")
        for other in ("\\", "\\x", "\\_", "x", ""):
            known = MarkerSet(markers)
            known.at(marker.text[:cut] + other, 0, False)
            text = marker.text.replace("_", "\\_")
            assert known.at(text, 0, False) == (markers.index(marker), len(text))


def test_a_set_knows_all_first_characters():
    assert [char for char in "a<[→|" if SET.begins.match(char)] == ["<", "[", "→"]


def test_an_empty_set_finds_nothing():
    empty = MarkerSet([])
    assert empty.at("<tool_code>", 0, False) == (NO, NO)
    assert empty.begins.search("<[→") is None


def test_a_line_begins_behind_all_that_is_space() -> None:
    space = re.findall(SPACE, "".join(map(chr, range(0x10000))))
    assert space == [c for c in map(chr, range(0x10000)) if c.isspace() and c != "\n"]
