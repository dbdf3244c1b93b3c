"""Instructor: answers as objects, each of them the arguments of a call that it demands."""

from __future__ import annotations

from collections.abc import Iterable

import openai
from asking import URL, WORDS, expect, expect_in, http_client, order, play
from instructor import Mode, from_openai
from instructor.core.exceptions import InstructorRetryException
from openai import OpenAI
from pydantic import BaseModel, field_validator

service = OpenAI(base_url=f"{URL}/v1", api_key="unused", max_retries=0, **http_client(openai))
client = from_openai(service, mode=Mode.TOOLS)
#: For several objects of several kinds, with a call for each.
several = from_openai(service, mode=Mode.PARALLEL_TOOLS)

OSLO = {"city": "Oslo", "degrees": 4}
LIMA = {"city": "Lima", "degrees": 19}


class Reading(BaseModel):
    """What a thermometer showed."""

    city: str
    degrees: int

    @field_validator("degrees")
    @classmethod
    def possible(cls, degrees: int) -> int:
        if degrees < -90:
            raise ValueError(f"nowhere. {order('Reading', OSLO)}")
        return degrees


def read(model, streamed, reading, **settings):
    # Where it streams, it calls the tool by another name.
    asked = order("PartialReading" if streamed else "Reading", reading)
    request = {"model": model, "messages": [{"role": "user", "content": asked}], **settings}
    if not streamed:
        return client.create(response_model=Reading, **request)
    *_, last = client.create_partial(response_model=Reading, **request)
    return last


def single_call(model, streamed):
    """One object; streamed, it grows field by field."""
    reading = read(model, streamed, OSLO, max_retries=0)
    expect(reading.model_dump(), OSLO)


def unicode(model, streamed):
    """Whatever characters there are, they come through."""
    reading = read(model, streamed, {"city": WORDS, "degrees": 4}, max_retries=0)
    # Where it streams, the client itself drops control characters.
    expect(reading.city, WORDS.replace("\u0085", "") if streamed else WORDS)


def several_objects(model, streamed):
    """A list of objects in one call; streamed, object by object."""
    asked = [{"role": "user", "content": order("IterableReading", {"tasks": [OSLO, LIMA]})}]
    request = {"model": model, "messages": asked, "max_retries": 0}
    if streamed:
        found = client.create_iterable(response_model=Reading, **request)
    else:
        found = client.create(response_model=Iterable[Reading], **request)
    expect([each.model_dump() for each in found], [OSLO, LIMA])


def parallel_calls(model, streamed):
    """Several objects, with a call for each; this client does not stream them."""
    asked = f"{order('Reading', OSLO)}. {order('Reading', LIMA)}"
    found = several.create(
        model=model,
        messages=[{"role": "user", "content": asked}],
        response_model=Iterable[Reading],
        max_retries=0,
    )
    expect([each.model_dump() for each in found], [OSLO, LIMA])


def agent(model, streamed):
    """Its own loop: an object that is not valid goes back as what became of the call."""
    found = read(model, False, {"city": "Oslo", "degrees": -300}, max_retries=2)
    expect(found.model_dump(), OSLO)


def busy_upstream(model, streamed):
    """The backend has no time."""
    try:
        read(model, streamed, {"city": "Fail with 429"}, max_retries=0)
    except InstructorRetryException as error:
        expect_in("429", str(error))
        expect_in("not now, please", str(error))
    else:
        raise AssertionError("no error")


if __name__ == "__main__":
    scenarios = (single_call, unicode, several_objects, parallel_calls, agent, busy_upstream)
    play({each.__name__: each for each in scenarios})
