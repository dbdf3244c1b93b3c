"""How a turn is led: the order of calls, its own tools, and going on without a decision."""

from __future__ import annotations

import threading

import pytest

from tests.patience import PATIENCE
from toolproto import (
    Guard,
    Hooks,
    JsonCall,
    Message,
    ToolContextBuilder,
    ToolRegistry,
    UsageError,
    WireFormat,
    WireParadigm,
    get_paradigm,
    tool,
)
from toolproto.conversation import Workspace
from toolproto.conversation.deciding.approvals import Allow, Defer, Deny
from toolproto.conversation.journal.packing import unpacked
from toolproto.conversation.masking import Masking
from toolproto.conversation.session import SessionOptions
from toolproto.conversation.stores import MemoryStore
from toolproto.conversation.toolsets import MemoryFiles, file_tools
from toolproto.conversation.turn.compaction import Compaction
from toolproto.conversation.turn.events import HistoryCompacted, ToolStatus, ToolUpdated
from toolproto.conversation.turn.limits import TurnLimits
from toolproto.protocol.deciding.policy import Policy
from toolproto.protocol.errors import TurnCancelled
from toolproto.protocol.messages import Chunk, ToolCall, ToolResult, Usage

from .test_turns import add, call

ADD = call("add", '{"a": 1, "b": 2}')


@tool(risk="write")
def save(n: int) -> str:
    """Save something."""
    return f"saved {n}"


def saves(n):
    return call("save", f'{{"n": {n}}}')


def deferring(request):
    return Defer()


# -- the order of calls -------------------------------------------------------------------


def running(play):
    """Calls as they began to run and were done."""
    return [
        (event.call.arguments["n"], event.status.value)
        for event in play.of(ToolUpdated)
        if event.status is not ToolStatus.PENDING
    ]


def meeting(parties, **terms):
    """A tool of which each call waits for the others."""
    barrier = threading.Barrier(parties)

    def meet(n: int) -> str:
        """Meet the others."""
        barrier.wait(PATIENCE)
        return str(n)

    return tool(**terms)(meet) if terms else tool(meet)


THREE = "".join(call("meet", f'{{"n": {n}}}') for n in range(3))


def test_calls_of_one_reply_run_at_the_same_time(play):
    result = play(THREE, "ok", tools=[meeting(3)]).send()
    assert [record.result.content for record in result.calls] == ["0", "1", "2"]


@pytest.mark.parametrize("where", ["session", "tool"])
def test_calls_in_order_run_one_after_another(play, where):
    meet = meeting(1, ordering="in_order") if where == "tool" else meeting(1)
    options = {"ordering": "in_order"} if where == "session" else {}
    play(THREE, "ok", tools=[meet], **options).send()
    assert running(play) == [(n, what) for n in range(3) for what in ("running", "completed")]


def test_what_stands_behind_a_call_in_order_waits_for_it(play):
    """Reads run together, before the write and behind it."""
    noted = []

    def note(name, barrier):
        def noting(n: int) -> str:
            barrier.wait(PATIENCE)
            noted.append(name)
            return name

        noting.__name__ = name
        return noting

    two, one = threading.Barrier(2), threading.Barrier(1)
    tools = [tool(note("look", two)), tool(ordering="in_order")(note("put", one))]
    reply = "".join(call(name, '{"n": 1}') for name in ("look", "look", "put", "look", "look"))
    reply = reply.replace('"n": 1', '"n": 2', 1)
    play(reply, "ok", tools=tools, limits=TurnLimits(repeats=None)).send()
    assert noted == ["look", "look", "put", "look", "look"]


def test_a_file_that_is_written_and_read_in_one_reply_is_read_as_written(play):
    files = MemoryFiles()
    reply = call("write_file", '{"path": "a.txt", "content": "new"}')
    reply += call("read_file", '{"path": "a.txt"}')
    policy = Policy(tools={"write_file": "allow"})
    for _ in range(5):
        result = play(reply, "ok", tools=file_tools(files), policy=policy).send()
        assert result.calls[1].result.content == "new"


