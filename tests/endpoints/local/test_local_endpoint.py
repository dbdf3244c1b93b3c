"""A real model in this process: what it is asked, what comes, and how it is stopped."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
import time
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from tests.patience import PATIENCE, interrupt
from toolproto.endpoints import Abortable, AsyncEndpoint, Endpoint
from toolproto.endpoints.local import LocalEndpoint
from toolproto.endpoints.local.engine import get_engine
from toolproto.endpoints.local.loading import EngineOptions
from toolproto.protocol.errors import EndpointError, UsageError
from toolproto.protocol.messages import ChatRequest, Chunk, Message

#: Seconds of work, which a crowd leaves alone, within which a request that was stopped must have
#: made room. A stretch of prompt takes a fifth of one; the replies below take nine.
SOON = 3.0
STORY = "Tell me a very long story about a dog and a lighthouse, with every detail."


def asked(text, stop=(), **params):
    return ChatRequest((Message("user", text),), tuple(stop), params)


def chunks(endpoint, request):
    with endpoint.stream(request) as reply:
        return list(reply)


def text_of(endpoint, request):
    return "".join(chunk.text for chunk in chunks(endpoint, request))


def is_free(endpoint):
    """Whether the model answers soon."""
    begin = time.process_time()
    chunks(endpoint, asked("Hi.", max_tokens=1))
    return time.process_time() - begin < SOON


# -- what comes ---------------------------------------------------------------------------


def test_it_is_an_endpoint_of_both_kinds_and_its_stream_can_be_aborted(endpoint):
    assert isinstance(endpoint, Endpoint)
    assert isinstance(endpoint, AsyncEndpoint)
    assert isinstance(endpoint.stream(asked("Hi.")), Abortable)


def test_a_reply_comes_in_pieces_and_ends_with_reason_and_counts(endpoint):
    *pieces, last = chunks(endpoint, asked("Say hello.", max_tokens=5))
    assert len(pieces) > 1
    assert all(piece == Chunk(piece.text) and piece.text for piece in pieces)
    assert last.finish_reason == "length"
    assert last.usage is not None and last.usage.output_tokens == 5
    # The two words alone are five tokens: the model's own template is around them.
    assert last.usage.input_tokens > 20


def test_a_stop_sequence_ends_the_reply_and_is_not_part_of_it(endpoint):
    counting = "root ::= " + '"one two three four five six"'
    *pieces, last = chunks(endpoint, asked("Count.", ["three", "five"], grammar=counting))
    assert "".join(piece.text for piece in pieces) == "one two "
    assert last.finish_reason == "stop"


def test_a_seed_makes_a_hot_reply_repeatable(endpoint):
    hot = {"temperature": 2.0, "max_tokens": 8, "cache_prompt": False}
    replies = [text_of(endpoint, asked("Name a colour.", seed=n, **hot)) for n in (7, 7, 8)]
    assert replies[0] == replies[1] != replies[2]


def test_a_grammar_holds_for_one_request_only(endpoint):
    yes_or_no = 'root ::= "yes" | "no"'
    assert text_of(endpoint, asked("Is it?", grammar=yes_or_no, max_tokens=9)) in ("yes", "no")
    assert text_of(endpoint, asked("Name a colour.", max_tokens=9)) not in ("yes", "no")


def test_calls_and_thoughts_come_as_the_model_wrote_them(endpoint):
    wrote = '<think>hm</think><tool_call>{"name": "x", "arguments": {}}</tool_call>'
    quoted = wrote.replace('"', '\\"')
    assert text_of(endpoint, asked("Go.", grammar=f'root ::= "{quoted}"')) == wrote


def test_a_request_gets_its_stop_sequences_from_its_params_as_well(endpoint):
    grammar = 'root ::= "a b c d"'
    assert text_of(endpoint, asked("Go.", stop=["c"], grammar=grammar)) == "a b "
    assert text_of(endpoint, asked("Go.", **{"stop": ["d"], "grammar": grammar})) == "a b c "


def test_half_a_character_and_a_zero_byte_do_no_harm(endpoint):
    assert chunks(endpoint, asked("\ud800 and \0 end", max_tokens=2))[-1].finish_reason == "length"


def test_nothing_is_sent_before_the_first_chunk_is_asked_for(endpoint):
    with endpoint.stream(asked(STORY)):
        assert is_free(endpoint)


# -- stopping -----------------------------------------------------------------------------


def test_an_aborted_reply_stops_the_model(endpoint):
    with endpoint.stream(asked(STORY)) as reply:
        next(reply)
        reply.abort()
        for _ in range(2):
            with pytest.raises(EndpointError, match="aborted"):
                next(reply)
    assert is_free(endpoint)


def test_another_thread_can_abort_while_the_prompt_is_read(quick_path):
    roomy = LocalEndpoint(quick_path, context=8192)
    begin = time.process_time()
    with roomy.stream(asked("word " * 8000)) as reply:  # twenty seconds to read
        threading.Timer(0.1, reply.abort).start()
        with pytest.raises(EndpointError, match="aborted"):
            next(reply)
    assert time.process_time() - begin < SOON
    assert is_free(roomy)


def test_leaving_early_stops_the_model(endpoint):
    with endpoint.stream(asked(STORY)) as reply:
        next(reply)
    assert is_free(endpoint)


def test_a_request_that_waits_for_its_turn_can_be_aborted(endpoint):
    with endpoint.stream(asked(STORY)) as first, endpoint.stream(asked(STORY)) as second:
        next(first)
        threading.Timer(0.1, second.abort).start()
        with pytest.raises(EndpointError, match="aborted"):
            next(second)
        assert next(first).text


def test_requests_at_once_are_served_one_after_the_other(endpoint):
    async def one(number):
        async with endpoint.astream(asked(f"Say {number}.", max_tokens=3)) as reply:
            return [chunk async for chunk in reply]

    async def all_of_them():
        return await asyncio.gather(*map(one, range(4)))

    for reply in asyncio.run(all_of_them()):
        assert reply[-1].finish_reason in ("length", "stop")


def test_a_cancelled_task_stops_the_model(endpoint):
    async def read(began):
        async with endpoint.astream(asked(STORY)) as reply:
            async for _ in reply:
                began.set()

    async def cancel():
        began = asyncio.Event()
        task = asyncio.create_task(read(began))
        await began.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(cancel())
    assert is_free(endpoint)


# -- what cannot work ---------------------------------------------------------------------


def test_a_prompt_that_is_too_long_is_refused_with_both_numbers(endpoint):
    with pytest.raises(EndpointError, match=r"takes \d+ tokens .* room for 1024; .*context=") as at:
        chunks(endpoint, asked("word " * 2000))
    assert at.value.status == 400


def test_a_broken_grammar_is_refused_with_the_reason_and_nothing_is_printed(endpoint, capfd):
    chunks(endpoint, asked("Hi.", max_tokens=1))
    with pytest.raises(EndpointError, match=r"GBNF.*: Undefined rule identifier 'nope'"):
        chunks(endpoint, asked("Hi.", grammar="root ::= nope"))
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("params", [{"temperature": "hot"}, {"max_tokens": "many"}, {"n": 2}])
def test_a_parameter_that_llama_cpp_refuses_is_named(endpoint, params):
    with pytest.raises(EndpointError, match=f"refuses the request: .*{next(iter(params))}"):
        chunks(endpoint, asked("Hi.", **params))


@pytest.mark.parametrize("name", ["tools", "tool_choice", "json_schema", "response_format"])
def test_parameters_that_would_change_the_text_are_refused_at_once(endpoint, name):
    with pytest.raises(UsageError, match=f"no parameter '{name}'"):
        endpoint.stream(asked("Hi.", **{name: {}}))


def test_a_grammar_that_is_no_text_is_refused_at_once(endpoint):
    with pytest.raises(UsageError, match="'grammar' must be a text in GBNF, not dict"):
        endpoint.stream(asked("Hi.", grammar={"root": "x"}))


def test_what_is_no_json_is_refused_at_once(endpoint):
    with pytest.raises(UsageError, match="cannot be written as JSON"):
        endpoint.stream(asked("Hi.", temperature=float("nan")))


def test_a_file_that_was_cut_short_fails_with_llama_cpps_reason(model_path, tmp_path, capfd):
    cut = tmp_path / "cut.gguf"
    with model_path.open("rb") as whole:
        cut.write_bytes(whole.read(3_000_000))
    with pytest.raises(EndpointError, match=r"cut\.gguf is not a usable model: .*incomplete"):
        chunks(LocalEndpoint(cut), asked("Hi."))
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("options", [{"threads": 0}, {"context": "big"}, {"threads": True}])
def test_options_that_make_no_sense_are_refused(model_path, options):
    with pytest.raises(UsageError, match="must be a positive whole number"):
        LocalEndpoint(model_path, **options)


# -- one model for all --------------------------------------------------------------------


def test_a_model_is_loaded_once_for_the_same_file_and_options(model_path, tmp_path):
    link = tmp_path / "link.gguf"
    link.symlink_to(model_path)
    options = EngineOptions(context=77)
    engine = get_engine(model_path.resolve(), options)
    assert get_engine(link.resolve(), options) is engine
    assert get_engine(model_path.resolve(), EngineOptions(context=78)) is not engine


def test_the_door_that_llama_cpp_opens_on_this_machine_is_locked(endpoint):
    chunks(endpoint, asked("Hi.", max_tokens=1))
    address = endpoint._engine._server.listening_address
    assert address.startswith("http://127.0.0.1:")
    for path in ("/v1/chat/completions", "/slots", "/props"):
        request = Request(address + path, data=b"{}", headers={"Authorization": "Bearer guess"})
        with pytest.raises(HTTPError) as refused:
            urlopen(request, timeout=PATIENCE)
        refused.value.close()
        assert refused.value.code == 401


# -- the end of a program -----------------------------------------------------------------

UNREAD = f"""
import sys
from toolproto.endpoints.local import LocalEndpoint
from toolproto.protocol.messages import ChatRequest, Message
endpoint = LocalEndpoint(sys.argv[1], context=1024)
request = ChatRequest((Message("user", {STORY!r}),))
reply = iter(endpoint.stream(request))
next(reply)
print("begun", flush=True)
"""
INTERRUPTED = UNREAD + "for chunk in reply: pass\n"
FORKED = (
    UNREAD
    + """
