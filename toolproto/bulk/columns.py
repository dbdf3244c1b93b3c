"""Results as columns of Arrow: calls, problems and texts, each row of them with its digest."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from hashlib import blake2b
from json.encoder import encode_basestring_ascii
from typing import Any

from ..protocol.messages import CallProblem, ToolCall
from .arrow import arrow
from .replies import ReadReply
from .rows import column, named

__all__ = ["Result", "build", "carried", "clipped", "failed", "result_of"]

#: Characters of a reason: an error may quote all that it was about.
_LONGEST = 500


def _encoder() -> Callable[[Any], str]:
    usual = json.JSONEncoder(check_circular=False, allow_nan=False)
    make = getattr(json.encoder, "c_make_encoder", None)
    if make is None:  # an interpreter without it
        return usual.encode
    # ``usual.encode`` makes one for each value, which takes longer than writing most values.
    made = make(None, usual.default, encode_basestring_ascii, None, ": ", ", ", False, False, False)
    return lambda value: "".join(made(value, 0))


_encode = _encoder()

#: Outcome, calls, problems, text, reasoning and reason, as the columns hold them.
Result = tuple[str, list[Any], list[Any], str, str, str | None]


def result_of(reply: ReadReply) -> Result:
    """*reply* as the columns hold it; one that cannot be written as JSON is one that says so."""
    try:
        calls = [_call(call) for call in reply.calls]
    except (RecursionError, TypeError, ValueError) as error:
        return failed(f"cannot be written as JSON: {error}")
    problems = [_problem(problem) for problem in reply.problems]
    reason = reply.fault or None
    return reply.outcome.value, calls, problems, reply.text, reply.reasoning, reason


def failed(fault: str) -> Result:
    """A row that cannot be read, and why."""
    return result_of(ReadReply(fault=clipped(fault)))


def clipped(fault: str) -> str:
    """*fault*, no longer than anybody reads."""
    return fault[:_LONGEST]


def digest(*values: Any) -> str:
    """What two rows share if and only if *values* are the same: BLAKE2b of their JSON, 128 bits."""
    return blake2b(_encode(values).encode(), digest_size=16).hexdigest()


def build(schema: Any, columns: Sequence[Sequence[Any]], kept: Sequence[tuple[str, Any]]) -> Any:
    """A RecordBatch: the *kept* columns, then *columns* as *schema* says."""
    pa = arrow()
    arrays = [
        _array(list(values), field.type) for values, field in zip(columns, schema, strict=True)
    ]
    names = [field if isinstance(field, pa.Field) else pa.field(field, a.type) for field, a in kept]
    return pa.RecordBatch.from_arrays(
        [*(array for _, array in kept), *arrays], schema=pa.schema([*names, *schema])
    )


def carried(batch: Any, kept: Iterable[tuple[str, str]]) -> list[tuple[Any, Any]]:
    """The columns of *batch* that go through as they are, each under its new name."""
    pa, found = arrow(), []
    for name, path in kept:
        if path in batch.schema.names:
            array = named(batch, path)
            found.append((batch.schema.field(path).with_name(name), array))
        else:
            found.append((name, pa.array([_json(each) for each in column(batch, path)])))
    return found


def _json(value: Any) -> str | None:
    """A value from inside a column, as text: JSON, where it is none."""
    if value is None or isinstance(value, str):
        return value
    return json.dumps(value, default=str) if isinstance(value, dict | list | int | float) else None


def _array(values: list[Any], kind: Any) -> Any:
    pa = arrow()
    try:
        return pa.array(values, kind)
    except (UnicodeEncodeError, pa.ArrowInvalid):
        return pa.array(valid(values), kind)


def valid(value: Any) -> Any:
    """*value* with half characters, which UTF-8 cannot hold, written out as in ``\\\\ud83d``."""
    match value:
        case str():
            return value.encode("utf-8", "backslashreplace").decode()
        case dict():
            return {key: valid(each) for key, each in value.items()}
        case list():
            return [valid(each) for each in value]
    return value


def _call(call: ToolCall) -> dict[str, Any]:
    repairs = [{"name": r.name, "grade": r.grade.value, "detail": r.detail} for r in call.repairs]
    return {
        "id": call.id,
        "name": call.name,
        "arguments": _encode(call.arguments),
        "repairs": repairs,
        "place": call.place,
    }


def _problem(problem: CallProblem) -> dict[str, Any]:
    return {
        "kind": problem.kind.value,
        "name": problem.name,
        "message": problem.message,
        "raw": problem.raw,
    }
