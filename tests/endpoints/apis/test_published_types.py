"""Requests with tools fit the types that the makers of the APIs publish for them."""

from __future__ import annotations

import json
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from tests.endpoints.apis.offers import ALL
from tests.gateway.proxy.clients.environments import NotInstalled, installed
from toolproto.endpoints.apis.dialects import DIALECTS

PROGRAM = Path(__file__).parent / "published_types.py"
#: Where the types of each are installed, as the clients of the proxy's tests are.
WHERE = {
    "openai2.txt": ("openai_chat", "azure_openai", "anthropic", "ollama"),
    "openai3.txt": ("openai_chat", "gemini"),
}


def faults(requirements, asked):
    """What the makers' types say of bodies."""
    try:
        python = installed(requirements) / "bin" / "python"
    except NotInstalled as reason:
        pytest.fail(str(reason))
    # Not from where it lies: there are folders with the names of the packages.
    done = subprocess.run(
        [python, "-P", PROGRAM],
        input=json.dumps(asked),
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout)


def test_every_dialect_with_tools_is_checked():
    checked = {name for names in WHERE.values() for name in names}
    assert checked == {name for name, dialect in DIALECTS.items() if dialect.has_tools}


# Importing the clients takes some seconds, and installing them longer, if nobody has yet.
@pytest.mark.time_limit(900)
@pytest.mark.parametrize("requirements", WHERE)
def test_a_request_with_tools_fits_the_published_types(requirements):
    bodies = [
        # Parameters are another question: Anthropic's newest models have no temperature.
        (name, DIALECTS[name].body(replace(request, params={}), "gemini-3-pro"))
        for name in WHERE[requirements]
        for request in ALL
    ]
    assert not list(filter(None, faults(requirements, bodies)))


@pytest.mark.time_limit(900)
def test_a_request_that_does_not_fit_is_found():
    bodies = {name: DIALECTS[name].body(ALL[1], "m") for name in WHERE["openai2.txt"]}
    wrong = [("messages", [{"role": "tool", "content": {"a": 1}}]), ("tools", [3])]
    asked = [
        (name, {**body, field: value}) for name, body in bodies.items() for field, value in wrong
    ]
    asked += [("openai_chat", {**bodies["openai_chat"], "made_up": 1})]
    told = faults("openai2.txt", asked)
    assert all("validation error" in fault for fault in told), told
