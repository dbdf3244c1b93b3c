"""Python calls: whatever the pieces they come in, the same calls, and every departure named."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pytest

from toolproto.protocol.decoding.calls.names import Offered
from toolproto.protocol.decoding.calls.record import Beginning, CallSetting
from toolproto.protocol.decoding.calls.shape import CallShape
from toolproto.protocol.decoding.contract import Limits
from toolproto.protocol.decoding.families.python_calls import PythonCalls, leading_call
from toolproto.protocol.decoding.markers import MORE, Marker
from toolproto.protocol.decoding.reply.events_out import EventsOut
from toolproto.protocol.decoding.source import Source
from toolproto.protocol.events import (
    ArgumentsDelta,
    CallCompleted,
    CallRejected,
    CallStarted,
    Event,
    merge,
)
from toolproto.protocol.messages import Grade, ProblemKind, Repair, ToolCall, counted_ids
from toolproto.protocol.tools.spec import ToolOffer, ToolSpec


def spec(name: str, *arguments: str, required: Sequence[str] = ()) -> ToolSpec:
    properties = {argument: {} for argument in arguments}
    return ToolSpec(name, "", {"type": "object", "properties": properties, "required": required})


OFFER = ToolOffer(
    (
        spec("get_weather", "city", "days", required=["city"]),
        spec("get_time", "tz"),
        spec("math.hypot", "x", "y"),
        spec("write_file", "path", "text", "modes", "options"),
    )
)
NOTHING = ToolOffer()


@dataclass(frozen=True)
class Read:
    """What reading a text came to; *left* is what was not read of it."""

    events: list[Event]
    refused: bool
    left: str

    @property
    def calls(self) -> list[ToolCall]:
        return [event.call for event in self.events if isinstance(event, CallCompleted)]

    @property
    def problems(self) -> list[tuple[ProblemKind, str]]:
        rejected = [event.problem for event in self.events if isinstance(event, CallRejected)]
        return [(problem.kind, problem.message) for problem in rejected]


class Reading:
    """Drives a reader as a decoder does; what it says is withheld until it is committed."""

    def __init__(
        self,
        offer: ToolOffer = OFFER,
        *,
        marked: bool = True,
        ends: Sequence[str] = (),
        limits: Limits | None = None,
        repairs: tuple[Repair, ...] = (),
    ) -> None:
        self.out = EventsOut(counted_ids())
        setting = CallSetting(CallShape(), Offered(offer), self.out, limits or Limits())
        markers = tuple(Marker(end) for end in ends)
        self.calls = PythonCalls(Beginning(setting, marked=marked, repairs=repairs, ends=markers))
        self.out.withhold(Source())
        self.events: list[Event] = []
        self.text = ""
        self.base = 0
        self.longest_hold = 0

    def feed(self, piece: str, *, final: bool = False) -> None:
        self.text += piece
        if self.calls.done:
            return
        stop = self.calls.feed(self.text, 0, self.base, final)
        self.base += stop
        self.text = self.text[stop:]
        if not self.calls.done:
            self.longest_hold = max(self.longest_hold, len(self.text))
        if self.calls.committed and self.out.withholding:
            self.out.let_go("")
        self.events += self.out.take()

    def finish(self, reason: str | None = None) -> Read:
        self.out.cut = reason == "length"
        self.feed("", final=True)
        assert self.calls.done
        if self.out.withholding and self.calls.committed:
            self.out.let_go("")
        if self.out.withholding:
            self.out.let_go_as_text()
            self.out.take()
        self.events += self.out.take()
        return Read(merge(self.events), self.calls.refused, self.text)


def read_pieces(pieces: Sequence[str], reason: str | None = None, **settings) -> Read:
    reading = Reading(**settings)
    for piece in pieces:
        reading.feed(piece)
    return reading.finish(reason)


def pieces_of(text: str) -> Iterator[list[str]]:
    yield list(text)
    for at in range(len(text) + 1):
        yield [text[:at], text[at:]]


def read(text: str, reason: str | None = None, **settings) -> Read:
    """Read *text* whole; and in every two pieces, and by characters, with the same result."""
    whole = read_pieces([text], reason, **settings)
    for pieces in pieces_of(text):
        assert read_pieces(pieces, reason, **settings) == whole, pieces
    check_events(text, whole)
    return whole


def check_events(text: str, whole: Read) -> None:
    """Deltas join to the arguments, spans give the text, and every call comes to one end."""
    told: dict[int, str] = {}
    ended: list[int] = []
    for event in whole.events:
        if isinstance(event, CallStarted):
            told[event.index] = ""
        elif isinstance(event, ArgumentsDelta):
            told[event.index] += event.text
        elif isinstance(event, CallCompleted):
            assert json.loads(told[event.index]) == event.call.arguments
            assert text[slice(*event.call.span)] == event.call.raw
            ended.append(event.index)
        elif isinstance(event, CallRejected):
            assert text[slice(*event.problem.span)] == event.problem.raw
            ended.append(event.index)
    assert len(set(ended)) == len(ended) and set(told) <= set(ended)


def named(*calls: tuple[str, dict[str, object]]) -> list[ToolCall]:
    return [ToolCall(name, arguments) for name, arguments in calls]


def repairs(whole: Read) -> set[str]:
    return {repair.name for call in whole.calls for repair in call.repairs}


def at(tz: object) -> tuple[str, dict[str, object]]:
    return "get_time", {"tz": tz}


def file(**arguments: object) -> tuple[str, dict[str, object]]:
    return "write_file", arguments


PARIS = ("get_weather", {"city": "Paris", "days": 3})
UTC = at("UTC")

# Text, the calls in it, the repairs.
CASES = [
    ("write_file(modes={1, 2,})", [file(modes=[1, 2])], "set"),
    ("write_file(modes={'a', 'b, c'})", [file(modes=["a", "b, c"])], "set"),
    ('[get_weather(city="Paris", days=3)]', [PARIS], ""),
    ('[get_weather(city="Paris", days=3), get_time(tz="UTC")]', [PARIS, UTC], ""),
    ("get_weather(city='Paris', days=3)\nget_time(tz='UTC')", [PARIS, UTC], ""),
    ('get_weather(city="Paris", days=3); get_time(tz="UTC");', [PARIS, UTC], ""),
    ('get_weather(city="Paris", days=3), get_time(tz="UTC")', [PARIS, UTC], ""),
    ("[math.hypot(x = -3 , y=+4.5e1,)]", [("math.hypot", {"x": -3, "y": 45.0})], ""),
    ("math.hypot (x=1_000, y=0xff)", [("math.hypot", {"x": 1000, "y": 255})], ""),
    ("math.hypot(x=.5, y=1.)", [("math.hypot", {"x": 0.5, "y": 1.0})], ""),
    ("math.hypot(x=(1), y=- 2)", [("math.hypot", {"x": 1, "y": -2})], ""),
    ("get_time()", [("get_time", {})], ""),
    ("[get_time(tz=None), get_time(tz=True)]", [at(None), at(True)], ""),
    # Strings
    (r'get_time(tz="a\n\t\"\\\x41\u00e9\U0001F600\101\d")', [at('a\n\t"\\Aé😀A\\d')], ""),
    (r'get_time(tz="\ud83d\ude00")', [at("😀")], ""),
    (r"get_time(tz=r'C:\new\'')", [at(r"C:\new\'")], ""),
    ("get_time(tz='''a 'b' \"c\"\nd''')", [at("a 'b' \"c\"\nd")], ""),
    ('get_time(tz="""say "hi"""")', [at('say "hi"')], "unescaped_quote"),
    ("get_time(tz='a' \"b\"\n  u'c')", [at("abc")], ""),
    ("get_time(tz='a\\\nb')", [at("ab")], ""),
    ("get_time(tz='')", [at("")], ""),
    ("get_time(tz='It\\'s ok')", [at("It's ok")], ""),
    ("[get_time(tz='It's ok')]", [at("It's ok")], "unescaped_quote"),
    ('get_time(tz="say "hi", you")', [at('say "hi", you')], "unescaped_quote"),
    (
        'get_time(tz="<b class="x">(see "y")</b>")',
        [at('<b class="x">(see "y")</b>')],
        "unescaped_quote",
    ),
    ("get_time(tz='a\nb')", [at("a\nb")], "control_character"),
    ("get_time(tz=“UTC”)", [UTC], "quote_style"),
    (r"get_time(tz='a\_b')", [at("a_b")], "escaped_underscore"),
    ("get_time(tz=f'{x} y')", [at("{x} y")], "f_string"),
    ("get_time(tz=b'x')", [at("x")], "bytes"),
    ("get_time(tz='a, tz=b')", [at("a, tz=b")], ""),
    ("get_time(tz='f(x)]')", [at("f(x)]")], ""),
    (
        r"""get_time(tz='sh -c "f(x, y=\'\,\'))"')""",
        [at(r"""sh -c "f(x, y='\,'))""" + '"')],
        "",
    ),
    (
        r"""[get_time(tz='sh -c "f(x, y='\,'))"')]""",
        [at(r"""sh -c "f(x, y='\,'))""" + '"')],
        "unescaped_quote",
    ),
    (
        r"""[get_time(tz=\'sh -c "f(x, y=\'\,\'))"\')]""",
        [at(r"""sh -c "f(x, y='\,'))""" + '"')],
        "escaped_json unescaped_quote",
    ),
    # Containers
    (
        "write_file(modes=[1, 'a', [True]], options={'a': {'b': None}, 'c': []})",
        [file(modes=[1, "a", [True]], options={"a": {"b": None}, "c": []})],
        "",
    ),
    ("write_file(modes=(1, 2), path=())", [file(modes=[1, 2], path=[])], "tuple"),
    ("write_file(options={})", [file(options={})], ""),
    (
        "write_file(modes=['a', \"b\"], options=[1, -2.50], path='c')",
        [file(modes=["a", "b"], options=[1, -2.5], path="c")],
        "",
    ),
    ("[get_time(tz=['a', 'b'])]", [at(["a", "b"])], ""),
    ("get_time(tz=1٣)", [at("1٣")], "bare_string"),
    ("write_file(options={1: 'a', -2.5: 2})", [file(options={"1": "a", "-2.5": 2})], "bare_key"),
    ("write_file(options={a: 1})", [file(options={"a": 1})], "bare_key"),
    ("write_file(modes=[1, # one\n 2])", [file(modes=[1, 2])], ""),
    # Words
    ("get_time(tz=true)", [at(True)], "literal"),
    (
        "[get_weather(city=New York, days=null)]",
        [("get_weather", {"city": "New York", "days": None})],
        "bare_string literal",
    ),
    (
        "math.hypot(x=3.5/100, y=2 * 3)",
        [("math.hypot", {"x": "3.5/100", "y": "2 * 3"})],
        "expression",
    ),
    # Arguments
    ('get_weather("Paris")', [("get_weather", {"city": "Paris"})], "positional_arguments"),
    ('[get_weather("Paris", 3)]', [PARIS], "positional_arguments"),
    ('[get_weather("Paris", days=3)]', [PARIS], "positional_arguments"),
    ("get_weather({'city': 'Paris', 'days': 3})", [PARIS], "dict_argument"),
    ("write_file({'zzz': 1})", [file(path={"zzz": 1})], "positional_arguments"),
    ("get_weather(**{'city': 'Paris', 'days': 3})", [PARIS], ""),
    ('get_weather(city: "Paris", days: 3)', [PARIS], "colon_keyword"),
    ("get_weather('city'='Paris', \"days\"=3)", [PARIS], "quoted_keyword"),
    ("get_weather('city': 'Paris', 'days': 3)", [PARIS], "quoted_keyword colon_keyword"),
    (
        r'[get_weather(city="Paris", \"days\": 3)]',
        [PARIS],
        "escaped_json quoted_keyword colon_keyword",
    ),
    ('get_weather(city="Paris" days=3)', [PARIS], "missing_comma"),
    ('get_weather(days=3 city="Paris")', [PARIS], "missing_comma"),
    (
        "write_file(path=10 inches, text=5 km/h)",
        [file(path="10 inches", text="5 km/h")],
        "bare_string expression",
    ),
    (
        'write_file(text="f("x", end="")", path="a")',
        [file(text='f("x", end="")', path="a")],
        "unescaped_quote",
    ),
    ("get_time(tz='UTC', tz='UTC')", [UTC], "duplicate_key"),
    # Names and quotes around calls
    (r"[get\_weather(city='Paris', days=3)]", [PARIS], "escaped_underscore"),
    (
        r"[write\_file(path='a', \_x=1)]",
        [("write_file", {"path": "a", "_x": 1})],
        "escaped_underscore",
    ),
    (
        "[\"get_weather(city='Paris', days=3)\", 'get_time(tz=\"UTC\")']",
        [PARIS, UTC],
        "quoted_call",
    ),
    ("['get_weather(city='Paris', days=3)']", [PARIS], "quoted_call"),
    ("[`get_weather(city='Paris', days=3)`]", [PARIS], "quoted_call"),
    ("`get_weather(city='Paris', days=3)`", [PARIS], "quoted_call"),
    (
        '[{\'get_weather(city="Paris", days=3)\'}, {\'get_time(tz="UTC")}]',
        [PARIS, UTC],
        "quoted_call",
    ),
    ("['get_weather'(city=\"Paris\", days=3)]", [PARIS], "quoted_call"),
    ("[\"get_weather(city='Paris', days=3), get_time(tz='UTC')\"]", [PARIS, UTC], "quoted_call"),
    (
        r'["get_weather(city=\"Paris\", days=3)", "get_time(tz=\"UTC\")"]',
        [PARIS, UTC],
        "quoted_call escaped_json",
    ),
    (
        r'["get_time(tz=\"a\\nb\\\"c\\\"\")"]',
        [at('a\nb"c"')],
        "quoted_call escaped_json nested_escapes",
    ),
    # Around the calls
    ("[get_weather(city='Paris', days=3)\n get_time(tz='UTC')]", [PARIS, UTC], "missing_comma"),
    ("[get_weather(city='Paris', days=3), # why\n get_time(tz='UTC')]", [PARIS, UTC], ""),
    ("[get_weather(city='Paris', days=3)], [get_time(tz='UTC')]", [PARIS, UTC], ""),
    ("[get_weather(city='Paris', days=3)]\n[get_time(tz='UTC')]", [PARIS, UTC], ""),
    ("[get_weather(city='Paris', days=3), [get_time(tz='UTC')]]", [PARIS, UTC], ""),
    ("[[get_weather(city='Paris', days=3)]]", [PARIS], ""),
    ("[get_weather(city='Paris', days=3)", [PARIS], "missing_close"),
    ("[get_weather(city='Paris', days=3]", [PARIS], "missing_paren"),
    ("[get_weather(city='Paris', days=3)]]", [PARIS], ""),  # it is complete before
    ("[get_weather(city='Paris', days=3))]", [PARIS], "extra_close"),
    ("get_weather(city='Paris', days=3", [], ""),
    ("get_weather(days=3, city='Paris'", [PARIS], "missing_paren"),
    ("[write_file(modes=[1, 2, path='a')]", [], ""),
    ("[write_file(path='a', modes=[1, 2)]", [file(path="a", modes=[1, 2])], "missing_close"),
    ("[write_file(path='a', modes=[1, 2]])]", [file(path="a", modes=[1, 2])], "extra_close"),
    ("[get_weather(city='Paris', days=3), 'and so on']", [PARIS], "stray_text"),
    (
        "[get_weather(city='Paris', days=3) + get_time(tz='UTC')]",
        [PARIS, UTC],
        "in_expression missing_comma",
    ),
    (
        "[get_weather(city='Paris', days=3)['now'], get_time(tz='UTC')]",
        [PARIS, UTC],
        "in_expression stray_text",
    ),
]


