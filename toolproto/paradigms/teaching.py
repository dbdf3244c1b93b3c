"""The words that teach a model to call tools, the same for every paradigm.

What a model is told: the tools, in the style it is to see them in; how a call is written; when to
call and when not to; that results come from outside; what this request demands; and one example.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ..describe.base import Style
from ..describe.description import Presentation, presented
from ..describe.forms import literal_form
from ..describe.samples import example_call, example_request
from ..messages import ToolCall
from ..tools.spec import ToolOffer

__all__ = ["teach"]


def teach(
    offer: ToolOffer,
    write: Callable[[ToolCall], str],
    *,
    how: str,
    describe: str | Style | Presentation = "forms",
) -> str:
    """The instructions for *offer* in a paradigm that writes calls with *write*.

    *how* is the paradigm's own sentence on what a call looks like; *describe* says how the tools
    are shown. A style that shows no calls is followed by the form of one.
    """
    shown = presented(describe).describe(offer, write)
    call = example_call(offer)
    parts = [f"# Tools\n\nYou can use these tools. {how}", shown.text]
    if offer.tools and not shown.shows_calls:
        tool = (call and offer.get(call.name)) or offer.tools[0]
        parts.append(f"A call of {tool.name} looks like this:\n{literal_form(tool, write)}")
    parts.append("Rules:\n" + "\n".join(f"- {rule}" for rule in _rules(offer)))
    if call is not None and offer.choice != "none":
        request = example_request(call, offer)
        parts.append(f"Example. To the request: {request}\nyou reply:\n{write(call)}")
    return "\n\n".join(parts)


def _rules(offer: ToolOffer) -> Iterator[str]:
    yield "Put real values where a <…> stands. Leave out optional arguments you do not need."
    if offer.choice == "none":
        yield "Do not call any tool in this reply. Answer in plain words."
        return
    if offer.parallel:
        yield "To call several tools at once, write the calls one after the other."
    else:
        yield "Write at most one call in a reply."
    yield "After your last call, stop. The results come in the next message; then go on."
    yield "Never write a result yourself."
    if offer.choice == "auto":
        yield "If no tool is needed, answer in plain words without any call."
    elif offer.choice == "required":
        yield "This time you must call at least one tool."
    else:
        yield f"This time you must call {offer.choice}."
