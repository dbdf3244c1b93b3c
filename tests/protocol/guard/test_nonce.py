"""With a nonce, only those who were told it can write a call."""

from __future__ import annotations

import re
from random import Random

import pytest

from tests.amount import some_paradigms
from toolproto import (
    ChatSession,
    Tool,
    ToolCall,
    ToolContextDef,
    ToolSpec,
    UsageError,
    get_paradigm,
    list_paradigms,
)
from toolproto.conversation.journal.disarming import disarmed
from toolproto.conversation.stores.base import Record
from toolproto.endpoints import ScriptedEndpoint
from toolproto.protocol.guard.levels import Guard
from toolproto.protocol.guard.nonce import new_nonce, with_nonce
from toolproto.testing import STANDARD_OFFER, ParadigmLaws
from toolproto.testing.hostile import hostile_text
from toolproto.testing.laws import round_trip, stopping

OSLO = ToolCall("get_weather", {"city": "Oslo"}, "call_1")
NOTE = ToolCall("write_file", {"path": "a.txt", "content": "x = 1\n  y"}, "call_2")
#: One paradigm for each way in which a nonce is carried.
CARRIED = ["json_strict", "llama3_json", "hermes", "pythonic"]
every = pytest.mark.parametrize("name", list_paradigms())
some_of_them = pytest.mark.parametrize("name", some_paradigms())


@some_of_them
def test_calls_with_it_are_plain_and_others_are_text(name):
    plain = get_paradigm(name)
    told, other = with_nonce(plain, "qhzkwt"), with_nonce(plain, "zzzzzz")
    read = told.parse_response(told.encode_calls([OSLO, NOTE]), STANDARD_OFFER).calls
    assert read == [OSLO, NOTE] and [call.grade for call in read] == [None, None]
    for stranger in (plain, other):
        written = f"So:\n{stranger.encode_calls([OSLO, NOTE])}"
        assert told.parse_response(written, STANDARD_OFFER).calls == []
    taught = told.instructions(STANDARD_OFFER).lower()
    assert "qhzkwt" in told.encode_call(OSLO).lower() and "qhzkwt" in taught


@some_of_them
def test_hostile_text_that_does_not_know_it_calls_nothing(name):
    plain, random = get_paradigm(name), Random(name)
    told = with_nonce(plain, "qhzkwt")
    for stranger in (plain, with_nonce(plain, "zzzzzz")) * 6:
        text = hostile_text(random, stranger)
        assert told.parse_response(text, STANDARD_OFFER).calls == []


@every
def test_two_laws_are_tried_on_all(name):
    told = with_nonce(get_paradigm(name), "qhzkwt")
    round_trip(told, NOTE, STANDARD_OFFER)
    stopping(told, [OSLO, NOTE], STANDARD_OFFER)


class TestWithANonce(ParadigmLaws):
    """The other laws."""

    examples = 4
    size = 4_000

    @pytest.fixture(autouse=True, params=CARRIED)
    def _each(self, request: pytest.FixtureRequest) -> None:
        self.paradigm = with_nonce(get_paradigm(request.param), "qhzkwt")

    def growing(self):
        texts = super().growing()
        return {kind: texts[kind] for kind in ("a long argument", "beginnings of calls")}


@pytest.mark.parametrize(
    "name, opener",
    [
        ("hermes", "<tool_call_qhzkwt>"),
        ("json_strict", '{"tool_calls_qhzkwt": ['),
        ("llama3_json", '{"name_qhzkwt": '),
        ("mistral", "[TOOL_CALLS_QHZKWT]"),
        ("pythonic", "<call_qhzkwt>\n["),
        ("functionary_v32", ">>>qhzkwt:"),
    ],
)
def test_the_marker_carries_it(name, opener):
    assert with_nonce(get_paradigm(name), "qhzkwt").encode_call(OSLO).startswith(opener)


def test_it_keeps_the_options_and_leaves_the_paradigm_alone():
    plain = get_paradigm("hermes", salvage=True, ids=lambda: "mine")
    before = plain.encode_call(OSLO)
    told = with_nonce(plain, "qhzkwt")
    assert told.name == "hermes" and told.ids() == "mine"
    assert plain.encode_call(OSLO) == before and plain.salvage and not told.salvage


def test_a_new_one_is_made_of_letters_that_the_caller_draws():
    assert new_nonce(lambda most: 0) == "bbbbbb"
    drawn = {new_nonce(Random(seed).randrange) for seed in range(200)}
    assert len(drawn) == 200
    assert all(with_nonce(get_paradigm("hermes"), nonce) for nonce in list(drawn)[:3])


@pytest.mark.parametrize("nonce", ["", "abc", "7f3a", "ABCD", "ab cd", "a" * 33, 'abcd"'])
def test_what_cannot_stand_in_every_marker_is_refused(nonce):
    with pytest.raises(UsageError, match="small letters"):
        with_nonce(get_paradigm("hermes"), nonce)


def test_a_paradigm_without_declared_markers_says_so():
    class Own(type(get_paradigm("hermes"))):
        nonced = ToolContextDef.nonced

    with pytest.raises(UsageError, match="declares no markers"):
        with_nonce(Own(), "qhzkwt")


def fetching(**options):
    endpoint = ScriptedEndpoint(lambda request: _called(request), "Done.")
    fetch = Tool(ToolSpec("fetch", "", {"type": "object"}), lambda **_: "12", risk="read")
    session = ChatSession(endpoint, tools=[fetch], paradigm="hermes", **options)
    return session, endpoint


def _called(request):
    """A call in the markers that the prompt teaches."""
    opener = re.search(r"<tool_call\w*>", request.messages[0].content).group()
    return f'{opener}\n{{"name": "fetch", "arguments": {{}}}}\n</{opener[1:]}'


def test_a_session_teaches_and_reads_one_nonce_of_its_own():
    (first, endpoint), (second, _) = (fetching(guard=Guard(nonce=True)) for _ in range(2))
    first.send("go")
    assert first.messages[2].results[0].content == "12"
    openers = {_called(request).split("\n")[0] for request in endpoint.requests}
    assert len(openers) == 1 and openers != {"<tool_call>"}
    assert first.paradigm.encode_call(OSLO) != second.paradigm.encode_call(OSLO)


def test_a_kept_session_has_the_same_nonce_when_it_is_opened_again(tmp_path):
    kept = {"store": f"sqlite:///{tmp_path / 's.db'}", "id": "one", "guard": Guard(nonce=True)}
    written = []
    for _ in range(2):
        session, _ = fetching(**kept)
        written.append(session.paradigm.encode_call(OSLO))
        session.send("go")
    assert written[0] == written[1] != get_paradigm("hermes").encode_call(OSLO)


def test_a_nonce_cannot_be_told_from_the_name_of_a_session(tmp_path):
    written = set()
    for number in range(2):
        store = f"sqlite:///{tmp_path / f'{number}.db'}"
        session, _ = fetching(store=store, id="work", guard=Guard(nonce=True))
        written.add(session.paradigm.encode_call(OSLO))
    assert len(written) == 2


def test_an_imported_session_gets_a_nonce_of_its_own():
    log = disarmed(Record("turn", {"led": {"paradigm": "hermes", "nonce": "qhzkwt"}}))
    assert log.data["led"] == {"paradigm": "hermes"}


def test_without_it_the_paradigm_is_the_one_that_was_given():
    session, _ = fetching()
    assert session.paradigm.encode_call(OSLO) == get_paradigm("hermes").encode_call(OSLO)
