"""How a session is led, as a person chooses it on the page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

from ..conversation.turn.limits import TurnLimits
from ..endpoints.apis.dialects import get_dialect
from ..endpoints.http.address import Address
from ..endpoints.http.holding import Holding
from ..protocol.deciding.policy import Policy
from ..protocol.describe.styles import get_style
from ..protocol.errors import UsageError
from ..protocol.grammar.constraint import checked_mode
from ..protocol.guard.levels import guard_from
from ..protocol.native_mode import Native, checked_native
from ..protocol.paradigms.registry import get_paradigm
from ..protocol.paradigms.teaching import teaching_of

__all__ = ["SOURCES", "Choices", "changed"]

#: Where replies come from: the script of a first look, the model in this process, an address, or
#: what the command line named.
SOURCES = ("scripted", "local", "url", "given")
_MODES = ("ask", "automatic")
_LONGEST = 100_000
_LARGEST = 10**9


@dataclass(frozen=True, slots=True)
class Choices:
    """What leads a session.

    With *mode* ``automatic`` tools that only read run by themselves. *off* are the tools that are
    not offered. *js_seconds* is how long code may run in the page's sandbox. An empty *teaching*
    or *describe* is what suits the paradigm. The key of an address is none of them: it is held in
    memory, or in the variable *key_env*.
    """

    source: str = "scripted"
    url: str = ""
    dialect: str = "openai_chat"
    service: str = ""
    native: Native = "never"
    model: str = ""
    key_env: str = ""
    paradigm: str = "auto"
    teaching: str = ""
    describe: str = ""
    examples: bool = False
    guard: str = "standard"
    constrain: str = "auto"
    mode: str = "ask"
    system: str = ""
    requests: int = 11
    seconds: float | None = None
    tool_seconds: float | None = 120.0
    result_characters: int = 50_000
    js_seconds: float = 5.0
    temperature: float | None = None
    max_tokens: int | None = None
    off: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.source not in SOURCES:
            raise UsageError(f"source is {self.source!r}; use one of {SOURCES}")
        if self.mode not in _MODES:
            raise UsageError(f"mode is {self.mode!r}; use one of {_MODES}")
        if self.source == "url":
            Address(self.url)
        if not 0.1 <= self.js_seconds <= 60:
            raise UsageError(f"js_seconds is {self.js_seconds!r}; give 0.1 to 60")
        get_dialect(self.dialect)
        Holding(self.service or None)
        checked_native(self.native)
        checked_mode(self.constrain)
        guard_from(self.guard)
        if self.paradigm != "auto":
            get_paradigm(self.paradigm)
        if self.teaching:
            teaching_of(self.teaching)
        if self.describe:
            get_style(self.describe)
        _ = self.limits

    @property
    def limits(self) -> TurnLimits:
        """How far a turn may go."""
        return TurnLimits(
            requests=self.requests,
            seconds=self.seconds,
            tool_seconds=self.tool_seconds,
            result_characters=self.result_characters,
        )

    @property
    def policy(self) -> Policy:
        """Which calls run by themselves."""
        return Policy() if self.mode == "automatic" else Policy(risks={"read": "ask"})

    @property
    def params(self) -> dict[str, Any]:
        """What goes with every request."""
        told = {"temperature": self.temperature, "max_tokens": self.max_tokens}
        return {name: value for name, value in told.items() if value is not None}

    def as_json(self) -> dict[str, Any]:
        """All of it, as JSON holds it."""
        return {**asdict(self), "off": list(self.off)}


def changed(choices: Choices, values: Mapping[str, Any]) -> Choices:
    """*choices* with *values* in their places; a UsageError for what cannot be meant."""
    known = {each.name for each in fields(Choices)}
    if unknown := sorted(values.keys() - known):
        raise UsageError(
            f"there is no setting {unknown[0]!r}; there are {', '.join(sorted(known))}"
        )
    return replace(choices, **{name: _value(name, value) for name, value in values.items()})


_TEXTS = frozenset(
    ["source", "url", "dialect", "service", "native", "model", "key_env", "paradigm", "teaching",
     "describe", "guard", "constrain", "mode", "system"]
)  # fmt: skip
_NUMBERS = frozenset(["seconds", "tool_seconds", "js_seconds", "temperature"])


def _value(name: str, value: Any) -> Any:
    if name in _TEXTS:
        if not isinstance(value, str) or len(value) > _LONGEST:
            raise UsageError(f"{name} must be text of at most {_LONGEST} characters")
        return value.strip() if name != "system" else value
    if name == "examples":
        return bool(value)
    if name == "off":
        if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
            raise UsageError("'off' must be a list of the names of tools")
        return tuple(value[:1000])
    if value is None or isinstance(value, bool) or not isinstance(value, int | float):
        if value is None and name in ("seconds", "tool_seconds", "temperature", "max_tokens"):
            return None
        raise UsageError(f"{name} must be a number")
    if not -_LARGEST <= value <= _LARGEST or (name not in _NUMBERS and value != int(value)):
        kind = "number" if name in _NUMBERS else "whole number"
        raise UsageError(f"{name} must be a {kind}, at most {_LARGEST}")
    return float(value) if name in _NUMBERS else int(value)