def test_calls_behind_one_that_is_cancelled_do_not_run(play):
    ran = []

    @tool(ordering="in_order")
    def step(n: int) -> str:
        ran.append(n)
        play.session.cancel()
        return str(n)

    result = play("".join(call("step", f'{{"n": {n}}}') for n in range(3)), tools=[step]).send()
    assert result.status == "aborted" and ran == [0]
    assert [r.result.content[:7] for r in result.calls][1:] == ["not run", "not run"]


@pytest.mark.parametrize("wrong", ["serial", None, True])
def test_an_ordering_that_there_is_not_is_refused(play, wrong):
    with pytest.raises(UsageError, match="in_order"):
        play("x", ordering=wrong)
    if wrong:
        with pytest.raises(UsageError, match="in_order"):
            tool(ordering=wrong)(saves)


# -- going on without deciding ------------------------------------------------------------


@pytest.mark.parametrize("store", [None, "memory:"])
def test_going_on_answers_the_calls_that_wait(play, store):
    options = {"tools": [save, add], "approver": deferring}
    options |= {"store": store} if store else {}
    play(saves(1) + ADD, "Fine.", **options)
    assert play.send("save it").status == "pending"
    result = play.send("never mind, how are you?")
    assert result.text == "Fine." and len(play.requests) == 2
    assert [r.result.content for r in result.calls] == ["not run: the user went on", "3"][:1]
    told = play.session.messages
    assert [message.role for message in told] == ["user", "assistant", "user", "user", "assistant"]
    assert [each.content for each in told[2].results] == ["not run: the user went on", "3"]
    assert told[3] == Message("user", "never mind, how are you?") and play.session.pending == ()
    last = play.requests[1].messages[-1].content
    assert last.index("the user went on") < last.index("never mind")


def test_a_session_that_was_closed_while_calls_wait_goes_on_without_them(play):
    store = MemoryStore()
    options = {"tools": [save], "approver": deferring, "store": store, "id": "x"}
    play(saves(1), **options).send("save it")
    play("Fine.", **options).send("never mind")
    said = play.session.messages
    play("", **options)
    assert play.session.messages == said and not play.session.interrupted


def test_a_refusal_may_stop_the_turn(play):
    ran = []

    @tool(risk="write")
    def put(n: int) -> str:
        ran.append(n)
        return "put"

    answers = iter([Allow(), Deny("not that", stop=True)])
    reply = "".join(call("put", f'{{"n": {n}}}') for n in range(3))
    result = play(reply, "never", tools=[put], approver=lambda request: next(answers)).send()
    assert result.status == "aborted" and isinstance(result.error, TurnCancelled)
    assert ran == [] and len(play.requests) == 1 and "not that" in str(result.error)
    told = [record.result.content for record in result.calls]
    assert told[1] == "not run: not that" and all(each.startswith("not run") for each in told)


def test_a_policy_may_stop_at_every_refusal(play):
    policy = Policy(stop_on_deny=True)
    result = play(saves(1), "never", tools=[save], policy=policy).send()
    assert result.status == "aborted" and len(play.requests) == 1
    options = {"tools": [save], "policy": policy, "approver": deferring, "store": "memory:"}
    waiting = play(saves(1), "Fine.", **options).send().pending
    assert play.resume({waiting[0].call.id: Deny("no")}).status == "aborted"
    assert play.send("well?").text == "Fine."


# -- results that wait for a review -------------------------------------------------------


@pytest.mark.parametrize(
    "verdict, told",
    [
        (Allow(), "3"),
        (Deny("secret"), "the result is withheld: secret"),
        ("four", "four"),
        (ToolResult(ToolCall("add", {}), "five"), "five"),
    ],
)
@pytest.mark.parametrize("reopened", [False, True])
def test_a_review_can_be_put_off(play, verdict, told, reopened):
    store = MemoryStore()
    options = {"tools": [add], "reviewer": deferring, "store": store, "id": "x"}
    result = play(ADD, "ok", **options).send()
    assert result.status == "pending" and "review" in result.pending[0].reason
    assert "3" not in str([m.content for m in play.session.messages])
    if reopened:
        play.open(play.endpoint, **options)
    assert play.resume({}).status == "pending"
    result = play.resume({play.session.pending[0].call.id: verdict})
    assert result.text == "ok" and result.calls[0].result.content == told