import multiprocessing, warnings
warnings.simplefilter("ignore")
def use():
    try:
        next(iter(endpoint.stream(request)))
    except Exception as error:
        print(type(error).__name__, error, flush=True)
child = multiprocessing.get_context("fork").Process(target=use)
child.start()
child.join()
print(next(reply).finish_reason, child.exitcode)
"""
)


def program(text, model_path):
    return subprocess.Popen(
        [sys.executable, "-c", text, str(model_path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )


def test_a_program_ends_although_nobody_reads_the_reply(quick_path):
    with program(UNREAD, quick_path) as running:
        assert running.communicate(timeout=60) == ("begun\n", "")
    assert running.returncode == 0


@pytest.mark.skipif(sys.platform == "win32", reason="no such signal")
def test_ctrl_c_ends_a_program_in_the_middle_of_a_reply(quick_path):
    with program(INTERRUPTED, quick_path) as running:
        assert running.stdout.readline() == "begun\n"
        interrupt(running)
        assert "KeyboardInterrupt" in running.communicate(timeout=60)[1]


@pytest.mark.skipif(sys.platform == "win32", reason="no fork")
def test_a_forked_process_is_told_that_it_cannot_use_the_model(quick_path):
    with program(FORKED, quick_path) as running:
        _, told, end = running.communicate(timeout=60)[0].splitlines()
    assert told.startswith("EndpointError llama.cpp does not work in a process that was forked")
    assert end == "None 0"
