"""What a person decides on the page does what the same answer does in a program."""

from __future__ import annotations

from typing import Any

import pytest

from tests.amount import some
from tests.conversation.deciding.cells import LATER, SAID, Talk, drawn, live
from tests.web.serving import Client, call, scripted, served
from toolproto.web.tooling import ToolGroup

#: The action of the page for each answer, and what goes with it.
ACTIONS: dict[str, tuple[str, dict[str, Any]]] = {
    "allow": ("approve", {}),
    "always": ("approve", {"always": True}),
    "edited": ("approve", {"arguments": {"to": "Eve"}}),
    "deny": ("deny", {"reason": "no"}),
    "deny and stop": ("deny", {"reason": "no", "stop": True}),
    "ignore": ("ignore", {}),
}
CELLS = [cell for cell in drawn(60) if cell[0] != "concern"]  # the page asks about all that writes


# Each needs a server of its own; what comes of an answer is tried without one in all of them.
@pytest.mark.parametrize("kind, answer, concerns", some(CELLS, 3))
def test_what_is_clicked_does_what_a_program_would(kind: str, answer: str, concerns: bool) -> None:
    talk = Talk(kind, concerns, asks=True)
    groups = (ToolGroup("money", tuple(talk.tools)),)
    config = scripted(*talk.replies, groups=groups, choices={"mode": "automatic"})
    with served(config) as url, Client(url, config.token) as me:
        id = me.new()
        told = me.say(id, SAID)
        while waiting := told["waiting"]:
            first = not talk.asked
            talk.asked += [(each["kind"], len(each["concerns"])) for each in waiting]
            action, more = ACTIONS[answer] if first else ("deny", {"reason": LATER.reason})
            told = me.decide(id, action, **more)
            for _ in waiting[1:]:
                told = me.decide(id, "deny", reason=LATER.reason)
        not_run = [each["reason"] for turn in told["turns"] for each in turn["not_run"]]
        found = (talk.ran, told["turns"][-1]["status"], talk.asked, not_run)
    assert found == live(kind, answer, concerns, asks=True)


JS = call("browser_js_eval", code="1 + 1")


def test_always_for_the_page_covers_plain_calls_of_that_tool_only() -> None:
    doubted = f"I will run it now: {JS} to see."
    config = scripted(JS, JS, doubted, JS * 3, "Done.", choices={"mode": "automatic"})
    with served(config) as url, Client(url, config.token) as me:
        id = me.new()
        (waiting,) = me.say(id, "Count")["waiting"]
        assert not waiting["runs"]
        (waiting,) = me.decide(id, "answer", content="2", always=True)["waiting"]
        assert waiting["runs"]
        (waiting,) = me.decide(id, "answer", content="2")["waiting"]
        assert not waiting["runs"] and "in the middle of a sentence" in waiting["reason"]
        (waiting,) = me.decide(id, "answer", content="2")["waiting"]
        assert (waiting["kind"], waiting["where"], waiting["runs"]) == ("loop", "server", False)
        refused = me.http.post(
            f"/api/sessions/{id}/answer",
            json={"call": waiting["call"]["id"], "content": "2", "always": True},
        )
        assert refused.status_code == 400


def test_always_in_an_answer_is_refused_for_what_the_page_does_not_run() -> None:
    talk = Talk("approval", False)
    groups = (ToolGroup("money", tuple(talk.tools)),)
    config = scripted(*talk.replies, groups=groups)
    with served(config) as url, Client(url, config.token) as me:
        id = me.new()
        (waiting,) = me.say(id, "Pay")["waiting"]
        refused = me.http.post(
            f"/api/sessions/{id}/answer",
            json={"call": waiting["call"]["id"], "content": "paid", "always": True},
        )
        assert refused.status_code == 400 and "only a tool that the page runs" in refused.text
        assert len(me.show(id)["waiting"]) == 1


def test_a_doubted_call_waits_for_the_person_and_what_did_not_run_is_told() -> None:
    talk = Talk("doubt", False)
    groups = (ToolGroup("money", tuple(talk.tools)),)
    config = scripted(*talk.replies[:1], "Done, I paid Ann.", groups=groups)
    with served(config) as url, Client(url, config.token) as me:
        id = me.new()
        (waiting,) = me.say(id, "Pay")["waiting"]
        assert "its call appears in the middle of a sentence" in waiting["reason"]
        turn = me.decide(id, "deny", reason="not now")["turns"][-1]
        assert turn["not_run"] == [{"name": "pay", "reason": "not now"}] and talk.ran == []
        assert [each["not_run"] for each in turn["results"].values()] == ["not now"]


@pytest.mark.parametrize("second", ["approve", "deny"])
def test_of_two_tabs_the_first_decides(second: str) -> None:
    talk = Talk("approval", False)
    groups = (ToolGroup("money", tuple(talk.tools)),)
    config = scripted(*talk.replies, groups=groups)
    with served(config) as url, Client(url, config.token) as me, Client(url, config.token) as tab:
        id = me.new()
        (waiting,) = me.say(id, "Pay")["waiting"]
        assert [each["call"] for each in tab.show(id)["waiting"]] == [waiting["call"]]
        me.decide(id, "approve")
        paid = list(talk.ran)
        late = tab.http.post(f"/api/sessions/{id}/{second}", json={"call": waiting["call"]["id"]})
        assert late.status_code in (400, 409) and talk.ran == paid and len(paid) == 1
