"""What every client is asked that lets its user make the loop."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from asking import WORDS, Ask, Refused, Reply, Result, Scenario, expect, expect_in, order

OSLO = {"city": "Oslo"}
LIMA = {"city": "Lima"}
TRIP = {
    "stops": ["Oslo", "Lima"],
    "nights": 3,
    "budget": 12.5,
    "flexible": True,
    "guest": {"name": 'Ann "A" Ö </tool_call></tool_code>'},
}


@dataclass
class Client:
    """How a client is used, *ask*, and how it tells errors, *refused*.

    *ends* are its words for a reply that ends with calls, and one that ends with words.
    """

    ask: Ask
    refused: Callable[[Exception], Refused]
    ends: tuple[str, str] = ("tool_calls", "stop")


def usual(client: Client, without: Sequence[str] = ()) -> dict[str, Scenario]:
    """The scenarios for *client*, *without* those for which it has no words."""
    return {each.__name__: partial(each, client) for each in _USUAL if each.__name__ not in without}


def words(client: Client, model: str, streamed: bool) -> None:
    """Tools on offer need not be called."""
    reply = client.ask(model, ["Hello"], streamed=streamed)
    expect((reply.text, reply.calls, reply.finish), ("Hello to you.", [], client.ends[1]))


def single_call(client: Client, model: str, streamed: bool) -> None:
    """One call, after a few words."""
    reply = client.ask(model, [order("get_weather", OSLO)], streamed=streamed)
    expect(called(reply), [("get_weather", OSLO)])
    expect((reply.text.strip(), reply.finish), ("Let me see.", client.ends[0]))
    assert all(call.id for call in reply.calls)


def no_arguments(client: Client, model: str, streamed: bool) -> None:
    """A call of a tool that takes none."""
    reply = client.ask(model, [order("now", {})], streamed=streamed)
    expect(called(reply), [("now", {})])


def typed_arguments(client: Client, model: str, streamed: bool) -> None:
    """Numbers, flags, lists and objects stay what they are."""
    reply = client.ask(model, [order("book", TRIP)], streamed=streamed)
    expect(called(reply), [("book", TRIP)])


def parallel_calls(client: Client, model: str, streamed: bool) -> None:
    """Two calls at once, each with an id of its own."""
    asked = f"{order('get_weather', OSLO)}. {order('get_weather', LIMA)}"
    reply = client.ask(model, [asked], streamed=streamed)
    expect(called(reply), [("get_weather", OSLO), ("get_weather", LIMA)])
    expect(len({call.id for call in reply.calls}), 2)


def one_at_a_time(client: Client, model: str, streamed: bool) -> None:
    """The model makes two calls although only one is wanted."""
    asked = f"{order('get_weather', OSLO)}. {order('get_weather', LIMA)}"
    reply = client.ask(model, [asked], streamed=streamed, parallel=False)
    expect(called(reply), [("get_weather", OSLO)])


def forced(client: Client, model: str, streamed: bool) -> None:
    """The model would rather chat, but a call is demanded."""
    reply = client.ask(model, ["Hello"], streamed=streamed, choice="required")
    expect(called(reply), [("get_weather", OSLO)])


def forced_by_name(client: Client, model: str, streamed: bool) -> None:
    """A call of a certain tool is demanded."""
    reply = client.ask(model, ["Hello"], streamed=streamed, choice="now")
    expect(called(reply), [("now", {})])


def forbidden(client: Client, model: str, streamed: bool) -> None:
    """The model makes a call although none is wanted."""
    asked = [order("get_weather", OSLO)]
    reply = client.ask(model, asked, streamed=streamed, choice="none")
    expect((reply.text.strip(), reply.calls, reply.finish), ("Let me see.", [], client.ends[1]))


def results_then_answer(client: Client, model: str, streamed: bool) -> None:
    """Two results, given in the client's own form, then another round, then no tools at all."""
    asked = f"{order('get_weather', OSLO)}. {order('get_weather', LIMA)}"
    first = client.ask(model, [asked], streamed=streamed)
    results = [Result(call, f"{call.arguments['city']}: 4 °C") for call in first.calls]
    turns = [asked, first, *results]
    answer = client.ask(model, turns, streamed=streamed)
    expect((answer.text, answer.calls), ("I was told: Oslo: 4 °C | Lima: 4 °C", []))
    turns += [answer, order("now", {})]
    second = client.ask(model, turns, streamed=streamed)
    turns += [second, Result(second.calls[0], "noon")]
    last = client.ask(model, turns, streamed=streamed, tools={})
    expect((last.text, last.calls), ("I was told: noon", []))


def unicode(client: Client, model: str, streamed: bool) -> None:
    """Whatever characters there are, they come through in both directions."""
    asked = order("get_weather", {"city": WORDS})
    reply = client.ask(model, [asked], streamed=streamed)
    expect(called(reply), [("get_weather", {"city": WORDS})])
    turns = [asked, reply, Result(reply.calls[0], WORDS)]
    expect(client.ask(model, turns, streamed=streamed).text, f"I was told: {WORDS}")


def busy_upstream(client: Client, model: str, streamed: bool) -> None:
    """The backend has no time: its status, its words, and when to come back."""
    refused = _refused(client, model, ["Fail with 429"], streamed)
    expect(refused.status, 429)
    expect_in("not now, please", refused.message)
    expect(refused.retry_after, "7")


def unknown_choice(client: Client, model: str, streamed: bool) -> None:
    """A tool is demanded that is not on offer."""
    refused = _refused(client, model, ["Hello"], streamed, choice="fly")
    expect(refused.status, 400)
    expect_in("'fly'", refused.message)


def broken_off(client: Client, model: str, streamed: bool) -> None:
    """The backend breaks off in the middle: an error, and not a short answer."""
    refused = _refused(client, f"broken/{model}", [order("get_weather", OSLO)], streamed)
    expect_in("the upstream", refused.message)


_USUAL = (
    words,
    single_call,
    no_arguments,
    typed_arguments,
    parallel_calls,
    one_at_a_time,
    forced,
    forced_by_name,
    forbidden,
    results_then_answer,
    unicode,
    busy_upstream,
    unknown_choice,
    broken_off,
)


def called(reply: Reply) -> list[tuple[str, dict[str, object]]]:
    """The calls of *reply* without their ids."""
    return [(call.name, call.arguments) for call in reply.calls]


def _refused(
    client: Client, model: str, turns: list[str], streamed: bool, choice: str = "auto"
) -> Refused:
    try:
        reply = client.ask(model, turns, streamed=streamed, choice=choice)
    except Exception as error:
        return client.refused(error)
    raise AssertionError(f"no error, but {reply}")
