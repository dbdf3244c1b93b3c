"""One browser for the tests of a module, and a fresh person in it for each test.

Playwright keeps an event loop running while it is there, beside which no other can be run: it has
to be gone before the tests of another module.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from tests.web.browser import FLAGS, REMEDY, chromium
from tests.web.serving import served
from tests.web.watched import Tab
from toolproto.web import WebConfig


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Chromium, driven by Playwright."""
    playwright = pytest.importorskip("playwright.sync_api")
    program = chromium()
    if program is None:
        pytest.skip(REMEDY)
    with playwright.sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=program, args=FLAGS, timeout=180_000)
        yield started
        started.close()


@pytest.fixture
def visit(browser: Any) -> Iterator[Callable[..., Tab]]:
    """Start a server and open its page: ``visit(config)``, a :class:`Tab`."""
    with ExitStack() as stack:

        def visit(config: WebConfig, **options: Any) -> Tab:
            url = stack.enter_context(served(config))
            context = browser.new_context(**{"viewport": {"width": 1280, "height": 800}, **options})
            stack.callback(context.close)
            tab = Tab(context, url, config.token)
            stack.callback(tab.check)
            return tab

        yield visit