@pytest.mark.parametrize(("text", "calls", "wanted"), CASES, ids=[case[0] for case in CASES])
def test_a_call_is_read_as_it_was_meant_and_its_departures_are_named(text, calls, wanted):
    whole = read(text)
    assert whole.calls == named(*calls)
    assert repairs(whole) == set(wanted.split())
    assert bool(whole.problems) == (not calls)


DATED = ToolOffer(
    (
        ToolSpec(
            "on",
            "",
            {
                "type": "object",
                "properties": {
                    "month": {"type": "integer"},
                    "days": {"type": "array", "items": {"type": ["integer", "null"]}},
                    "at": {"type": "object", "properties": {"hour": {"type": "number"}}},
                    "code": {"type": "string"},
                    "either": {"anyOf": [{"type": "string"}, {"type": "integer"}]},
                },
            },
        ),
    )
)
# A number with zeros before it: what it is read as, and the repairs.
PADDED = [
    ("on(month=07)", {"month": 7}, "number_form"),
    ("on(month=-007)", {"month": -7}, "number_form"),
    ("on(07)", {"month": "07"}, "bare_string positional_arguments"),
    ("on(days=[01, 2])", {"days": ["01", 2]}, "bare_string"),
    ("on(code=07)", {"code": "07"}, "bare_string"),
    ("on(either=07)", {"either": "07"}, "bare_string"),
    ("on(other=07)", {"other": "07"}, "bare_string"),
    ("on(month=07/08)", {"month": "07/08"}, "expression"),
]


