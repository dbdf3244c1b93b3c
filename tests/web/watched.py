"""A tab of the page: its errors, and every breach of its policy, are errors of the test."""

from __future__ import annotations

from typing import Any

#: Milliseconds to wait for what must happen.
PATIENCE_MS = 60_000
_CARD = "tp-call[data-status={}]"


class Tab:
    """The page at *url*, signed in."""

    def __init__(self, context: Any, url: str, token: str, *, at: str = "") -> None:
        self.context, self.url, self.token = context, url, token
        context.set_default_timeout(PATIENCE_MS)
        self.page = context.new_page()
        self.errors: list[str] = []
        self.expected: tuple[str, ...] = ()
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("console", self._heard)
        # Whatever breaks the policy is told to the document first.
        self.page.add_init_script(
            "addEventListener('securitypolicyviolation', (e) => "
            "console.error('policy: ' + e.violatedDirective + ' ' + e.blockedURI))"
        )
        self.page.goto(f"{url}/?token={token}{at}")
        self.page.wait_for_selector("tp-conversation .log")

    def _heard(self, message: Any) -> None:
        if message.type == "error":
            self.errors.append(message.text)

    def expect(self, *words: str) -> None:
        """Errors that hold one of *words* are part of the test."""
        self.expected = words

    def check(self) -> None:
        """Fail if anything went wrong that nobody looked for."""
        left = [each for each in self.errors if not any(word in each for word in self.expected)]
        assert not left, left

    def beside(self) -> Tab:
        """Another tab of the same browser, on the same session."""
        return Tab(self.context, self.url, self.token)

    # -- what a person does ----------------------------------------------------------------

    def say(self, text: str) -> None:
        self.page.fill("#say", text)
        self.page.press("#say", "Enter")

    def button(self, name: str, within: str = "") -> Any:
        place = self.page.locator(within) if within else self.page
        return place.get_by_role("button", name=name, exact=True)

    def click(self, name: str, within: str = "") -> None:
        self.button(name, within).first.click()

    def key(self, key: str) -> None:
        """Press *key* on the call that waits."""
        self.page.keyboard.press("Escape")
        self.page.keyboard.press(key)

    def panel(self, tab: str) -> None:
        if not self.page.locator("aside.right").is_visible():
            self.page.click("[aria-label='Tools and settings']")
        self.page.click(f"#tab-{tab}")

    # -- what a person sees ----------------------------------------------------------------

    def card(self, status: str) -> Any:
        """The first call of that *status*, once there is one."""
        found = self.page.locator(_CARD.format(status)).first
        found.wait_for()
        return found

    def soon(self, found: Any) -> Any:
        """What *found* must be, now or soon: ``tab.soon(button).to_be_visible()``."""
        from playwright.sync_api import expect

        expect.set_options(timeout=PATIENCE_MS)
        return expect(found)

    def sees(self, text: str) -> None:
        self.page.get_by_text(text).first.wait_for()

    def turn(self, text: str) -> None:
        """Say *text*, and wait for the end of its turn."""
        turns = "document.querySelectorAll('article.turn').length"
        before = self.page.evaluate(turns)
        self.say(text)
        self.until(f"{turns} > {before}")
        self.idle()

    def idle(self) -> None:
        """Wait until no turn runs; the one of a message that was just sent may not run yet."""
        self.until("!document.querySelector('tp-app').running")

    def until(self, condition: str) -> None:
        """Wait until *condition* holds. Playwright's own way needs eval, which is barred."""
        for _ in range(PATIENCE_MS // 25):
            if self.page.evaluate(condition):
                return
            self.page.wait_for_timeout(25)
        raise AssertionError(f"never came true: {condition}")