def test_a_result_nobody_reviewed_is_not_shown_when_the_user_goes_on(play):
    play(ADD, "ok", tools=[add], reviewer=deferring).send()
    with pytest.raises(UsageError, match="the call has already run"):
        play.resume({play.session.pending[0].call.id: Allow(instead=play.session.pending[0].call)})
    result = play.send("never mind")
    assert result.calls[0].result.content.startswith("it ran to its end, but its result is not")


@pytest.mark.parametrize(
    "review, told",
    [
        (None, "3"),
        (Deny("secret"), "the result is withheld: secret"),
        ("crash", "it ran to its end, but its result is not shown: nobody has reviewed it"),
    ],
)
def test_a_result_that_nobody_reviewed_before_a_crash_is_not_shown(play, review, told):
    store = MemoryStore()
    options = {"tools": [add], "store": store, "id": "x"}
    play(ADD, "never", reviewer=lambda result: None if review == "crash" else review, **options)
    play.send()
    cut = MemoryStore()
    cut.create("x")
    until = "outcome" if review == "crash" else "review"
    records = [each for record in store.read("x") for each in unpacked(record)]
    end = max(at for at, each in enumerate(records) if each.kind == until) + 1
    cut.append("x", records[:end], 0, durable=False)
    play("ok", reviewer=lambda result: None, **{**options, "store": cut})
    assert play.session.interrupted and play.send("go on").text == "ok"
    assert [each.content for m in play.session.messages for each in m.results] == [told]


# -- terms of one turn --------------------------------------------------------------------


@tool
def fs_read(n: int) -> str:
    """Read."""
    return "read"


@tool
def fs_list(n: int) -> str:
    """List."""
    return "listed"


def taught(request):
    """The names of tools that *request* teaches."""
    system = request.messages[0].content if request.messages[0].role == "system" else ""
    return [name for name in ("add", "fs_read", "fs_list", "save") if name in system]


TOOLS = [add, fs_read, fs_list, save]


@pytest.mark.parametrize(
    "terms, names",
    [
        ({}, ["add", "fs_read", "fs_list", "save"]),
        ({"tools": ["fs_*"]}, ["fs_read", "fs_list"]),
        ({"tools": "add"}, ["add"]),
        ({"tools": [add, fs_read]}, ["add", "fs_read"]),
        ({"tools": []}, []),
        ({"without": ["fs_*"]}, ["add", "save"]),
        ({"tools": ["fs_*"], "without": "fs_list"}, ["fs_read"]),
    ],
)
def test_a_turn_may_have_some_of_the_tools(play, terms, names):
    play("hi", "hi", tools=TOOLS).send("x", **terms)
    assert taught(play.requests[0]) == names
    play.send("y")
    assert taught(play.requests[1]) == ["add", "fs_read", "fs_list", "save"]


def test_a_tool_that_the_turn_has_not_does_not_run(play):
    result = play(ADD, "ok", tools=TOOLS).send("x", without=["add"])
    assert result.calls[0].result.is_error and result.text == "ok"


def test_terms_that_name_no_tool_are_refused(play):
    play("hi", tools=TOOLS)
    for wrong in ({"tools": ["nope"]}, {"without": ["fs-*"]}, {"tools": [7]}):
        with pytest.raises(UsageError):
            play.send("x", **wrong)
    with pytest.raises(UsageError, match="choice"):
        play.send("x", choice="add", without=["add"])
    with pytest.raises(UsageError, match="paradigm"):
        play.send("x", paradigm="nope")
    assert play.session.messages == ()


def test_the_prompts_of_workspace_session_and_turn_are_layered(play):
    place = Workspace("law", "You are a lawyer.", [add])
    hides = Masking({"name": "Ada Lovelace"})
    play("hi", "hi", tools=[save], system="Be brief.", workspace=place, masking=hides)
    play.send(system="Today be kind.")
    play.send()
    first, second = (request.messages[0].content for request in play.requests)
    order = ["You are a lawyer.", "Be brief.", hides.rule, "add", "save", "Today is", "Today be"]
    assert [first.find(each) for each in order] == sorted(map(first.index, order))
    assert taught(play.requests[0]) == ["add", "save"]
    assert second == first.removesuffix("\n\nToday be kind.")
    assert play.requests[0].stable_prefix == play.requests[1].stable_prefix > 0