@pytest.mark.parametrize(("text", "arguments", "wanted"), PADDED)
def test_a_padded_number_is_one_where_the_schema_wants_one(text, arguments, wanted):
    whole = read(text, offer=DATED)
    assert whole.calls == named(("on", arguments))
    assert repairs(whole) == set(wanted.split())
    padded = [repair for repair in whole.calls[0].repairs if repair.name == "number_form"]
    assert all(repair.grade is Grade.GUESSED for repair in padded)


PROBLEMS = [
    ("get_time(tz=get_weather(city='Paris'))", ProblemKind.MALFORMED, "a call inside a call"),
    ("get_time(get_weather(city='Paris'))", ProblemKind.MALFORMED, "a call inside a call"),
    ("get_time(tz=2 * (3+4))", ProblemKind.MALFORMED, "would have to be computed"),
    ("get_time(tz=...)", ProblemKind.MALFORMED, "is no value"),
    ("get_time(tz=<result of the call before>)", ProblemKind.MALFORMED, "is no value"),
    ("get_time(tz=lambda x: x)", ProblemKind.MALFORMED, "is no value"),
    ("get_time(tz=zones[0])", ProblemKind.MALFORMED, "[ stands inside a value"),
    ("get_time(tz=[x for x in y])", ProblemKind.MALFORMED, "is no value"),
    ("get_time(tz='a' + 'b')", ProblemKind.MALFORMED, "write what it comes to"),
    ("get_time(tz='a'.upper())", ProblemKind.MALFORMED, "write what it comes to"),
    ("get_time(tz='a' % b)", ProblemKind.MALFORMED, "write what it comes to"),
    ("get_time(tz=2j)", ProblemKind.MALFORMED, "is no value"),
    ("get_time(tz=nan)", ProblemKind.MALFORMED, "use a number"),
    ("get_time(tz=1e999)", ProblemKind.MALFORMED, "too large"),
    (r"get_time(tz='\N{DASH}')", ProblemKind.MALFORMED, "write the character itself"),
    ("get_time(tz=, x=1)", ProblemKind.MALFORMED, "a value is missing"),
    ("get_time(*args)", ProblemKind.MALFORMED, "behind asterisks"),
    ("get_time(**args)", ProblemKind.MALFORMED, "behind asterisks"),
    ("get_time(**{1, 2})", ProblemKind.MALFORMED, "behind asterisks"),
    ("get_time(tz='a', # " + "x" * 3000 + "\n)", ProblemKind.MALFORMED, "without quotes"),
    ("get_time(tz=1, tz=2)", ProblemKind.MALFORMED, "'tz' is given twice"),
    ("get_time('a', tz='b')", ProblemKind.MALFORMED, "'tz' is given twice"),
    ("get_time(tz={'a': 1, 'a': 2})", ProblemKind.MALFORMED, "given twice"),
    ("get_time(tz={'a': 1, 2})", ProblemKind.MALFORMED, "has no key"),
    ("get_time(tz={(1, 2): 3})", ProblemKind.MALFORMED, "unexpected ':'"),
    ("get_time(tz={**{'a': 1}})", ProblemKind.MALFORMED, "behind asterisks"),
    ("get_time(tz=dict(a=1))", ProblemKind.MALFORMED, "a call inside a call"),
    ("get_time(tz='a',, x=1)", ProblemKind.MALFORMED, "a value is missing"),
    ("get_time(tz=[1, 2})", ProblemKind.MALFORMED, "unexpected '}'"),
    ("get_time(tz='a', 'b')", ProblemKind.MALFORMED, "without its name"),
    ("get_time('a', 'b')", ProblemKind.MALFORMED, "write each as name=value"),
    ("unknown('a')", ProblemKind.MALFORMED, "write each as name=value"),
    ("[get_weather(city='Rome, days='3')]", ProblemKind.MALFORMED, "closing quote is missing"),
    ("[get_time(tz='a') for x in y]", ProblemKind.MALFORMED, "'for' stands behind it"),
    ("get_time(tz='a", ProblemKind.TRUNCATED, "cut short"),
    ("get_time(tz=[1, 2", ProblemKind.TRUNCATED, "cut short"),
    ("get_time(", ProblemKind.TRUNCATED, "cut short"),
    ("get_time(tz=12", ProblemKind.TRUNCATED, "cut short"),
    ("get_time(tz=" + "9" * 5000 + ")", ProblemKind.TOO_LARGE, "more than 4300 digits"),
    ("get_time(tz=0x" + "f" * 3000 + ")", ProblemKind.TOO_LARGE, "digits"),
    ("get_time(tz=" + "[" * 200 + ")", ProblemKind.TOO_LARGE, "nested deeper than 64"),
]


