"""Models for probes: they know every case, and answer as they please."""

from __future__ import annotations

from collections.abc import Callable

from toolproto.endpoints import ScriptedEndpoint
from toolproto.protocol.messages import ChatRequest, Chunk, NativePiece, ToolCall
from toolproto.testing.probe import CaseKind, ProbePlan, plan_probe
from toolproto.testing.probe.arms import NATIVE
from toolproto.testing.probe.trial import Trial

Model = Callable[[ChatRequest], str | Chunk]


def small_plan(model: str = "tiny", **options: object) -> ProbePlan:
    """Two arms and the baselines, 13 cases."""
    kinds = [CaseKind.ONE_TOOL, CaseKind.NO_TOOL, CaseKind.TWO_CALLS, CaseKind.RESULT]
    options = {"paradigms": ["json_strict", "pythonic"], "quick": True, "kinds": kinds, **options}
    return plan_probe(model, **options)  # type: ignore[arg-type]


def perfect(plan: ProbePlan) -> Model:
    """Always right."""
    return _knowing(plan, _right)


def deaf(request: ChatRequest) -> str:
    """Has never heard of tools."""
    return "I would rather talk about something else."


def needless(plan: ProbePlan) -> Model:
    """Calls where none is due, and then some."""

    def reply(trial: Trial, told: bool) -> str | Chunk:
        if trial.case.calls:
            return _right(trial, told)
        call = ToolCall(trial.case.offer.tools[0].name, {"city": "Oslo"})
        return trial.paradigm.encode_call(call)

    return _knowing(plan, reply)


def scripted(model: Model, replies: int = 2000) -> ScriptedEndpoint:
    """An endpoint that answers like *model*, and remembers what it was asked."""
    return ScriptedEndpoint(*[model] * replies)


def _right(trial: Trial, told: bool) -> str | Chunk:
    case = trial.case
    if told:
        return "Well: " + ", ".join(group[0] for group in case.answer) + "."
    if case.kind is CaseKind.NO_TOOL:
        return "Of course."
    calls = [due.sample() for due in case.calls]
    if trial.arm == NATIVE:
        pieces = (NativePiece(at, "", each.name, each.arguments) for at, each in enumerate(calls))
        return Chunk(calls=tuple(pieces), finish_reason="tool_calls")
    return trial.paradigm.encode_calls(calls)


def _knowing(plan: ProbePlan, reply: Callable[[Trial, bool], str | Chunk]) -> Model:
    known = {
        (*(message.content for message in trial.opening), trial.case.ask): trial
        for trial in plan.trials()
    }

    def model(request: ChatRequest) -> str | Chunk:
        said = tuple(message.content for message in request.messages)
        for length in range(2, len(said) + 1):
            if trial := known.get(said[:length]):
                return reply(trial, length < len(said))
        raise AssertionError(f"nobody asked this: {said[-1]!r}")

    return model
