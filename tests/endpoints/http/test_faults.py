"""Every fault, in every phase of a request: a reply or a typed error, in time, nothing left."""

from __future__ import annotations

import asyncio
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from itertools import product
from random import Random

import pytest

from tests.amount import WHOLE, amount
from tests.endpoints.fault_server import FAULTS, PHASES, TEXT, Fault, FaultServer
from tests.endpoints.leaks import nothing_left
from tests.patience import PATIENCE
from toolproto.endpoints import HttpEndpoint, Retries, Timeouts
from toolproto.protocol.errors import EndpointError
from toolproto.protocol.messages import ChatRequest, Message

REQUEST = ChatRequest((Message("user", "hello"),))
SEEDS = amount(5, 12)
TIMEOUTS = Timeouts(connect=0.5, first_token=0.5, between_tokens=0.4, total=0.8)
#: For services whose replies must arrive whole, however crowded the machine is.
PATIENT = Timeouts(PATIENCE, PATIENCE, PATIENCE, PATIENCE)
RETRIES = Retries(attempts=2, base=0.01, cap=0.02, retry_after_cap=0.02)
#: Faults after which the text may be complete but different, and nobody can tell.
INAUDIBLE = {"garbage", "endless"}


def endpoint_for(server, dialect="openai_chat", timeouts=TIMEOUTS):
    return HttpEndpoint(
        server.url, model="m", dialect=dialect, timeouts=timeouts, retries=RETRIES, api_key="k" * 20
    )


def outcome_of(endpoint):
    began = time.monotonic()
    try:
        with endpoint.stream(REQUEST) as chunks:
            outcome = list(chunks)
    except EndpointError as error:
        outcome = error
    return outcome, time.monotonic() - began


async def async_outcome_of(endpoint):
    began = time.monotonic()
    try:
        async with endpoint.astream(REQUEST) as chunks:
            outcome = [chunk async for chunk in chunks]
    except EndpointError as error:
        outcome = error
    return outcome, time.monotonic() - began


def all_outcomes(endpoints):
    with ThreadPoolExecutor(len(endpoints) * SEEDS) as pool:
        return list(pool.map(outcome_of, [each for each in endpoints for _ in range(SEEDS)]))


def all_async_outcomes(endpoints):
    async def gather():
        runs = [async_outcome_of(each) for each in endpoints for _ in range(SEEDS)]
        outcomes = await asyncio.gather(*runs)
        for each in endpoints:
            await each.aclose()
        await asyncio.sleep(0)
        assert asyncio.all_tasks() == {asyncio.current_task()}
        return outcomes

    return asyncio.run(gather())


def run(gather, fault, phases, dialects=("openai_chat",), timeouts=TIMEOUTS):
    """The outcomes of SEEDS requests in each phase; none too late, nothing left behind."""
    with nothing_left(), ExitStack() as stack:
        endpoints = []
        for dialect, phase in product(dialects, phases):
            plans = [Fault(fault, phase, seed, dialect=dialect) for seed in range(SEEDS)]
            server = stack.enter_context(FaultServer(*plans))
            endpoints.append(endpoint_for(server, dialect, timeouts))
        outcomes = gather(endpoints)
        for endpoint in endpoints:
            endpoint.close()
    assert max(seconds for _, seconds in outcomes) < PATIENCE
    return [outcome for outcome, _ in outcomes]


def is_whole(outcome):
    return "".join(chunk.text for chunk in outcome) == TEXT and outcome[-1].finish_reason == "stop"


@pytest.mark.parametrize("gather", [all_outcomes, all_async_outcomes])
@pytest.mark.parametrize("fault", FAULTS)
def test_a_faulty_service_gives_a_reply_or_a_typed_error_in_time(fault, gather):
    for outcome in run(gather, fault, PHASES):
        if not isinstance(outcome, EndpointError) and fault not in INAUDIBLE:
            assert is_whole(outcome)


@pytest.mark.parametrize("gather", [all_outcomes, all_async_outcomes])
@pytest.mark.parametrize("fault", ["none", "slices"])
def test_bytes_in_any_slices_are_read_whole(fault, gather):
    phases = ["request", "head", "body", "end"]
    assert all(map(is_whole, run(gather, fault, phases, timeouts=PATIENT)))


@pytest.mark.parametrize("gather", [all_outcomes, all_async_outcomes])
@pytest.mark.parametrize("fault", ["reset", "truncate", "stall", "drip", "endless", "half_close"])
def test_what_breaks_after_the_finish_reason_costs_nothing(fault, gather):
    # A reset may overtake what was sent before it; everything else leaves the reply whole.
    outcomes = run(gather, fault, ["end"], timeouts=PATIENT)
    assert all(is_whole(each) for each in outcomes if not isinstance(each, EndpointError))
    assert fault == "reset" or not any(isinstance(each, EndpointError) for each in outcomes)


DIALECTS = ("openai_completions", "anthropic", "ollama", "gemini", "azure_openai")


@pytest.mark.parametrize("gather", [all_outcomes, all_async_outcomes])
@pytest.mark.parametrize("fault", FAULTS if WHOLE else ["truncate", "slices", "garbage", "endless"])
def test_every_dialect_stands_the_faults(fault, gather):
    # What happens around a body is the same for all dialects: the usual run has it once, above.
    for outcome in run(gather, fault, PHASES if WHOLE else ["body", "end"], DIALECTS):
        if not isinstance(outcome, EndpointError) and fault not in INAUDIBLE:
            assert is_whole(outcome)


@pytest.mark.parametrize("fault", ["none", "slices", "stall", "drip", "endless", "503", "reset"])
def test_stopping_at_any_moment_leaves_nothing(fault):
    def stop(case):
        endpoint, random = case
        with endpoint.stream(REQUEST) as chunks:
            timer = threading.Timer(random.uniform(0, 0.1), chunks.abort)
            timer.start()
            with suppress(EndpointError):
                list(chunks)
            timer.cancel()
            timer.join()

    async def cancel(endpoint, random):
        task = asyncio.create_task(async_outcome_of(endpoint))
        await asyncio.sleep(random.uniform(0, 0.1))
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task

    async def cancel_all(cases):
        await asyncio.gather(*(cancel(*case) for case in cases))
        await cases[0][0].aclose()
        assert asyncio.all_tasks() == {asyncio.current_task()}

    plans = [Fault(fault, phase, seed) for seed in range(8) for phase in PHASES]
    with nothing_left(), FaultServer(*plans) as server, endpoint_for(server) as endpoint:
        cases = [(endpoint, Random(seed)) for seed in range(40)]
        with ThreadPoolExecutor(len(cases)) as pool:
            list(pool.map(stop, cases))
        asyncio.run(cancel_all(cases))