@pytest.mark.parametrize(("text", "kind", "message"), PROBLEMS, ids=[p[0][:40] for p in PROBLEMS])
def test_a_marked_call_that_cannot_be_read_is_answered(text, kind, message):
    whole = read(text) if len(text) < 200 else read_pieces(list(text))
    assert whole.calls == []
    assert [problem for problem, _ in whole.problems] == [kind]
    assert message in whole.problems[0][1]
    assert whole == read_pieces([text])


def test_the_calls_around_a_broken_one_are_read():
    text = (
        "[get_time(tz=now()), get_weather(city='Paris', days=3), get_time(tz='It), x=1), "
        "get_time(tz='UTC')]"
    )
    whole = read(text)
    assert named(PARIS)[0] in whole.calls
    assert len(whole.problems) >= 1


def test_a_call_cut_by_a_limit_is_truncated_even_if_only_a_parenthesis_is_missing():
    whole = read("[get_time(tz='UTC'), get_time(tz='UTC'", reason="length")
    assert whole.calls == named(UTC)
    assert whole.problems == [(ProblemKind.TRUNCATED, "it is cut short")]


def test_a_call_closed_before_the_cut_is_whole():
    assert read("[get_time(tz='UTC')", reason="length").calls == named(UTC)


def test_repairs_are_graded_by_what_they_guess():
    def grade(text: str) -> Grade | None:
        return read(text).calls[0].grade

    assert grade("get_weather('Paris')") is Grade.LOSSLESS
    assert grade("get_weather('Paris', 3)") is Grade.GUESSED
    assert grade("get_time(tz=UTC)") is Grade.GUESSED
    assert grade("['get_time(tz=\"UTC\")']") is Grade.LOSSLESS
    assert grade("[get_time(tz='UTC')]") is None


