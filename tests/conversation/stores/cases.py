"""What stores are tested with: difficult texts, values, ids and searches; and doing at once."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

from toolproto.conversation.stores import Record, Store

__all__ = ["IDS", "SEARCHED", "SEARCHES", "TEXTS", "VALUES", "at_once", "contents", "said"]

#: What texts must come back as they were.
TEXTS = {
    "empty": "",
    "nul": "a\0b",
    "controls": "".join(map(chr, range(32))) + "\x7f\x85\u2028\u2029\ufeff",
    "quotes": 'it\'s "quoted" \\ `${x}` %s :name ? -- ;',
    "accents": "Bär, naïve, İstanbul, ß, e\u0301",
    "scripts": "你好 нет שלום نعم",
    "emoji": "👩‍👩‍👧 \U0001f600",
    "lone surrogates": "\ud800 and \udfff",
    "not a character": "\ufffe \U0010ffff",
    "escapes": "\\u0000 \\ud800 \\n",
}
#: What else JSON holds.
VALUES: dict[str, Any] = {
    "nothing": {},
    "numbers": {"int": 2**70, "float": 0.1, "tiny": 5e-324, "negative": -0.0},
    "constants": {"a": None, "b": True, "c": False},
    "nested": {"a": [{"b": [[], {}, [1, [2]]]}]},
    "names": {"": 1, "\0": 2, "a b": 3, "ä": 4, "kind": 5, "session": 6, "\ud800": 7},
}
IDS = [
    "x",
    "a b",
    "ä",
    "你好",
    "'; DROP TABLE x; --",
    "%",
    "_",
    "../up",
    "a/b",
    "A",
    "a",
    "i" * 200,
]
#: Searches that find a session with :data:`SEARCHED` in it.
SEARCHES = [
    *("bär", "BÄR", "ba\u0308r", "straße", "STRASSE", "i̇stanbul", "你好", "😀"),
    *("100%", "a_b", "c\\d", 'say "hi"', "two\nlines", "a\0b", "it's"),
]
SEARCHED = "\n".join(
    [
        *("Ein Bär", "Straße", "STRAẞE", "İstanbul", "你好", "😀"),
        *("100%", "a_b", "c\\d", 'say "hi"', "two\nlines", "a\0b", "it's"),
    ]
)


def said(text: str) -> Record:
    """A record with *text* in it."""
    return Record("message", {"role": "user", "content": text})


def contents(store: Store, id: str) -> list[str]:
    """The texts of a session made of :func:`said`."""
    return [record.data["content"] for record in store.read(id)]


def at_once(*jobs: Callable[[], object]) -> list[object]:
    """What the jobs give or raise, each begun in a thread of its own when all are ready."""
    barrier = Barrier(len(jobs))

    def run(job: Callable[[], object]) -> object:
        barrier.wait(timeout=60)
        try:
            return job()
        except Exception as error:
            return error

    with ThreadPoolExecutor(len(jobs)) as threads:
        return list(threads.map(run, jobs))
