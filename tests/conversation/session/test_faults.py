"""Whole turns against a service that misbehaves: an outcome in time, and nothing left behind."""

from __future__ import annotations

import asyncio
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import pytest

from tests.amount import amount
from tests.endpoints.fault_server import FAULTS, PHASES, Fault, FaultServer
from tests.endpoints.leaks import nothing_left
from tests.patience import PATIENCE
from toolproto import AsyncChatSession, ChatSession, TurnEnded, tool
from toolproto.endpoints import HttpEndpoint, Retries, Timeouts
from toolproto.protocol.errors import EndpointError

SEEDS = amount(2, 6)  # what they vary is varied more in tests/endpoints/http/test_faults.py
TIMEOUTS = Timeouts(connect=0.5, first_token=0.5, between_tokens=0.4, total=0.8)
RETRIES = Retries(attempts=2, base=0.01, cap=0.02, retry_after_cap=0.02)
CALL = '<tool_code>{"name": "note", "arguments": {"text": "Grüße"}}</tool_code>'


@tool
def note(text: str) -> str:
    """Write down a text."""
    return f"noted {text}"


def play_sync(url):
    with HttpEndpoint(url, model="m", timeouts=TIMEOUTS, retries=RETRIES) as endpoint:
        session = ChatSession(endpoint, "xml_tag", [note])
        with session.stream("go") as events:
            return list(events)


async def play_async(url):
    async with HttpEndpoint(url, model="m", timeouts=TIMEOUTS, retries=RETRIES) as endpoint:
        session = AsyncChatSession(endpoint, "xml_tag", [note])
        async with session.stream("go") as events:
            return [event async for event in events]


def in_threads(urls):
    with ThreadPoolExecutor(len(urls)) as pool:
        return list(pool.map(play_sync, urls))


def on_a_loop(urls):
    async def gather():
        played = await asyncio.gather(*map(play_async, urls))
        assert asyncio.all_tasks() == {asyncio.current_task()}
        return played

    return asyncio.run(gather())


@pytest.mark.parametrize("play_all", [in_threads, on_a_loop])
@pytest.mark.parametrize("fault", FAULTS)
def test_a_turn_comes_to_an_end_whatever_the_service_does(fault, play_all):
    # All at once: most of them wait most of the time.
    servers = [
        FaultServer(Fault(fault, phase, seed, text=CALL), Fault(text="done"))
        for phase in PHASES
        for seed in range(SEEDS)
    ]
    with nothing_left():
        began = time.monotonic()
        with ExitStack() as stack:
            played = play_all([stack.enter_context(server).url for server in servers])
        # Two requests of at most a second, by the threads of some servers on a crowded machine.
        assert time.monotonic() - began < PATIENCE
    for events in played:
        (ended,) = [event.result for event in events if isinstance(event, TurnEnded)]
        assert events[-1].result is ended
        if ended.status == "completed":
            assert fault in ("garbage", "endless") or ended.text == "done"
        else:
            assert ended.status in ("error", "timeout")
            assert isinstance(ended.error, EndpointError)
