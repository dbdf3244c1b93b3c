"""How careful a conversation is: the levels, and who understands them."""

from __future__ import annotations

from pathlib import Path

import pytest

from toolproto import ChatSession, Guard, UsageError, tool
from toolproto.cli.settings import Settings
from toolproto.endpoints.recorded.scripted import ScriptedEndpoint
from toolproto.gateway.proxy.config import ModelTerms
from toolproto.protocol.guard.levels import LEVELS, guard_from


@pytest.mark.parametrize("name", LEVELS)
def test_a_level_is_named_or_given_as_a_value(name: str) -> None:
    assert guard_from(name) == LEVELS[name] == guard_from(LEVELS[name])
    ChatSession(ScriptedEndpoint(), guard=name)
    ModelTerms(guard=name)


@pytest.mark.parametrize("given", ["Standard", "", None, 1, ["strict"]])
def test_another_word_is_refused_with_the_choices(given: object) -> None:
    with pytest.raises(UsageError, match=r"standard.*strict.*off"):
        guard_from(given)


def test_a_session_and_the_proxy_refuse_it_at_once() -> None:
    with pytest.raises(UsageError, match="guard is 'loose'"):
        ChatSession(ScriptedEndpoint(), guard="loose")
    with pytest.raises(UsageError, match="guard is 'loose'"):
        ModelTerms(guard="loose")


def test_a_wrong_rule_for_taint_is_refused() -> None:
    with pytest.raises(UsageError, match="taint is 'refuse'"):
        Guard(taint="refuse")  # type: ignore[arg-type]


def test_nothing_is_followed_where_the_guard_is_off() -> None:
    assert not LEVELS["off"].follows and LEVELS["standard"].follows
    assert Guard(taint="off").follows and Guard(echo=False).follows


def test_the_settings_of_a_model_may_name_a_guard() -> None:
    settings = Settings(Path("toolproto.toml"), {"models": {"m": {"guard": "strict"}}})
    assert settings.for_model("m") == {"guard": "strict"}


@pytest.mark.parametrize(
    ("risk", "trusted"), [("read", True), ("write", True), ("egress", False), ("exec", False)]
)
def test_what_comes_from_outside_is_not_trusted_unless_the_tool_says_so(
    risk: str, trusted: bool
) -> None:
    @tool(risk=risk)  # type: ignore[call-overload]
    def look() -> str:
        """Look."""
        return ""

    assert look.is_trusted is trusted
    said = type(look).from_function(look.function, risk=risk, trusted=not trusted)
    assert said.is_trusted is not trusted