def test_every_call_carries_the_drift_it_was_read_with():
    whole = read("[get_time(tz='a'), get_time(tz='b')]", repairs=(Repair("no_marker"),))
    assert [call.repairs for call in whole.calls] == [(Repair("no_marker"),)] * 2


# -- without a marker ---------------------------------------------------------------------

SHOWN = [
    "get_weather(city) gives the weather",
    "get_weather(city: string) - the weather of a city",
    "get_weather(city: str, days: int)",
    "get_weather()",
    "get_weather(city=...)",
    "get_weather(city=<your city>)",
    "other(a=1)",
    "[other(a=1)]",
    "[1, 2, 3]",
    "[]",
    "[see get_time]",
    "plain words",
    "get_weather (a tool) is there",
]


@pytest.mark.parametrize("text", SHOWN)
def test_text_that_only_mentions_a_tool_is_refused(text):
    whole = read(text, marked=False)
    assert whole.refused and whole.events == []


@pytest.mark.parametrize(
    "text", [case[0] for case in CASES if case[1] and case[0] != "get_time(tz=UTC)"]
)
def test_whole_calls_of_offered_tools_need_no_marker(text):
    assert read(text, marked=False).calls == read(text).calls


def test_an_unmarked_call_commits_when_it_is_closed_and_not_before():
    reading = Reading(marked=False)
    reading.feed("[get_weather(city='Paris', days=3")
    assert not reading.calls.committed
    reading.feed("), ")
    assert reading.calls.committed


