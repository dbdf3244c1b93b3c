"""A set of tools in words: in a chosen style, and within a budget of tokens."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from ..errors import UsageError
from ..tools.offers import Offerable, as_offer
from ..tools.spec import ToolSpec
from .base import Style, WriteCall, plain_call
from .names_only import NamesOnly
from .shorten import STEPS
from .styles import get_style
from .tokens import estimate_tokens

__all__ = ["Description", "Presentation", "describe_tools", "presented"]

#: What is left out in the end, and how the rest is shown.
_NAMES: Mapping[str, Style] = {
    "everything but names, required arguments and first sentences": NamesOnly(),
    "everything but names and required arguments": NamesOnly(sentences=False),
}


@dataclass(frozen=True, slots=True)
class Description:
    """The text that shows an offer's tools, and what it cost.

    *tokens* are as counted, *dropped* says in words what was left out to stay within *budget*,
    *style* is the one that was used in the end, and *shows_calls* whether it writes calls out.
    """

    text: str
    tokens: int
    dropped: tuple[str, ...] = ()
    style: str = "forms"
    budget: int | None = None
    shows_calls: bool = False

    @property
    def fits(self) -> bool:
        """Whether it is within its budget; no tool is ever left out to make it so."""
        return self.budget is None or self.tokens <= self.budget


@dataclass(frozen=True, slots=True)
class Presentation:
    """How tools are to be shown: the *style*, how many tokens it may take, and who counts.

    Without a *budget* everything is shown.
    """

    style: str | Style = "forms"
    budget: int | None = None
    count: Callable[[str], int] = estimate_tokens

    def __post_init__(self) -> None:
        get_style(self.style)
        if self.budget is not None and self.budget < 1:
            raise UsageError(f"budget is {self.budget!r}; use a number of tokens, or None")

    def describe(self, offer: Offerable, write: WriteCall = plain_call) -> Description:
        """The tools of *offer*, in calls as *write* writes them.

        If they take more than the budget, less and less is told of all tools alike, in the order
        of :data:`~toolproto.protocol.describe.shorten.STEPS`, and in the end their names only. A
        step that saves nothing is not taken.
        """
        style, offered = get_style(self.style), as_offer(offer).tools
        tools = offered
        shown = self._shown(style, tools, (), write)
        for what, step in STEPS.items():
            if shown.fits:
                return shown
            smaller = tuple(step(tool) for tool in tools)
            attempt = self._shown(style, smaller, (*shown.dropped, what), write)
            if attempt.tokens < shown.tokens:
                shown, tools = attempt, smaller
        for what, names in _NAMES.items():
            if not shown.fits:
                shown = self._shown(names, offered, (what,), write)
        return shown

    def _shown(
        self, style: Style, tools: tuple[ToolSpec, ...], dropped: tuple[str, ...], write: WriteCall
    ) -> Description:
        text = style.show(tools, write)
        tokens = self.count(text)
        return Description(text, tokens, dropped, style.name, self.budget, style.shows_calls)


def presented(how: str | Style | Presentation) -> Presentation:
    """*how* as a presentation: a style alone has no budget."""
    return how if isinstance(how, Presentation) else Presentation(how)


def describe_tools(
    offer: Offerable,
    style: str | Style = "forms",
    *,
    budget: int | None = None,
    write: WriteCall = plain_call,
) -> Description:
    """The tools of *offer* in *style*, in at most *budget* tokens.

    *write* is how calls are written where the style shows them: a paradigm's ``encode_call``.
    """
    return Presentation(style, budget).describe(offer, write)