def test_a_workspace_with_tools_does_not_change_the_programs_registry(play):
    with pytest.raises(UsageError, match="the workspace 'law' brings tools"):
        play("hi", tools=ToolRegistry([save]), workspace=Workspace("law", tools=[add]))
    play("hi", tools=ToolRegistry([save]), workspace=Workspace("law", "You are a lawyer."))
    play.send()
    assert play.requests[0].messages[0].content.startswith("You are a lawyer.")


def test_a_session_of_a_workspace_keeps_its_name_and_its_own_prompt(play):
    store = MemoryStore()
    play(
        "a",
        "b",
        "c",
        "d",
        store=store,
        id="x",
        system="Be brief.",
        workspace=Workspace("law", "L."),
    )
    play.send()
    play.open(play.endpoint, store=store, id="x")
    assert play.session.workspace == "law"
    play.send()
    play.open(play.endpoint, store=store, id="x", system="Be long.")
    play.send()
    play.open(play.endpoint, store=store, id="x", workspace=Workspace("law", "L."))
    play.send()
    assert [request.messages[0].content.rsplit("\n\n", 1)[0] for request in play.requests] == [
        "L.\n\nBe brief.", "Be brief.", "Be long.", "L.\n\nBe long."
    ]  # fmt: skip


def test_a_turn_may_have_its_own_model_and_paradigm_and_a_prompt_beside_the_sessions(play):
    play("hi", "hi", tools=[add], system="Be brief.", model="small")
    play.send("x", system="Be long.", model="large", paradigm="json_strict")
    play.send("y")
    first, second = play.requests
    said = first.messages[0].content
    assert said.startswith("Be brief.") and said.endswith("Be long.")
    assert (first.model, second.model) == ("large", "small")
    assert "tool_code" not in first.messages[0].content
    assert "Be brief." in second.messages[0].content and "tool_code" in second.messages[0].content


class Pipes(WireParadigm):
    """A form of this test's own, which is not registered."""

    name = "pipes_in_a_test"
    wire = WireFormat(call=("||", "||"), payload=JsonCall(name="do", arguments="with"))


@pytest.mark.parametrize("store", [None, "memory:"])
def test_a_turn_may_have_a_paradigm_of_its_own_and_a_builder_of_prompts(play, store):
    pipes = Pipes(teaching="classic")
    said = pipes.encode_call(ToolCall("save", {"n": 1}))
    play(said, "ok", said, "again", "plain", tools=[save], approver=deferring, store=store,
         masking=Masking({"NAME": "Ada"}))  # fmt: skip
    builder = ToolContextBuilder(
        "Serve Ada.", rules={"save": "Save once."}, dated=False, tail="End."
    )
    play.send("x", paradigm=pipes, system=builder)
    for _ in range(2):
        assert play.resume({play.session.pending[0].call.id: Deny()}).status == "completed"
        if store is None:
            break
        again = play.session.rerun(1)
        if play.kind == "async":
            play.runner.run(again)
    for request in play.requests:
        prompt = request.messages[0].content
        assert "||" in prompt and "Save once." in prompt and prompt.endswith("End.")
        assert "Ada" not in prompt and "Today" not in prompt
    play.send("y")
    assert "||" not in play.requests[-1].messages[0].content


def test_a_builder_of_prompts_is_kept_with_its_turn(play):
    options = {"tools": [save], "approver": deferring, "store": MemoryStore(), "id": "x"}
    builder = ToolContextBuilder("Be long.", rules={"save": "Save once."}, zone="Europe/Oslo")
    play(saves(1), "ok", **options)
    play.send("x", system=builder)
    play.open(play.endpoint, **options)
    play.resume({play.session.pending[0].call.id: Deny()})
    first, second = (request.messages[0].content for request in play.requests)
    assert first == second and "Save once." in first and "(Europe/Oslo)" in first


def test_the_paradigm_of_a_turn_carries_the_nonce_of_the_session(play):
    play("hi", tools=[add], guard=Guard(nonce=True))
    play.send("x", paradigm="hermes")
    assert "<tool_call>" not in play.requests[0].messages[0].content
    assert "<tool_call_" in play.requests[0].messages[0].content