def test_a_marked_call_is_announced_and_streamed_from_its_parenthesis_on():
    reading = Reading()
    reading.feed("get_weather(")
    assert reading.events == [CallStarted(0, "get_weather")]
    reading.feed('city="Par')
    assert merge(reading.events)[-1] == ArgumentsDelta(0, '{"city": "Par')


def test_an_unmarked_call_with_a_keyword_that_is_broken_is_answered():
    assert read("[get_time(tz=now())]", marked=False).problems
    assert read("get_time(tz=now())", marked=False).problems
    assert read("get_time(tz='UT", reason="length", marked=False).problems


def test_an_unknown_tool_beside_an_offered_one_is_told_too():
    whole = read("[other(a=1), get_time(tz='UTC')]", marked=False)
    assert whole.calls == named(("other", {"a": 1}), UTC)


def test_where_nothing_is_offered_only_a_list_with_keywords_counts():
    assert read("[f(a=1)]", offer=NOTHING, marked=False).calls == named(("f", {"a": 1}))
    assert read("f(a=1)", offer=NOTHING, marked=False).refused
    assert read("[f(1)]", offer=NOTHING, marked=False).refused
    assert read("f({'a': 1})", offer=NOTHING).calls == named(("f", {"a": 1}))


# -- where it ends ------------------------------------------------------------------------

