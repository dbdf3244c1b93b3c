"""How often is a call doubted or lost that stands as a paragraph of its own in real prose?

    python benchmarks/false_doubts.py [FOLDER ...] [--paradigm xml_tag] [--file CORPUS] [--show N]

Behind each sentence that ends a paragraph at the top level of a document, as markdown-it-py tells,
a call is put as a paragraph of its own. Nothing shows or quotes it, so none may be doubted or lost.
The documents are the README files of the packages that are installed, our own docs, and the replies
of models that call nothing; or, if any are named, the ``.md`` files of folders.
"""

from __future__ import annotations

import argparse
import gzip
import importlib.metadata
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from compare import add_figures_option, keep_figures
from corpus import CORPUS
from markdown_it import MarkdownIt

from toolproto import ToolCall, ToolContextDef, ToolOffer, ToolSpec, get_paradigm

__all__ = ["counted", "docs", "readmes", "sentences"]

WORD = "QXWORDXQ"
CITY = {"type": "object", "properties": {"city": {"type": "string"}}}
OFFER = ToolOffer((ToolSpec("get_weather", "Tell the weather.", CITY),))
#: So much of a document is read, and so many of its sentences are tried.
LONGEST, MOST = 8_000, 25
_ELSEWHERE = re.compile(r"<think|^Human:", re.MULTILINE)
_MARKDOWN = MarkdownIt("commonmark").enable("table")


def sentences(text: str) -> Iterator[str]:
    """Yield the beginnings of *text* that end with a sentence of a paragraph at the top level."""
    for end in list(re.finditer(r"[.!?]\n\n", text[:LONGEST]))[:MOST]:
        before = text[: end.end()]
        tokens = _MARKDOWN.parse(f"{before}{WORD}\n")
        # Behind the tag of a thought, or in the turn of another speaker, no call is meant.
        if not _ELSEWHERE.search(before) and any(
            t.content == WORD and t.level == 1 for t in tokens
        ):
            yield before


def place(paradigm: ToolContextDef, before: str) -> str:
    """What is read of a call behind *before*: plain, the place that it is doubted for, or lost."""
    reply = before + paradigm.encode_call(ToolCall("get_weather", {"city": "Oslo"}))
    calls = paradigm.parse_response(reply, OFFER).calls
    own = [each for each in calls if each.span.end > len(before)]
    return (own[0].place or "plain") if own else "lost"


def counted(paradigm: ToolContextDef, texts: Iterable[str], shown: int = 0) -> Counter[str]:
    """Count what is read behind the sentences of *texts*; print *shown* of those not plain."""
    count: Counter[str] = Counter()
    for before in (each for text in texts for each in sentences(text)):
        told = place(paradigm, before)
        count[told] += 1
        if told != "plain" and shown > 0:
            shown -= 1
            print(f"{told}: {before[-160:]!r}")
    return count


# --- where prose comes from


def readmes() -> list[str]:
    """The descriptions of the packages that are installed, if they are Markdown."""
    found = (each.read_text("METADATA") or "" for each in importlib.metadata.distributions())
    bodies = dict.fromkeys(text.partition("\n\n")[2] for text in found)
    return [text for text in bodies if text.startswith(("#", "<")) or "\n## " in text]


def docs() -> list[str]:
    """Our own pages."""
    return of_folder(Path(__file__).parent.parent / "docs")


def of_folder(folder: Path) -> list[str]:
    """The Markdown files in *folder* and below."""
    return [path.read_text("utf-8", errors="replace") for path in sorted(folder.rglob("*.md"))]


def replies(corpus: Path) -> list[str]:
    """The replies of a corpus (see corpus.py) that call nothing; none if the file is not here."""
    if not corpus.exists():
        return []
    with gzip.open(corpus, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    texts = dict.fromkeys(row["raw_output"] for row in rows if not row["expected_calls"])
    return [f"{text.strip()}\n\n" for text in texts]


def measure(
    paradigm: ToolContextDef, sources: Mapping[str, list[str]], shown: int
) -> dict[str, float]:
    """Print what is read in each source, and return the share that is not plain."""
    figures: dict[str, float] = {}
    for source, texts in sources.items():
        count = counted(paradigm, texts, shown)
        if total := count.total():
            wrong = total - count["plain"]
            print(f"{source}: {wrong} of {total} doubted or lost; {dict(count.most_common())}")
            figures[f"{source}: doubted or lost / calls"] = wrong / total
    return figures


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("folders", nargs="*", type=Path)
    options.add_argument("--paradigm", default="xml_tag")
    options.add_argument("--file", type=Path, default=CORPUS)
    options.add_argument("--show", type=int, default=20)
    add_figures_option(options)
    given = options.parse_args()
    sources = {str(folder): of_folder(folder) for folder in given.folders} or {
        "READMEs": readmes(),
        "docs": docs(),
        "replies": replies(given.file),
    }
    keep_figures(given.figures, measure(get_paradigm(given.paradigm), sources, given.show))


if __name__ == "__main__":
    main()
