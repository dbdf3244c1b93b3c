"""How often is a structured answer of the embedded model one, and right, beside other libraries?

    pip install instructor openai outlines torch transformers gguf accelerate
    python benchmarks/structured.py [--ways toolproto,held,instructor,json,outlines] [--count 20]

Five forms, and sentences to take the data out of, at temperature 0, with at most three attempts:

- ``toolproto``: ``session.send(…, output=Form)`` on a model that is only read and asked again;
- ``held``: the same, held to the grammar of the answer;
- ``instructor``: instructor's ``MD_JSON``, for models that only write text;
- ``json``: its ``JSON`` mode, on a service that holds the reply to JSON of any kind;
- ``outlines``: outlines' JSON mode, in transformers, with the weights of the same file.

An answer counts as valid if the library gives an object of the form, as right if every field is.
Intervals are Wilson's, at 95 %.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Iterator
from typing import Any, Literal

import httpx
from pydantic import BaseModel

from toolproto import ChatRequest, ChatSession, Message, TurnLimits
from toolproto.endpoints import LocalEndpoint
from toolproto.endpoints.local import pull
from toolproto.evals.intervals import Share

ATTEMPTS = 3
PARAMS = {"temperature": 0, "seed": 1, "max_tokens": 100}
Day = Literal["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]


class Person(BaseModel):
    """Somebody."""

    name: str
    age: int


class Trip(BaseModel):
    """A journey."""

    start: str
    goal: str
    days: int


class Order(BaseModel):
    """Something that is bought."""

    item: str
    count: int
    price: float


class Meeting(BaseModel):
    """A meeting."""

    title: str
    day: Day


class Weather(BaseModel):
    """The weather of a city."""

    city: str
    degrees: int
    sky: Literal["sunny", "cloudy", "rainy"]


def tasks() -> Iterator[tuple[BaseModel, str]]:
    """An answer, and the sentence that it is in; one of each form after the other."""
    people = [("Ann", 30), ("Bob", 41), ("Chen", 7), ("Dora", 66), ("Emil", 19), ("Fay", 52)]
    trips = [("Oslo", "Rome"), ("Paris", "Lima"), ("Cairo", "Delhi"), ("Bonn", "Graz")]
    things = [("pens", 3, 1.5), ("chairs", 4, 80.0), ("lamps", 2, 35.5), ("cups", 6, 4.0)]
    meetings = [("Budget", "Monday"), ("Review", "Friday"), ("Planning", "Tuesday")]
    skies = [("Oslo", 4, "rainy"), ("Rome", 27, "sunny"), ("Lima", 18, "cloudy")]
    for number in range(100):
        name, age = people[number % len(people)]
        yield Person(name=name, age=age), f"{name} is {age} years old."
        start, goal = trips[number % len(trips)]
        days = number % 7 + 2
        said = f"We travel from {start} to {goal} and need {days} days."
        yield Trip(start=start, goal=goal, days=days), said
        item, count, price = things[number % len(things)]
        said = f"I buy {count} {item} for {price} dollars each."
        yield Order(item=item, count=count, price=price), said
        title, day = meetings[number % len(meetings)]
        yield Meeting(title=title, day=day), f"The meeting about {title} is on {day}."
        city, degrees, sky = skies[number % len(skies)]
        said = f"In {city} it is {sky}, and {degrees} degrees."
        yield Weather(city=city, degrees=degrees, sky=sky), said


def asked(said: str) -> str:
    return f"Take the data out of this sentence: {said}"


Answering = Callable[[type[BaseModel], str], Any]


def ours(constrain: Literal["auto", "off"]) -> Answering:
    endpoint = LocalEndpoint("smollm2", params=PARAMS)
    limits = TurnLimits(reasks=ATTEMPTS - 1)

    def answer(form: type[BaseModel], said: str) -> Any:
        session = ChatSession(endpoint, "json_strict", limits=limits, constrain=constrain)
        return session.send(asked(said), output=form).output

    return answer


#: JSON of any kind, as services hold a reply to it that are asked for ``json_object``.
ANY_JSON = r"""
root ::= object
value ::= object | array | string | number | "true" | "false" | "null"
object ::= "{" ws (string ":" ws value ("," ws string ":" ws value)*)? "}" ws
array ::= "[" ws (value ("," ws value)*)? "]" ws
string ::= "\"" ([^"\\\x7F\x00-\x1F] | "\\" ["\\bfnrt])* "\"" ws
number ::= "-"? [0-9]+ ("." [0-9]+)? ws
ws ::= [ \t\n]?
"""


class Here(httpx.BaseTransport):
    """OpenAI's chat completions, answered by the model of this process."""

    def __init__(self) -> None:
        self.endpoint = LocalEndpoint("smollm2", params=PARAMS)

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        body = json.loads(request.read())
        said = tuple(Message(each["role"], _text(each["content"])) for each in body["messages"])
        wanted = (body.get("response_format") or {}).get("type")
        params = {"grammar": ANY_JSON} if wanted == "json_object" else {}
        with self.endpoint.stream(ChatRequest(said, params=params)) as chunks:
            chunks = list(chunks)
        message = {"role": "assistant", "content": "".join(chunk.text for chunk in chunks)}
        choice = {"index": 0, "message": message, "finish_reason": chunks[-1].finish_reason}
        told = {"id": "1", "object": "chat.completion", "created": 0, "model": "smollm2"}
        return httpx.Response(200, json={**told, "choices": [choice]}, request=request)