LEFT = [
    ("get_time(tz='UTC') and more", " and more"),
    ("get_time(tz='UTC').", "."),
    ("get_time(tz='UTC');\nDone.", "\nDone."),
    ("get_time(tz='UTC')\n\nThen other(x=1)", "\n\nThen other(x=1)"),
    ("get_time(tz='UTC'), other(x=1)", ", other(x=1)"),
    ("[get_time(tz='UTC')] Done.", " Done."),
    ("[get_time(tz='UTC')]\n\n[1]", "\n\n[1]"),
    ("(get_time(tz='UTC'))"[1:], ")"),
]


@pytest.mark.parametrize(("text", "left"), LEFT)
def test_nothing_behind_the_last_call_is_read(text, left):
    whole = read(text, marked=False)
    assert whole.calls == named(UTC)
    assert whole.left == left


def test_a_marker_interrupts_outside_strings_only():
    ends = ("</tool_call>",)
    whole = read("[get_time(tz='</tool_call>')</tool_call> more", ends=ends)
    assert whole.calls == named(("get_time", {"tz": "</tool_call>"}))
    assert whole.left == "</tool_call> more"
    assert repairs(whole) == {"missing_close"}


@pytest.mark.parametrize("text", ["get_time(tz='UTC'", "get_time(tz='UTC' # so"])
def test_a_call_that_a_marker_interrupts_is_mended_if_only_its_parenthesis_is_missing(text):
    whole = read(text + "</tool_call>", ends=("</tool_call>",))
    assert whole.calls == named(UTC) and repairs(whole) == {"missing_paren"}


def test_a_number_before_a_marker_is_whole():
    whole = read("get_weather(days=3</tool_call>", ends=("</tool_call>",))
    assert whole.calls == named(("get_weather", {"days": 3}))