MARS = ToolContextBuilder(zone="Mars/Olympus")


@pytest.mark.parametrize(
    "wrong", [{"system": 3}, {"paradigm": Pipes}, {"model": ["m"]}, {"system": MARS}]
)
def test_terms_of_another_kind_are_refused(play, wrong):
    play("hi")
    with pytest.raises(UsageError, match=r"a turn takes text or a|zone 'Mars"):
        play.send("x", **wrong)
    assert play.session.messages == ()


def test_the_terms_of_a_turn_hold_when_it_is_resumed_and_run_again(play):
    options = {"tools": [save, add], "approver": deferring, "store": MemoryStore(), "id": "x"}
    play(saves(1), "ok", "again", **options)
    play.send("x", without=["add"], system="Be long.", model="large")
    play.open(play.endpoint, **options)
    play.resume({play.session.pending[0].call.id: Deny()})
    if play.kind == "sync":
        play.session.rerun(1)
    else:
        play.runner.run(play.session.rerun(1))
    for request in play.requests:
        assert taught(request) == ["save"] and request.model == "large"
        assert "Be long." in request.messages[0].content


def test_a_turn_names_groups_and_groups_have_rules(play):
    registry = ToolRegistry({"sums": [add], "disk": [save]})
    rules = ToolContextBuilder(rules={"disk": "Save seldom.", "sums": "Add slowly."}, dated=False)
    play("a", "b", "c", tools=registry, system=rules)
    play.send(tools=["sums"])
    play.send(without=["sums"])
    registry.disable("disk")
    play.send()
    assert [taught(request) for request in play.requests] == [["add"], ["save"], ["add"]]
    for request, (told, other) in zip(
        play.requests, [("Add", "Save"), ("Save", "Add"), ("Add", "Save")], strict=True
    ):
        said = request.messages[0].content
        assert f"{told} s" in said and f"{other} s" not in said


def test_groups_of_tools_are_switched_at_run_time(play):
    registry = ToolRegistry(TOOLS)
    play("hi", "hi", tools=registry)
    registry.disable("fs_*", "save")
    play.send()
    registry.enable("*")
    play.send()
    assert [taught(request) for request in play.requests] == [["add"], [t.name for t in TOOLS]]
    for wrong in ("fsx_*", "nope"):
        with pytest.raises(UsageError, match="no tool named"):
            registry.disable(wrong)


def test_tools_that_a_policy_denies_are_not_taught(play):
    policy = Policy(tools={"fs_*": "deny"}, risks={"write": "deny"})
    play(call("fs_read", '{"n": 1}'), "ok", tools=TOOLS, policy=policy)
    result = play.send()
    assert taught(play.requests[0]) == ["add"]
    assert result.calls[0].result.content == "not run: fs_read is not allowed here"


def test_what_a_session_is_led_by_can_be_changed_between_turns(play):
    play("hi", "hi", ADD, tools=[save], store="memory:")
    play.send()
    play.session.paradigm = "json_strict"
    play.session.tools = [add]
    play.session.model = "other"
    play.send("x")
    assert taught(play.requests[1]) == ["add"] and play.requests[1].model == "other"
    assert "tool_code" not in play.requests[1].messages[0].content
    play.session.paradigm = get_paradigm("xml_tag")
    play.session.limits = TurnLimits(requests=1)
    assert play.send().error.limit == "requests"
    for name, wrong in [("limits", 3), ("paradigm", "nope")]:
        with pytest.raises(UsageError):
            setattr(play.session, name, wrong)


def prompt(play):
    return play.requests[-1].messages[0].content


def outcome(play, which=0):
    return play.session.messages[-2].results[which].content


def told_calls(play):
    return str(play.requests[-1].messages).count('"n": 1')


class Shouting(Hooks):
    def transform_system(self, prompt):
        return prompt.upper()