def _text(content: Any) -> str:
    return content if isinstance(content, str) else "".join(part["text"] for part in content)


def by_instructor(mode: str) -> Answering:
    import instructor
    import openai

    client = openai.OpenAI(api_key="-", http_client=httpx.Client(transport=Here()), max_retries=0)
    made = instructor.from_openai(client, mode=instructor.Mode[mode])

    def answer(form: type[BaseModel], said: str) -> Any:
        return made.chat.completions.create(
            model="smollm2",
            response_model=form,
            max_retries=ATTEMPTS - 1,
            messages=[{"role": "user", "content": asked(said)}],
        )

    return answer


def by_outlines() -> Answering:
    import outlines
    import torch
    from outlines.inputs import Chat
    from transformers import AutoModelForCausalLM, AutoTokenizer

    torch.set_num_threads(1)
    path = pull("smollm2")
    place = {"pretrained_model_name_or_path": str(path.parent), "gguf_file": path.name}
    tokenizer = AutoTokenizer.from_pretrained(**place)
    model = outlines.from_transformers(AutoModelForCausalLM.from_pretrained(**place), tokenizer)

    def answer(form: type[BaseModel], said: str) -> Any:
        schema = json.dumps(form.model_json_schema())
        # It holds the model to the schema and says nothing of it.
        told = f"{asked(said)}\nAnswer in JSON that fits this schema: {schema}"
        chat = Chat([{"role": "user", "content": told}])
        text = model(chat, form, max_new_tokens=PARAMS["max_tokens"], do_sample=False)
        return form.model_validate_json(text)

    return answer


WAYS: dict[str, Callable[[], Answering]] = {
    "toolproto": lambda: ours("off"),
    "held": lambda: ours("auto"),
    "instructor": lambda: by_instructor("MD_JSON"),
    "json": lambda: by_instructor("JSON"),
    "outlines": by_outlines,
}


def is_right(got: Any, wanted: BaseModel) -> bool:
    if not isinstance(got, type(wanted)):
        return False
    return str(got.model_dump()).casefold() == str(wanted.model_dump()).casefold()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--ways", default=",".join(WAYS))
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=3600, help="ask no more after that")
    parser.add_argument("--verbose", action="store_true", help="show every answer")
    options = parser.parse_args()
    pull("smollm2")
    print(f"{'way':<12}{'valid':>26}{'right':>26}{'seconds each':>14}")
    for way in options.ways.split(","):
        answer = WAYS[way]()
        asked_for, valid, right, began = 0, 0, 0, time.monotonic()
        # Form by form: then llama.cpp reads the beginning of a prompt once.
        chosen = list(tasks())[: options.count]
        for wanted, said in sorted(chosen, key=lambda task: type(task[0]).__name__):
            if time.monotonic() - began > options.seconds:
                break
            asked_for += 1
            try:
                got = answer(type(wanted), said)
            except Exception as error:  # each library has its own; what counts is that none came
                got = error
            valid += isinstance(got, type(wanted))
            right += is_right(got, wanted)
            if options.verbose:
                print(f"  {said}  {str(got)[:90]!r}", flush=True)
        seconds = (time.monotonic() - began) / asked_for
        shares = [Share(number, asked_for) for number in (valid, right)]
        told = [
            f"{each.right} of {each.asked} ({each.low:.0%} to {each.high:.0%})" for each in shares
        ]
        cells = "".join(f"{each:>26}" for each in told)
        print(f"{way:<12}{cells}{seconds:>14.1f}", flush=True)


if __name__ == "__main__":
    main()
