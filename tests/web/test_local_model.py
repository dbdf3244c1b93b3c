"""The whole way of a call with the embedded model, which really writes it."""

from __future__ import annotations

import os
from collections.abc import Callable

import pytest

from tests.web.watched import Tab
from toolproto.protocol.errors import ToolProtoError
from toolproto.web import WebConfig
from toolproto.web.choices import Choices

pytestmark = [
    pytest.mark.skipif("TOOLPROTO_WEB" not in os.environ, reason="a minute each: `make web`"),
    pytest.mark.time_limit(900),
]


@pytest.mark.parametrize("paradigm", ["json_strict", "xml_tag"])
def test_the_embedded_model_asks_for_code_and_answers_with_its_result(
    visit: Callable[..., Tab], paradigm: str
) -> None:
    from toolproto.endpoints.local import pull

    try:
        pull("smollm2")
    except ToolProtoError as error:
        pytest.skip(f"no model: {error}")
    choices = Choices(source="local", paradigm=paradigm, temperature=0.0, max_tokens=80)
    tab = visit(WebConfig(choices=choices))
    tab.page.set_default_timeout(400_000)
    tab.say("What is 17 * 23?")
    card = tab.card("waiting")
    assert "17 * 23" in card.inner_text()
    tab.click("Run")
    tab.sees("391.")
