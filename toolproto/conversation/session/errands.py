"""What a worker is asked to do for a session: as text that a queue can hold, and done.

An errand is done once, however often it is run: its message has an id, which the journal keeps.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import NamedTuple

from ...protocol.errors import StoreError
from ...protocol.messages import random_id
from ..deciding.answers import Verdict
from ..journal.decisions import read_verdict, write_verdict
from ..journal.kept_session import checked_message_id
from ..journal.messages import read_message, write_message
from .chat import ChatSession
from .options import Said, own_message

__all__ = ["Errand", "Opened", "resuming", "run", "sending"]

#: Makes the session of an id.
Opened = Callable[[str], ChatSession]


class Errand(NamedTuple):
    """The id of a message, and the message as ASCII text without NUL."""

    message_id: str
    text: str


def sending(message: Said, message_id: str | None) -> Errand:
    """Return the errand to send *message*."""
    return _errand(message_id, message=write_message(own_message(message)))


def resuming(verdicts: Mapping[str, Verdict], message_id: str | None) -> Errand:
    """Return the errand to resume a session with *verdicts*."""
    return _errand(message_id, verdicts={id: write_verdict(each) for id, each in verdicts.items()})


def run(opened: Opened, id: str, text: str) -> str:
    """Do what *text* says for the session *id*; return the status of its turn.

    StoreError is raised if the turn could not be written down; run it again, then.
    """
    told = json.loads(text)
    session = opened(id)
    try:
        if "message" in told:
            message = read_message(told["message"])
            result = session.send(message, message_id=told["message_id"])
        else:
            verdicts = {id: read_verdict(each) for id, each in told["verdicts"].items()}
            result = session.resume(verdicts, message_id=told["message_id"])
        if session.interrupted:  # whatever else went wrong, its end is not in the journal
            raise StoreError("the turn could not be written down") from result.error
        return result.status
    finally:
        session.close()


def _errand(message_id: str | None, **told: object) -> Errand:
    id = random_id() if message_id is None else checked_message_id(message_id)
    return Errand(id, json.dumps({"message_id": id, **told}))
