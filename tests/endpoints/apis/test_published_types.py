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


#: What no maker's types take, by where it stands.
WRONG = {"messages": [{"role": "tool", "content": {"a": 1}}], "contents": [{"made": "up"}]}


# Importing the clients takes some seconds, and installing them longer, if nobody has yet.
@pytest.mark.time_limit(900)
@pytest.mark.parametrize("requirements", WHERE)
def test_a_request_with_tools_fits_the_published_types(requirements):
    # Parameters are another question: Anthropic's newest models have no temperature.
    requests = [replace(request, params={}) for request in ALL]
    fitting = [
        (name, DIALECTS[name].body(request, "gemini-3-pro"))
        for name in WHERE[requirements]
        for request in requests
    ]
    wrong = [
        (name, {**body, field: value})
        for name, body in fitting[:: len(requests)]
        for field, value in {**WRONG, "tools": [3]}.items()
        if field in body
    ]
    told = faults(requirements, [*fitting, *wrong])
    assert not list(filter(None, told[: len(fitting)]))
    assert all("validation error" in fault for fault in told[len(fitting) :])
