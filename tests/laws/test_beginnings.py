"""What is told of the beginning of a reply does not depend on how that was cut, either.

Stronger than the law of chunking, which compares replies that are over: a program that stores what
has come so far and reads it again (`turn/journal.py`) has to be told the same as the first time.
"""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from tests.amount import recorded, some_fixtures
from toolproto import get_paradigm, merge
from toolproto.protocol.decoding.reply.thinking_tokens import Reasoning
from toolproto.protocol.events import Event
from toolproto.protocol.paradigms.base import ToolContextDef
from toolproto.protocol.tools.spec import ToolOffer
from toolproto.testing import STANDARD_OFFER
from toolproto.testing.fixtures import Fixture
from toolproto.testing.laws.comparison import same_events, side_by_side

FIXTURES = [each for each in recorded() if len(each.reply) <= 600]


def check_beginnings(
    paradigm: ToolContextDef, pieces: Sequence[str], offer: ToolOffer = STANDARD_OFFER
) -> None:
    """Behind each of *pieces* as much was told as if all before it had come at once."""
    decoder, read = paradigm.decoder(offer), ""
    told: list[Event] = []
    for piece in pieces:
        read += piece
        told += decoder.feed(piece)
        at_once = paradigm.decoder(offer).feed(read)
        titles = ("at once", "in pieces")
        same = same_events(merge(at_once), merge(told))
        assert same, f"{read!r}\n{side_by_side(titles, merge(at_once), merge(told))}"


# One reply in fifty: those of a family hardly differ in where they wait. The soak tries them all.
@pytest.mark.parametrize("fixture", some_fixtures(FIXTURES, 50), ids=lambda each: each.case)
def test_as_much_is_told_of_each_beginning_as_if_it_had_come_at_once(fixture: Fixture) -> None:
    reasoning = Reasoning(starts_inside=fixture.starts_in_thinking)
    check_beginnings(
        get_paradigm(fixture.paradigm, reasoning=reasoning), fixture.reply, fixture.offer
    )


def test_a_string_before_a_marker_that_has_only_begun_is_told_to_its_end() -> None:
    # The last quote waited for the marker, unless it came with it.
    check_beginnings(get_paradigm("xml_tag"), '<tool_code>get_weather(city="Oslo")</tool_code>')


def test_a_sign_with_a_backslash_behind_it_is_told_at_once() -> None:
    # A backslash may stand before an underscore in a marker, but not here.
    check_beginnings(get_paradigm("functionary_v32"), ">\\")


@pytest.mark.parametrize("space", "\x0b\x0c\x1c\x1e\x85\xa0\u2028\u3000")
@pytest.mark.parametrize("name", ["bfcl_python", "react", "deepseek_v3"])
def test_a_name_behind_odd_space_is_told_as_late_as_one_behind_a_blank(
    name: str, space: str
) -> None:
    # What is space was decided twice, and differently.
    check_beginnings(get_paradigm(name), f"{space}now()")


def test_what_a_string_ends_with_is_told_as_late_in_one_piece() -> None:
    # A carriage return may belong to the line end behind a string without its quote.
    check_beginnings(get_paradigm("bfcl_json_tagged"), '<TOOLCALL>now{"a": "b\r')
    check_beginnings(get_paradigm("gemma4"), '<|tool_call>call:now{a:<|"|>\xa0')


@pytest.mark.parametrize("text", ["{}", "a]", "b,", "c, }", "<d>"])
def test_what_would_be_structure_in_json_is_told_at_once_in_quotes_of_yaml(text: str) -> None:
    check_beginnings(
        get_paradigm("yaml_block"), f'```yaml\ntool: get_weather\narguments:\n  city: "{text}'
    )


@pytest.mark.parametrize("text", ["int main(void) { ret", "call:get_weather{cit", "[{ of"])
def test_a_word_behind_a_bracket_that_names_no_member_is_told_as_it_comes(text: str) -> None:
    # The bracket waited for the end of the word, unless both came at once.
    for name in ("seed_oss", "longcat", "xlam"):
        check_beginnings(get_paradigm(name), text)
