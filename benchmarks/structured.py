"""How often is a structured answer of the embedded model one, and right, beside other libraries?

    pip install instructor openai outlines torch transformers gguf accelerate
    python benchmarks/structured.py --kept answers.jsonl [--ways toolproto,held] [--seconds 600]

Forty forms (``structured_forms.py``), each with a sentence to take the data out of, at temperature
0, with at most two attempts:

- ``toolproto``: ``session.send(…, output=Form)`` on a model that is only read and asked again;
- ``held``: the same, held to the grammar of the answer;
- ``instructor``: instructor's ``MD_JSON``, for models that only write text;
- ``json``: its ``JSON`` mode, on a service that holds the reply to JSON of any kind;
- ``outlines``: outlines' JSON mode, in transformers, with the weights of the same file.

An answer counts as valid if the library gives an object of the form, as right if every field is.
Intervals are Wilson's, at 95 %. Answers are kept, and not asked for again.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any, Literal

import httpx
from pydantic import BaseModel

from toolproto import ChatRequest, ChatSession, Message, TurnLimits
from toolproto.endpoints import LocalEndpoint
from toolproto.endpoints.local import pull
from toolproto.testing.probe.intervals import Share

from structured_forms import tasks  # isort: skip

ATTEMPTS = 2
#: A run that is broken off has asked all ways about equally much.
IN_TURN = 10
PARAMS = {"temperature": 0, "seed": 1, "max_tokens": 80}


def asked(said: str) -> str:
    return f"Take the data out of this sentence: {said}"


Answering = Callable[[type[BaseModel], str], Any]


def ours(constrain: Literal["auto", "off"]) -> Answering:
    endpoint = LocalEndpoint("smollm2", params=PARAMS)
    limits = TurnLimits(reasks=ATTEMPTS - 1)

    def answer(form: type[BaseModel], said: str) -> Any:
        session = ChatSession(endpoint, "json_strict", limits=limits, constrain=constrain)
        return session.send(asked(said), output=form).output

    return answer


#: JSON of any kind, as services hold a reply to it that are asked for ``json_object``.
ANY_JSON = r"""
root ::= object
value ::= object | array | string | number | "true" | "false" | "null"
object ::= "{" ws (string ":" ws value ("," ws string ":" ws value)*)? "}" ws
array ::= "[" ws (value ("," ws value)*)? "]" ws
string ::= "\"" ([^"\\\x7F\x00-\x1F] | "\\" ["\\bfnrt])* "\"" ws
number ::= "-"? [0-9]+ ("." [0-9]+)? ws
ws ::= [ \t\n]?
"""


class Here(httpx.BaseTransport):
    """OpenAI's chat completions, answered by the model of this process."""

    def __init__(self) -> None:
        self.endpoint = LocalEndpoint("smollm2", params=PARAMS)

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        body = json.loads(request.read())
        said = tuple(Message(each["role"], _text(each["content"])) for each in body["messages"])
        wanted = (body.get("response_format") or {}).get("type")
        params = {"grammar": ANY_JSON} if wanted == "json_object" else {}
        with self.endpoint.stream(ChatRequest(said, params=params)) as chunks:
            chunks = list(chunks)
        message = {"role": "assistant", "content": "".join(chunk.text for chunk in chunks)}
        choice = {"index": 0, "message": message, "finish_reason": chunks[-1].finish_reason}
        told = {"id": "1", "object": "chat.completion", "created": 0, "model": "smollm2"}
        return httpx.Response(200, json={**told, "choices": [choice]}, request=request)


def _text(content: Any) -> str:
    return content if isinstance(content, str) else "".join(part["text"] for part in content)


def by_instructor(mode: str) -> Answering:
    import instructor
    import openai

    client = openai.OpenAI(api_key="-", http_client=httpx.Client(transport=Here()), max_retries=0)
    made = instructor.from_openai(client, mode=instructor.Mode[mode])

    def answer(form: type[BaseModel], said: str) -> Any:
        return made.chat.completions.create(
            model="smollm2",
            response_model=form,
            max_retries=ATTEMPTS - 1,
            messages=[{"role": "user", "content": asked(said)}],
        )

    return answer


