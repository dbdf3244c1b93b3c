"""What a person types about a call does what the same answer does in a program."""

from __future__ import annotations

import pytest

from tests.conversation.deciding.cells import ANSWERS, KINDS, LATER, SAID, Talk, came_of, live
from toolproto import ChatSession, Defer, ToolRegistry
from toolproto.cli.chat.approval import Asking
from toolproto.cli.chat.cards import Card
from toolproto.cli.chat.drawing import not_run
from toolproto.cli.chat.editing import CallDraft
from toolproto.endpoints import ScriptedEndpoint

from .people import Paper, Typed

#: What is typed, and in the editor; only a program can say that the turn is to end as well.
TYPED = {"allow": ["y"], "always": ["a"], "edited": ["e", "y"], "deny": ["n no"]}
CELLS = [
    (kind, answer, concerns)
    for kind in KINDS
    for answer in TYPED.keys() & ANSWERS.keys()
    for concerns in (False, True)
    if not (kind == "loop" and answer == "edited")  # it is not about one call
]


@pytest.mark.parametrize("kind, answer, concerns", sorted(CELLS))
def test_what_is_typed_does_what_a_program_would(kind, answer, concerns):
    talk, paper = Talk(kind, concerns), Paper()
    lines = [*TYPED[answer], *[f"n {LATER.reason}"] * 6]
    asking = Asking(
        paper.screen,
        Typed(*lines, edits=['{"to": "Eve"}']),
        lambda call: CallDraft(call, ToolRegistry(talk.tools).check),
        lambda request: True,
        lambda: None,
    )

    def approver(request):
        talk.asked.append((request.kind, len(request.concerns)))
        return asking(request)

    endpoint = ScriptedEndpoint(*talk.replies)
    chat = ChatSession(endpoint, "xml_tag", approver=approver, **talk.options)
    result = chat.send(SAID)
    assert came_of(talk, [result]) == live(kind, answer, concerns)
    assert len(not_run(result)) == len(result.not_run)
    assert ("Mallory" in paper.text) is (concerns or kind == "concern")


def test_a_tool_that_changed_is_shown_side_by_side():
    talk = Talk("approval", False)
    endpoint = ScriptedEndpoint(*talk.replies)
    chat = ChatSession(endpoint, "xml_tag", approver=lambda request: Defer(), **talk.options)
    (request,) = chat.send(SAID).pending
    chat.tools.remove("pay")
    changed = talk.tools[0]
    object.__setattr__(changed.spec, "description", "Wire money.")
    chat.tools.add(changed)
    chat.resume({request.call.id: ANSWERS["allow"](request)})
    paper = Paper()
    paper.screen.show(Card.of(chat.pending[0], chat.pending[0].call))
    assert "! its description has changed" in paper.text
    assert "was  Pay somebody." in paper.text and "is   Wire money." in paper.text
