"""Words that a model says again after it was told of a mistake, and that its client has read.

A reply that repeats all an earlier one said, and goes on, is let out from where it goes on. One
that only begins alike is another one: nothing of it is lost. Until that is known, it is held back.
"""

from __future__ import annotations

from dataclasses import dataclass, field

__all__ = ["SaidAgain"]


@dataclass(slots=True)
class SaidAgain:
    """What a client has read of one answer, and what of the next reply it has not."""

    #: All that went out, and the words of each reply of which some did.
    out: list[str] = field(default_factory=list)
    _replies: list[str] = field(default_factory=list)
    #: Earlier words that the present reply has repeated so far, and how much of them.
    _alike: list[str] = field(default_factory=list)
    _matched: int = 0
    #: How long the longest of them is that was repeated whole.
    _whole: int = 0
    _held: list[str] = field(default_factory=list)

    def begin(self, said: str) -> None:
        """Another reply begins, after one that said *said*."""
        self._held.clear()
        self._matched = self._whole = 0
        if self.out:
            self._replies.append(said.strip())
            earlier = ["".join(self.out).strip(), *self._replies]
            self._alike = [each for each in dict.fromkeys(earlier) if each]

    def new(self, text: str) -> str:
        """What of *text*, and of what was held back, is no repetition; nothing while it may be."""
        if not self._alike:
            return text
        if not self._held:
            text = text.lstrip()
        self._held.append(text)
        # What is left of one is looked at only where *text* may end it: it may be long.
        near = (each for each in self._alike if len(each) - self._matched <= len(text))
        whole = [each for each in near if text.startswith(each[self._matched :])]
        self._whole = max([self._whole, *map(len, whole)])
        self._alike = [each for each in self._alike if each.startswith(text, self._matched)]
        self._matched += len(text)
        return "" if self._alike else self._let_go()

    def _let_go(self) -> str:
        rest = "".join(self._held)[self._whole :]
        self._held.clear()
        if self.out[-1][-1:].isspace():
            return rest.lstrip()
        return rest if self._whole or rest[:1].isspace() else f"\n\n{rest}"
