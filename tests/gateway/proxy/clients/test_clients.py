"""Real clients get tools from a backend that has none.

Each client has a program under ``programs/`` that uses it as its users do, and says how each
scenario went. Here every scenario of every client is a test for one paradigm; what a client sees
is the same in all of them, and each is met by some. ``make soak`` plays all with each. With
``TOOLPROTO_FRAMEWORKS`` set (``make frameworks``) no proxy is asked: the clients of Python have a
transport in them, and are to get the same.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Mount, Route

from tests.amount import WHOLE, amount
from tests.gateway.proxy.backend import Backend, served
from toolproto.gateway.proxy.app import make_app
from toolproto.gateway.proxy.config import ModelTerms, ProxyConfig, Upstream

from .model import model_of
from .reports import Report, report_of

PARADIGMS = ("json_strict", "xml_tag", "hermes", "qwen3_coder", "pythonic")
#: What every client is asked that has words for it: ``programs/usual.py``.
PLAIN = (
    *("words", "single_call", "no_arguments", "typed_arguments", "parallel_calls"),
    *("results_then_answer", "unicode", "busy_upstream", "broken_off"),
)
CHOOSING = ("one_at_a_time", "forced", "forced_by_name", "forbidden", "unknown_choice")
USUAL = (*PLAIN, *CHOOSING)


@dataclass(frozen=True)
class Client:
    """Where it is installed, the program that uses it, and what that plays in which paradigms."""

    requirements: str
    program: str
    scenarios: tuple[str, ...]
    paradigms: tuple[str, ...]


def client(requirements: str, program: str, *scenarios: str) -> Client:
    one = PARADIGMS[sum(map(ord, program)) % len(PARADIGMS)]
    return Client(requirements, program, scenarios, PARADIGMS if WHOLE else (one,))


def of_form(requirements: str, program: str, *scenarios: str) -> Client:
    """A client whose scenarios are about the form of what it gets, and not about the model's."""
    return Client(requirements, program, scenarios, PARADIGMS[: amount(1, 2)])


CLIENTS = {
    "openai": client("openai3.txt", "with_openai.py", *USUAL),
    "responses": client("openai3.txt", "with_responses.py", *USUAL),
    "anthropic": client("openai2.txt", "with_anthropic.py", *USUAL, "agent"),
    "anthropic_kinds": of_form(
        *("openai2.txt", "with_anthropic_kinds.py", "known_kinds", "images", "lists_and_counts")
    ),
    "kinds": of_form(
        *("openai3.txt", "with_kinds.py", "custom", "custom_in_chat", "namespace", "known_kinds"),
        *("remembered", "images", "lists_and_counts"),
    ),
    "ollama": client("openai2.txt", "with_ollama.py", *PLAIN, "agent", "lookups"),
    "litellm": client("openai2.txt", "with_litellm.py", *USUAL),
    "langchain": client("openai2.txt", "with_langchain.py", *USUAL, "agent", "object"),
    "instructor": client(
        *("openai2.txt", "with_instructor.py", "single_call", "unicode", "several_objects"),
        *("parallel_calls", "agent", "busy_upstream"),
    ),
    "pydantic_ai": client("openai3.txt", "with_pydantic_ai.py", *USUAL, "agent", "object"),
    "google": of_form(
        *("openai3.txt", "with_google.py", *PLAIN, "forced", "forced_by_name", "forbidden"),
        *("unknown_choice", "agent", "chat", "lists_and_counts"),
    ),
    "ai_sdk": client("package.json", "with_ai_sdk.mjs", *USUAL, "agent"),
}
IN_PROCESS = "TOOLPROTO_FRAMEWORKS" in os.environ
if IN_PROCESS:
    del CLIENTS["ai_sdk"]  # which is no client of Python
ROWS = [
    pytest.param(name, paradigm, scenario, id=f"{name}-{paradigm}-{scenario}")
    for name, each in CLIENTS.items()
    for paradigm in each.paradigms
    for scenario in each.scenarios
]
Reports = Callable[[Client], Report]


@pytest.fixture(scope="session")
def address() -> Iterator[str]:
    """A proxy whose models have each learnt another paradigm; ``broken/`` ones break off.

    Or the backend alone, which has all of those models.
    """
    backends = {f"{name}/": Backend(model_of(name), size=12) for name in PARADIGMS}
    backends |= {f"broken/{n}/": Backend(model_of(n), size=12, breaks_after=30) for n in PARADIGMS}
    if IN_PROCESS:
        with served(of_all(backends)) as url:
            yield url
        return
    mounts = [Mount(f"/{prefix}", backend.app()) for prefix, backend in backends.items()]
    with served(Starlette(routes=mounts)) as url:
        config = ProxyConfig(
            tuple(Upstream(f"{url}/{prefix}v1", prefix=prefix) for prefix in backends),
            models={f"*{name}/m": ModelTerms(name) for name in PARADIGMS},
        )
        with served(make_app(config)) as address:
            yield address


def of_all(backends: dict[str, Backend]) -> Starlette:
    """One backend that has the models of all *backends*, each under its prefix."""

    async def chat(request: Request) -> Response:
        model = (await request.json())["model"]
        return await backends[model.removesuffix("m")].chat(request)

    async def models(request: Request) -> Response:
        rows = [{"id": f"{prefix}m", "object": "model"} for prefix in backends]
        return JSONResponse({"object": "list", "data": rows})

    routes = [
        Route("/v1/chat/completions", chat, methods=["POST"]),
        Route("/v1/models", models),
    ]
    return Starlette(routes=routes)


@pytest.fixture(scope="session")
def reports(address: str, tmp_path_factory: pytest.TempPathFactory) -> Reports:
    """What the program of a client told."""
    # Processes that share the tests have folders side by side.
    alone = "PYTEST_XDIST_WORKER" not in os.environ
    folder = tmp_path_factory.getbasetemp()
    kept = folder if alone else folder.parent

    @cache
    def report(client: Client) -> Report:
        given = [address, *(f"{name}/m" for name in client.paradigms)]
        return report_of(client.requirements, client.program, given, kept)

    return report


@pytest.mark.parametrize("requirements", sorted({each.requirements for each in CLIENTS.values()}))
def test_what_the_clients_need_can_be_installed(requirements: str, reports: Reports):
    report = reports(next(c for c in CLIENTS.values() if c.requirements == requirements))
    assert not report.not_installed, report.trouble


def test_every_paradigm_is_met_by_some_client():
    assert {name for each in CLIENTS.values() for name in each.paradigms} == set(PARADIGMS)


@pytest.mark.parametrize("name", CLIENTS)
def test_the_program_of_a_client_plays_all_its_scenarios(name: str, reports: Reports):
    report = installed_report(name, reports)
    assert not report.trouble, report.trouble
    played = {row.split()[1] for row in report.problems}
    assert played == set(CLIENTS[name].scenarios), "the program and the table above differ"


@pytest.mark.parametrize(("name", "paradigm", "scenario"), ROWS)
def test_a_client_gets_tools(name: str, paradigm: str, scenario: str, reports: Reports):
    report = installed_report(name, reports)
    for streamed in (False, True):
        row = Report.row(f"{paradigm}/m", scenario, streamed)
        assert row in report.problems, f"the program of {name} ended before {row}"
        assert report.problems[row] is None, f"{name}: {row}\n{report.problems[row]}"


def installed_report(name: str, reports: Reports) -> Report:
    """The report of a client; where it is not installed, another test says why."""
    report = reports(CLIENTS[name])
    if report.not_installed:
        pytest.skip(f"{CLIENTS[name].requirements} cannot be installed; the test of that says why")
    return report
