"""What must be true when a story is over, however often it was cut short."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from toolproto import Deny, ToolCall, ToolResult
from toolproto.conversation.turn.call_results import UNKNOWN_OUTCOME

from .crash_child import open_session
from .crash_world import World, verdict

__all__ = ["postgres_faults", "sqlite_faults", "story_faults", "tally"]

_COUNTS = """
    SELECT id FROM toolproto_sessions s WHERE records != (
        SELECT count(*) FROM toolproto_records r WHERE r.session = s.id
    ) OR records != (
        SELECT coalesce(max(seq), -1) + 1 FROM toolproto_records r WHERE r.session = s.id
    )
"""


def story_faults(world: World, server_was_killed: bool) -> list[str]:
    """What is wrong with the story of *world*, in words; nothing, one hopes."""
    session = open_session(world)
    messages = session.messages
    calls = [call for message in messages for call in message.calls]
    results = {each.call.id: each for message in messages for each in message.results}
    faults = [f"{kind}: {said}" for kind, said in world.notes("failures")]
    faults += [f"ran unasked: book {step}" for (step,) in world.notes("unasked")]
    faults += _repeated(world, "twice")
    faults += _lost(world, messages, server_was_killed)
    faults += _unanswered(messages, calls)
    faults += _unknown(world, calls, server_was_killed)
    faults += _untrue(world, results)
    faults += _unflagged(world, results)
    faults += [
        f"left over: {name}" for name in ("interrupted", "pending") if getattr(session, name)
    ]
    if (ended := session.send("task 0")).status != "completed":
        faults.append(f"cannot be used: {ended.error!r}")
    return faults


def tally(world: World) -> Counter[str]:
    """What happened, counted."""
    interrupted = {id for line in world.notes("interrupted") for id in line}
    repeated = list(_repeated(world, ""))
    errors = world.notes("errors")
    return Counter(
        {
            "stories": 1,
            "effects": len(world.notes("effects")),
            "acknowledged": len(world.notes("acknowledged")),
            "interrupted calls": len(interrupted),
            "repeated effects": len(repeated),
            "changes": len(world.notes("changes")),
            "asked again": len(world.notes("asked again")),
            "answers put off": len(world.notes("answered")),
            "full disks": sum("No space" in said or "I/O" in said for _, said in errors),
            "store errors": len(errors),
        }
    )


def _repeated(world: World, word: str) -> Iterator[str]:
    """By step, which is more than by call: no step is asked for in two calls that ran."""
    done = Counter((name, step) for name, step, _ in world.notes("effects") if name != "put")
    yield from (f"ran {word}: {name} {step} {n} times" for (name, step), n in done.items() if n > 1)
    ids = Counter(id for name, _, id in world.notes("effects") if name != "put")
    yield from (f"ran {word}: call {id}" for id, n in ids.items() if n > 1)


def _lost(world: World, messages: Any, server_was_killed: bool) -> Iterator[str]:
    said = [message.content for message in messages]
    for (number,) in world.notes("acknowledged"):
        if said.count(f"task {number}") != 1:
            yield f"acknowledged message {number} is there {said.count(f'task {number}')} times"
    # What a server had not on its disk yet may be lost with it, and is asked for again.
    for (answer,) in world.notes("answers") if not server_was_killed else ():
        if answer not in said:
            yield f"the answer {answer!r} is lost"


def _unanswered(messages: Any, calls: list[ToolCall]) -> Iterator[str]:
    answers = Counter(each.call.id for message in messages for each in message.results)
    wrong = {call.id for call in calls if answers[call.id] != 1} | answers.keys() - {
        call.id for call in calls
    }
    yield from (f"call {id} has {answers[id]} answers" for id in sorted(wrong))


def _unknown(world: World, calls: list[ToolCall], server_was_killed: bool) -> Iterator[str]:
    # The start of a call that may be repeated need not be on a server's disk when it runs.
    forgotten = {"put"} if server_was_killed else set()
    ran = {id: name for name, _, id in world.notes("effects") if name not in forgotten}
    lost = ran.keys() - {call.id for call in calls}
    yield from (f"nobody knows of {ran[id]} {id}, which ran" for id in lost)


def _untrue(world: World, results: dict[str, ToolResult]) -> Iterator[str]:
    """What the model was told is not what happened."""
    ran = {id for _, _, id in world.notes("effects")}
    for result in results.values():
        call, said = result.call, result.content
        step = call.arguments["step"]
        if said == f"{call.name} {step} done" or said.startswith("it ran"):
            if call.id not in ran:
                yield f"{call.name} {step} is said to be done, and is not"
        elif said.startswith("not run"):
            if call.id in ran:
                yield f"{call.name} {step} is said not to have run, and has"
        elif not said.startswith(("outcome unknown", "stopped before")):
            yield f"{call.name} {step} got a strange answer: {said!r}"
        if world.is_patient and not _is_final(result):
            yield f"{call.name} {step} was not gone on with: {said!r}"


def _is_final(result: ToolResult) -> bool:
    """Whether *result* is of a call that was decided about, and ran if it might."""
    call, said = result.call, result.content
    step = call.arguments["step"]
    if said == "not run: not this one":  # whatever there is a concern about is asked about
        return verdict(step) == Deny("not this one")
    return said in (f"{call.name} {step} done", UNKNOWN_OUTCOME)


def _unflagged(world: World, results: dict[str, ToolResult]) -> Iterator[str]:
    for id in {id for line in world.notes("interrupted") for id in line}:
        result = results.get(id)
        # What may run again did, and its result is shown or waited for a review.
        again = result and result.call.name == "put" and result.content.endswith(("done", "on"))
        if result is None or (result.content != UNKNOWN_OUTCOME and not again):
            yield f"interrupted call {id} is not flagged: {result and result.content!r}"


def sqlite_faults(path: Path) -> list[str]:
    """What SQLite's own checks find, and counts that are not right."""
    with sqlite3.connect(path) as connection:
        found = [row[0] for row in connection.execute("PRAGMA integrity_check") if row[0] != "ok"]
        found += [f"no parent: {row}" for row in connection.execute("PRAGMA foreign_key_check")]
        found += [f"miscounted: {row[0]}" for row in connection.execute(_COUNTS)]
    connection.close()
    return found


def postgres_faults(url: str) -> list[str]:
    """What PostgreSQL's own checks find, and counts that are not right."""
    import psycopg

    with psycopg.connect(url, autocommit=True) as connection:
        found = []
        # With and without the index, which must say what the table does.
        for plan in ("enable_seqscan", "enable_indexscan"):
            connection.execute(f"SET {plan} = off")
            found += [f"miscounted: {row[0]}" for row in connection.execute(_COUNTS)]
            connection.execute(f"SET {plan} = on")
        for table in ("toolproto_sessions", "toolproto_records"):
            connection.execute(f"REINDEX TABLE {table}")  # fails if a key is there twice
        damaged = "SELECT datname FROM pg_stat_database WHERE checksum_failures > 0"
        found += [f"damaged pages in {row[0]}" for row in connection.execute(damaged)]
    return found