#: What is assigned, and what the next turn is like then. It calls ``save`` and ``add`` for Ada.
SETTINGS = {
    "paradigm": ("hermes", lambda play: "<tool_call>" in prompt(play)),
    "tools": ([add], lambda play: taught(play.requests[-1]) == ["add"]),
    "system": (ToolContextBuilder("Be long."), lambda play: "Be long." in prompt(play)),
    "hooks": ([Shouting()], lambda play: "SAVE" in prompt(play)),
    "approver": (lambda request: Allow(), lambda play: outcome(play) == "saved 1"),
    "policy": (Policy(risks={"write": "allow"}), lambda play: outcome(play) == "saved 1"),
    "reviewer": (lambda result: Deny("no"), lambda play: "withheld: no" in outcome(play, 1)),
    "limits": (TurnLimits(requests=1), lambda play: play.session.result.status == "error"),
    "params": ({"seed": 7}, lambda play: play.requests[-1].params == {"seed": 7}),
    "keep_calls": (False, lambda play: len(play.requests) > 2 and told_calls(play) == 1),
    "examples": (True, lambda play: len(play.requests[-1].messages) > 6),
    "compaction": (Compaction(60), lambda play: play.of(HistoryCompacted) != []),
    "masking": (Masking({"NAME": "Ada"}), lambda play: "Ada" not in str(play.requests[-1])),
    "constrain": ("calls", lambda play: play.requests[-1].constraint.demanded),
    "guard": (Guard(nonce=True), lambda play: "<tool_code_" in prompt(play)),
    "ordering": ("in_order", lambda play: play.session.ordering == "in_order"),
    "model": ("large", lambda play: play.requests[-1].model == "large"),
    "prices": ({"*": (1, 1)}, lambda play: play.session.result.cost == 4),
}
USED = [Chunk("ok"), Chunk(finish_reason="stop", usage=Usage(1_000_000, 1_000_000))]
COUNTED = [Chunk(saves(1) + ADD), Chunk(finish_reason="stop", usage=Usage(1_000_000, 1_000_000))]


@pytest.mark.parametrize("name", SETTINGS)
@pytest.mark.parametrize("store", [None, "memory:"])
def test_a_setting_that_is_assigned_holds_from_the_next_request_on(play, name, store):
    value, holds = SETTINGS[name]
    play(*[COUNTED, USED] * 2, "Sum.", "ok", tools=[save, add], store=store)
    play.send("for Ada")
    assert not holds(play)
    setattr(play.session, name, value)
    play.send("for Ada")
    assert holds(play)


def test_whatever_a_session_is_made_with_can_be_assigned_or_says_that_it_cannot(play):
    play("hi", store="memory:")
    for name in {*SessionOptions.__annotations__, "store", "history"} - SETTINGS.keys():
        if name != "workspace":
            with pytest.raises(UsageError, match=f"{name} is given when a session is made"):
                setattr(play.session, name, None)
    for name in ("endpoint", "id"):
        with pytest.raises(AttributeError):
            setattr(play.session, name, None)
    for name in SETTINGS.keys() - {"approver", "reviewer", "compaction", "masking"}:
        with pytest.raises(UsageError):
            setattr(play.session, name, 3.5)
    for name in ("approver", "reviewer", "compaction", "masking"):
        with pytest.raises(UsageError, match=f"{name}=3: expected"):
            setattr(play.session, name, 3)
        setattr(play.session, name, None)


def test_a_nonce_comes_and_goes_with_the_guard(play):
    play("1", "2", "3", tools=[add], guard=Guard(nonce=True), system="Be kind.")
    play.send()
    assert "<tool_code_" in prompt(play)
    play.session.guard = "standard"
    play.session.masking = Masking({"NAME": "kind"})
    play.send()
    assert "<tool_code>" in prompt(play) and "Be kind" not in prompt(play)
    play.session.masking = None
    play.send()
    assert "Be kind." in prompt(play)


def test_what_a_session_is_led_by_cannot_be_changed_during_a_turn(play):
    def change(event, session):
        for name, (value, _) in SETTINGS.items():
            with pytest.raises(UsageError, match="a turn is running"):
                setattr(session, name, value)

    assert play("hi").send(watch=change).text == "hi"


def test_parameters_are_merged_deeply(play):
    play("hi", params={"a": {"b": 1, "c": {"d": 2}}, "seed": 1, "top_k": 3})
    play.send(params={"a": {"c": {"e": 4}}, "seed": None})
    assert play.requests[0].params == {
        "a": {"b": 1, "c": {"d": 2, "e": 4}},
        "seed": None,  # for the endpoint, which may have one of its own
        "top_k": 3,
    }
