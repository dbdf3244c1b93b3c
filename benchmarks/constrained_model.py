"""What a grammar does for a small model: the same requests with and without one.

Runs the embedded model on the requests of ``toolproto probe`` in which a call is due (demanded of
the model by the grammar, asked for by the prompt), and on those and on some talk in which none is
(``auto``)::

    python benchmarks/constrained_model.py --paradigm hermes --out replies.jsonl

Replies are kept in ``--out`` and not asked for again, so a run that was stopped goes on.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from toolproto.endpoints import LocalEndpoint
from toolproto.protocol.grammar.constraint import Constraint
from toolproto.protocol.messages import CallProblem, ChatRequest, Message
from toolproto.protocol.paradigms import ToolContextDef, get_paradigm
from toolproto.protocol.tools.check import check_call
from toolproto.testing.probe.cases import Case, load_cases
from toolproto.testing.probe.intervals import share_of
from toolproto.testing.probe.score import mark, read_reply

SYSTEM = "You are a helpful assistant."
#: Tokens of a reply in which a call is due, and of one in which none is: it shows early.
TOKENS, FEW_TOKENS = 200, 60
#: Requests for which no tool is needed, beside those of the probe.
TALK = (
    "Hello!", "Thank you very much.", "Who are you?", "What can you do for me?", "Good morning.",
    "What is the capital of France?", "Tell me a joke.", "How many legs does a spider have?",
    "What is the opposite of cold?", "Say something nice.", "What color is the sky?",
    "Explain in one sentence what a poem is.", "What is two plus two?", "Do you like music?",
    "Write one sentence about the sea.", "What do bees make?", "Name a fruit.", "I am tired.",
    "What is water made of?", "Wish me luck.", "Translate 'thank you' into French.",
    "Which month comes after May?", "Is a whale a fish?", "Good bye!",
)  # fmt: skip


@dataclass
class Tally:
    """How often something was so, of how many."""

    marks: dict[str, list[bool]] = field(default_factory=dict)

    def count(self, what: str, hit: bool) -> None:
        self.marks.setdefault(what, []).append(hit)

    def lines(self) -> list[str]:
        return [
            f"{what:28}{sum(marks):4}/{len(marks):<4} [{share.low:.0%}, {share.high:.0%}]"
            for what, marks in self.marks.items()
            for share in [share_of(marks)]
        ]


def asked(
    endpoint: LocalEndpoint, paradigm: ToolContextDef, case: Case, held: bool
) -> tuple[str, str | None]:
    """The model's reply to *case*, and why it ended."""
    choice = "required" if case.calls else "auto"
    offer = replace(case.offer, choice=choice, parallel=len(case.calls) > 1)
    messages = (
        Message("system", paradigm.splice_system_prompt(SYSTEM, offer)),
        *paradigm.examples(offer),
        Message("user", case.ask),
    )
    constraint = Constraint(lambda: paradigm.grammar(offer)) if held else None
    params = {"temperature": 0, "max_tokens": TOKENS if case.calls else FEW_TOKENS}
    request = ChatRequest(messages, paradigm.stop(offer), params, constraint=constraint)
    text, reason = "", None
    with endpoint.stream(request) as chunks:
        for chunk in chunks:
            text += chunk.text
            reason = chunk.finish_reason or reason
    return text, reason


def counted(
    tally: Tally, paradigm: ToolContextDef, case: Case, said: tuple[str, str | None]
) -> None:
    read = read_reply(paradigm, case.offer, *said)
    marks = mark(case, read)
    if not case.calls:
        tally.count("answers in words", not marks.needless)
        return
    cut = said[1] == "length"
    checked = [check_call(call, case.offer) for call in read.calls]
    valid = bool(checked) and not read.problems
    valid = valid and not any(isinstance(each, CallProblem) for each in checked)
    tally.count("valid", valid)
    tally.count("cut by the token limit", cut)
    if not cut:
        tally.count("valid, of those not cut", valid)
    tally.count("right tool", bool(marks.right_tool))
    tally.count("right arguments", bool(marks.right_arguments))


def _kept(out: Path | None) -> list[dict[str, Any]]:
    if out is None or not out.exists():
        return []
    return [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--paradigm", default="hermes")
    parser.add_argument("--every", type=int, default=1, help="ask only every so manieth request")
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    paradigm, endpoint = get_paradigm(given.paradigm), LocalEndpoint(context=8192)
    tallies = {True: Tally(), False: Tally()}
    kept = {(row["case"], row["held"]): row for row in _kept(given.out)}
    cases = [case for case in load_cases() if case.result is None]
    plain = next(case for case in cases if not case.calls)
    cases += [replace(plain, id=f"talk-{at}", ask=ask) for at, ask in enumerate(TALK)]
    # Neighbours have the same tools, so the model reads most of a prompt once.
    cases.sort(key=lambda case: (case.offer != plain.offer, sorted(case.offer.names)))
    cases = cases[:: given.every]
    for number, case in enumerate(cases, 1):
        for held, tally in tallies.items():
            if (case.id, held) not in kept:
                text, reason = asked(endpoint, paradigm, case, held)
                row = {"case": case.id, "held": held, "reply": text, "reason": reason}
                kept[case.id, held] = row
                if given.out:
                    with given.out.open("a", encoding="utf-8") as file:
                        file.write(json.dumps(row) + "\n")
            row = kept[case.id, held]
            counted(tally, paradigm, case, (row["reply"], row["reason"]))
        print(f"{number}/{len(cases)}", end="\r", file=sys.stderr, flush=True)
    for held, tally in tallies.items():
        print(f"{given.paradigm}, {'held to the grammar' if held else 'without'}:")
        print("\n".join(f"  {line}" for line in tally.lines()))


if __name__ == "__main__":
    main()
