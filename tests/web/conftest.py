"""One browser and one window for the tests of a module, and a server of its own for each test.

Playwright keeps an event loop running while it is there, beside which no other can be run: it has
to be gone before the tests of another module.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial
from typing import Any

import pytest

from tests.web.browser import FLAGS, REMEDY, chromium
from tests.web.serving import served
from tests.web.watched import Tab
from toolproto.web import WebConfig

_SIZE = {"viewport": {"width": 1280, "height": 800}}


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


@pytest.fixture(scope="module")
def window(browser: Any) -> Any:
    """A window that stays open: to open one takes Chromium a second, a page half of that."""
    context = browser.new_context(**_SIZE)
    context.new_page()
    return context


@pytest.fixture
def visit(browser: Any, window: Any) -> Iterator[Callable[..., Tab]]:
    """Start a server and open its page: ``visit(config)``, a :class:`Tab`.

    Each server has an address of its own, and so knows nothing of who was there before.
    """
    with ExitStack() as stack:

        def visit(config: WebConfig, **options: Any) -> Tab:
            url = stack.enter_context(served(config))
            context = browser.new_context(**{**_SIZE, **options}) if options else window
            stack.callback(context.close if options else partial(_leave, window))
            tab = Tab(context, url, config.token)
            stack.callback(tab.check)
            return tab

        yield visit


def _leave(window: Any) -> None:
    """Close what a test has opened, and forget who it was."""
    for page in window.pages[1:]:
        page.close()
    window.clear_cookies()
    window.set_offline(False)