def by_outlines() -> Answering:
    import outlines
    import torch
    from outlines.inputs import Chat
    from transformers import AutoModelForCausalLM, AutoTokenizer

    torch.set_num_threads(1)
    path = pull("smollm2")
    place = {"pretrained_model_name_or_path": str(path.parent), "gguf_file": path.name}
    tokenizer = AutoTokenizer.from_pretrained(**place)
    model = outlines.from_transformers(AutoModelForCausalLM.from_pretrained(**place), tokenizer)

    def answer(form: type[BaseModel], said: str) -> Any:
        schema = json.dumps(form.model_json_schema())
        # It holds the model to the schema and says nothing of it.
        told = f"{asked(said)}\nAnswer in JSON that fits this schema: {schema}"
        chat = Chat([{"role": "user", "content": told}])
        text = model(chat, form, max_new_tokens=PARAMS["max_tokens"], do_sample=False)
        return form.model_validate_json(text)

    return answer


WAYS: dict[str, Callable[[], Answering]] = {
    "toolproto": lambda: ours("off"),
    "held": lambda: ours("auto"),
    "instructor": lambda: by_instructor("MD_JSON"),
    "json": lambda: by_instructor("JSON"),
    "outlines": by_outlines,
}


def is_right(got: Any, wanted: BaseModel) -> bool:
    if not isinstance(got, type(wanted)):
        return False
    return str(got.model_dump()).casefold() == str(wanted.model_dump()).casefold()


def answered(answer: Answering, wanted: BaseModel, said: str) -> dict[str, Any]:
    """How one question went."""
    began = time.process_time()
    try:
        got = answer(type(wanted), said)
    except Exception as error:  # each library has its own; what counts is that none came
        got = error
    return {
        "form": type(wanted).__name__,
        "valid": isinstance(got, type(wanted)),
        "right": is_right(got, wanted),
        "seconds": round(time.process_time() - began, 2),
        "got": str(got)[:200],
    }


def ask(ways: list[str], kept: Path, seconds: float) -> None:
    """Ask what is not *kept* yet, some forms in each way in turn, until *seconds* have passed."""
    ends = time.monotonic() + seconds
    known = {(row["way"], row["form"]) for row in read(kept)}
    made: dict[str, Answering] = {}
    every = list(tasks())
    for first in range(0, len(every), IN_TURN):
        for way, (wanted, said) in product(ways, every[first : first + IN_TURN]):
            if (way, type(wanted).__name__) in known:
                continue
            if time.monotonic() > ends:
                return
            made[way] = made.get(way) or WAYS[way]()
            row = {"way": way, **answered(made[way], wanted, said)}
            with kept.open("a", encoding="utf-8") as file:
                file.write(json.dumps(row, ensure_ascii=False) + "\n")


def read(kept: Path) -> list[dict[str, Any]]:
    lines = kept.read_text("utf-8").splitlines() if kept.exists() else []
    return [json.loads(line) for line in lines]


def show(rows: list[dict[str, Any]]) -> None:
    print(f"{'way':<12}{'valid':>26}{'right':>26}{'CPU seconds each':>18}")
    for way in WAYS:
        if not (own := [row for row in rows if row["way"] == way]):
            continue
        shares = [Share(sum(row[kind] for row in own), len(own)) for kind in ("valid", "right")]
        cells = "".join(
            f"{f'{each.right} of {each.asked} ({each.low:.0%} to {each.high:.0%})':>26}"
            for each in shares
        )
        mean = sum(row["seconds"] for row in own) / len(own)
        print(f"{way:<12}{cells}{mean:>18.1f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--kept", type=Path, required=True, help="a file of answers, added to")
    parser.add_argument("--ways", default=",".join(WAYS))
    parser.add_argument("--seconds", type=float, default=3600, help="ask no more after that")
    options = parser.parse_args()
    pull("smollm2")
    ask(options.ways.split(","), options.kept, options.seconds)
    show(read(options.kept))


if __name__ == "__main__":
    main()