def test_a_marker_ends_a_comment_in_a_list():
    whole = read("[get_time(tz='UTC'), # why</tool_call> more", ends=("</tool_call>",))
    assert whole.calls == named(UTC)
    assert whole.left == "</tool_call> more"


def test_a_comment_that_never_ends_may_hide_the_rest_of_a_call():
    whole = read("get_time(tz='UTC' # so, days=3)")
    assert [kind for kind, _ in whole.problems] == [ProblemKind.TRUNCATED]
    assert read("get_time(tz='UTC' # so\n").calls == named(UTC)


@pytest.mark.parametrize("text", ["get_time(tz=[1", "get_time(tz=", "get_time(tz=now("])
def test_a_call_that_a_marker_interrupts_elsewhere_is_malformed(text):
    whole = read(text + "</tool_call>", ends=("</tool_call>",))
    assert [kind for kind, _ in whole.problems] == [ProblemKind.MALFORMED]
    assert whole.left == "</tool_call>"


def test_an_empty_list_is_left_to_whoever_asked():
    assert read("[]").refused and read("[ ]").events == []


# What closes a call may stand in its string, or be the beginning of an expression.
@pytest.mark.parametrize(
    ("text", "decides"),
    [
        ("[get_time(tz='UTC')", "]"),
        ("get_time(tz='UTC')", "!"),
        ("math.hypot(x=1)", "\n"),
    ],
)
def test_a_call_is_complete_with_the_first_character_that_decides(text, decides):
    reading = Reading()
    reading.feed(text)
    assert not any(isinstance(event, CallCompleted) for event in reading.events)
    reading.feed(decides)
    assert any(isinstance(event, CallCompleted) for event in reading.events)


# -- limits -------------------------------------------------------------------------------


@pytest.mark.parametrize("size", range(9, 40))
def test_a_call_longer_than_is_read_is_too_large(size):
    limits = Limits(characters=size)
    whole = read("[get_time(tz='0123456789012345678901234567890')]", limits=limits)
    assert whole.problems == [(ProblemKind.TOO_LARGE, f"longer than {size} characters")]


def test_depth_is_limited_as_set():
    assert read("get_time(tz=[[1]])", limits=Limits(depth=3)).calls
    whole = read("get_time(tz=[[[1]]])", limits=Limits(depth=3))
    assert whole.problems == [(ProblemKind.TOO_LARGE, "nested deeper than 3 levels")]


# -- leads --------------------------------------------------------------------------------

LEADS = [
    ("get_weather(city=1)", "get_weather"),
    ("[get_weather(", "get_weather"),
    ("[ 'get_weather(", "get_weather"),
    ("[{'get_weather(", "get_weather"),
    ("`get_weather(", "get_weather"),
    ('["get_weather"(', "get_weather"),
    (r"get\_weather(", "get_weather"),
    ("get_weather (", "get_weather"),
    ("functions.get_weather(", "functions.get_weather"),
    ("get_weather city", ""),
    ("other(a=1)", ""),
    ("[1, 2]", ""),
    ('{"name": 1}', ""),
    ("", ""),
    ("x" * 200 + "(", ""),
    ("[" + " " * 200 + "get_weather(", ""),
]


@pytest.mark.parametrize(("text", "name"), LEADS)
def test_the_beginning_of_a_call_is_told_as_soon_as_it_shows(text, name):
    offered = Offered(OFFER)
    assert leading_call(text, 0, True, offered) == name
    for end in range(len(text)):
        assert leading_call(text[:end], 0, False, offered) in (MORE, name)
    assert leading_call("." + text, 1, True, offered) == name


def test_where_nothing_is_offered_a_lead_is_a_list_with_a_keyword():
    offered = Offered(NOTHING)
    assert leading_call("[f(a=1)", 0, True, offered) == "f"
    assert leading_call("[f(a", 0, False, offered) == MORE
    assert leading_call("[f(a)", 0, False, offered) == ""
    assert leading_call("[f(a==1)", 0, True, offered) == ""
    assert leading_call("f(a=1)", 0, True, offered) == ""
