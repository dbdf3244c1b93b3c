"""The rules by which calls run, are asked about or are denied."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Literal, get_args

from ..errors import UsageError
from ..tools.define import Risk, Tool

__all__ = ["Policy", "Rule"]

Rule = Literal["allow", "ask", "deny"]
_RULES: tuple[Rule, ...] = get_args(Rule)
_DEFAULT: dict[Risk, Rule] = {"read": "allow", "write": "ask", "egress": "ask", "exec": "ask"}


@dataclass(frozen=True, slots=True)
class Policy:
    """Which calls run, which need approval and which are denied.

    *tools* maps names or patterns (``"fs_*"``) to rules, and the first match wins; the name of an
    MCP server stands for all of its tools, unless one of them is named itself. Then comes what the
    tool itself says (``needs_approval``), then *risks*.

    *guessed* is for calls that could do more than read and are doubted: their form had to be
    guessed at, or they stand where calls are also shown. By default such a call is asked about,
    unless a rule in *tools* (other than ``"*"``), ``needs_approval=False`` or an earlier "always"
    names its tool. With ``"ask"`` it is asked about even then, with ``"deny"`` it never runs. With
    ``"allow"`` a guessed form is no reason to ask; a doubtful place still is.

    Whatever the rules say, a call is asked about if there is a concern, or if its tool needs
    caution (``Tool.caution``). With *stop_on_deny* every Deny of the approver ends the turn. The
    model is not even shown tools whose calls are always denied.
    """

    tools: Mapping[str, Rule] = field(default_factory=dict)
    risks: Mapping[Risk, Rule] = field(default_factory=dict)
    guessed: Rule | None = None
    stop_on_deny: bool = False

    def __post_init__(self) -> None:
        given = (*self.tools.values(), *self.risks.values())
        for rule in given if self.guessed is None else (*given, self.guessed):
            if rule not in _RULES:
                raise UsageError(f"{rule!r} is not a rule; use one of {_RULES}")
        for risk in self.risks:
            if risk not in _DEFAULT:
                raise UsageError(f"{risk!r} is not a risk; use one of {tuple(_DEFAULT)}")

    def rule(self, tool: Tool) -> Rule:
        """Return the rule for a plain call of *tool*."""
        if named := self._named(tool):
            return named[1]
        if tool.needs_approval is not None:
            return "ask" if tool.needs_approval else "allow"
        return {**_DEFAULT, **self.risks}[tool.risk]

    def denies(self, tool: Tool) -> bool:
        """Return True if no call of *tool* may run."""
        return self.rule(tool) == "deny"

    def lets_by_name(self, tool: Tool) -> bool:
        """Return True if the program said of this very tool that its calls may run."""
        if named := self._named(tool):
            pattern, rule = named
            return rule == "allow" and pattern.strip("*?") != ""
        return tool.needs_approval is False

    def _named(self, tool: Tool) -> tuple[str, Rule] | None:
        found = None
        for pattern, rule in self.tools.items():
            if fnmatchcase(tool.name, pattern) and (found is None or pattern.strip("*?")):
                return pattern, rule
            if found is None and tool.origin and pattern == tool.origin:
                found = pattern, rule  # of its server; the tool itself may still be named
        return found
