"""The table of states, and the diagram in the docs."""

from __future__ import annotations

from pathlib import Path

import pytest

from toolproto import UsageError
from toolproto.conversation.turn.states import MOVES, TERMINAL, TurnMachine, TurnState

PAGE = Path(__file__).parents[3] / "docs" / "chat.md"


def diagram():
    """The table as a Mermaid state diagram."""
    lines = ["stateDiagram-v2", f"    [*] --> {TurnState.IDLE.value}"]
    for state, moves in MOVES.items():
        lines += [f"    {state.value} --> {move.value}" for move in moves]
    lines += [f"    {state.value} --> [*]" for state in MOVES if state in TERMINAL]
    return "\n".join(lines)


def test_the_docs_show_the_table():
    assert f"```mermaid\n{diagram()}\n```" in PAGE.read_text(encoding="utf-8")


def test_every_state_is_in_the_table_and_can_be_reached():
    assert MOVES.keys() == set(TurnState)
    reached, frontier = set(), {TurnState.IDLE}
    while frontier:
        reached |= frontier
        frontier = {move for state in frontier for move in MOVES[state]} - reached
    assert reached == set(TurnState)


def test_every_turn_under_way_can_be_stopped():
    for state in set(TurnState) - TERMINAL - {TurnState.IDLE}:
        assert {TurnState.ERROR, TurnState.CANCELLED} <= set(MOVES[state])


@pytest.mark.parametrize("state", [state for state in TurnState if state in TERMINAL])
def test_nothing_follows_the_end(state):
    machine = TurnMachine()
    machine.state = state
    with pytest.raises(UsageError, match=f"from {state.value} to preparing"):
        machine.to(TurnState.PREPARING)
    assert machine.state is state
