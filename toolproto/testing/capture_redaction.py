"""Taking what is private out of a reply, so that it still reads as it did.

What goes is replaced by as many characters of the same kinds: letters by ``x``, digits by ``1``,
while quotation marks, brackets and escapes stay where they are. So a broken call stays broken in
the same place, and a whole one stays whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from ..protocol.errors import UsageError
from ..protocol.secrets import Redactor, names_a_secret, rewritten

__all__ = ["StandIns"]

_EMAIL = r"[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,8}"
_SPELT = re.compile(r"(\\u[0-9a-fA-F]{4}|\\.)|(\d)|([^\W_])", re.DOTALL)
#: What is shorter stands in too many other words.
_SHORTEST = 4


class StandIns:
    """Puts stand-ins for keys, e-mail addresses, *secrets* and what *patterns* match.

    *patterns* are regular expressions; one that is none is a UsageError.
    """

    def __init__(self, secrets: Iterable[str] = (), patterns: Sequence[str] = ()) -> None:
        self._secrets = tuple(secrets)
        self._patterns = (*patterns, _EMAIL)
        for pattern in patterns:
            try:
                re.compile(pattern)
            except re.error as error:
                raise UsageError(f"{pattern!r} is not a regular expression: {error}") from None
        self._redactor = Redactor(self._secrets, self._patterns)

    def learnt(self, *arguments: Mapping[str, Any]) -> StandIns:
        """The same, and also for what is private in *arguments*, wherever that stands.

        In the text of a call an escape may hide where a key begins, and nothing about a password
        but the name of its argument.
        """
        found = {secret for each in arguments for secret in self._private(each, "")}
        return StandIns((*self._secrets, *found), self._patterns[:-1]) if found else self

    def __call__(self, text: str) -> str:
        """*text* with stand-ins; as long as it was."""
        return "".join(_stand_in(run) if private else run for run, private in self._runs(text))

    def value(self, value: Any) -> Any:
        """Return a JSON value with stand-ins in its texts; the names of its members stay."""
        return rewritten(value, lambda text, _: self(text))

    def _private(self, value: Any, name: str) -> Iterator[str]:
        match value:
            case str() if names_a_secret(name) and len(value) >= _SHORTEST:
                yield value
            case str():
                yield from (run for run, private in self._runs(value) if private)
            case Mapping():
                for key, each in value.items():
                    yield from self._private(each, str(key))
            case list() | tuple():
                for each in value:
                    yield from self._private(each, name)

    def _runs(self, text: str) -> Iterator[tuple[str, bool]]:
        """The stretches of *text*, and whether each is private."""
        pieces = zip(text, self._redactor.pieces(text), strict=True)
        for same, run in groupby(pieces, lambda piece: piece[0] == piece[1]):
            yield "".join(char for char, _ in run), not same


def _stand_in(text: str) -> str:
    return _SPELT.sub(lambda found: found[1] or ("1" if found[2] else "x"), text)
