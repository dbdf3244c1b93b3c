"""Texts that do not know a session's nonce: is one of them read as a call?

    python -m soak.nonce [--texts 100000] [--paradigms a,b] [--seed 1] [--laws 0]

Every paradigm with a nonce reads hostile texts made for the plain paradigm, and for the same one
with other nonces. With --laws N, every law is tried on every paradigm with a nonce, on N examples.
Exits with 1 if anything was a call, or if a law is broken.
"""

from __future__ import annotations

import argparse
import sys
from random import Random

from toolproto.protocol.guard.nonce import new_nonce, with_nonce
from toolproto.protocol.paradigms import get_paradigm, list_paradigms
from toolproto.testing import STANDARD_OFFER, broken_laws
from toolproto.testing.hostile import hostile_text


def called(name: str, seed: int, texts: int) -> list[str]:
    """The texts out of *texts* that are calls to the paradigm called *name*."""
    random = Random(f"{name} {seed}")
    plain = get_paradigm(name)
    told = with_nonce(plain, new_nonce(random.randrange))
    strangers = [plain, *(with_nonce(plain, new_nonce(random.randrange)) for _ in range(2))]
    found = []
    for number in range(texts):
        text = hostile_text(random, strangers[number % 4 % 3])
        if told.parse_response(text, STANDARD_OFFER).calls:
            found.append(text)
    return found


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--texts", type=int, default=100_000, help="for each paradigm")
    options.add_argument("--paradigms", default=",".join(list_paradigms()))
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--laws", type=int, default=0, help="examples for each law")
    given = options.parse_args()
    names, failures = given.paradigms.split(","), 0
    for name in names:
        for text in sorted(called(name, given.seed, given.texts), key=len)[:1]:
            failures += 1
            print(f"--- {name} reads a call in\n{text!r}")
        if given.laws:
            paradigm = with_nonce(get_paradigm(name), new_nonce(Random(name).randrange))
            for broken in broken_laws(paradigm, examples=given.laws):
                failures += 1
                print(f"--- {name}\n{broken}")
    print(f"{given.texts:,} texts for each of {len(names)} paradigms; {failures} failures")
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main())
