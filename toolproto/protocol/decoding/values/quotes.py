"""Whether a quote ends its string, judged by what follows it: in JSON, and in Python calls.

A model that forgets to escape writes ``"say "hi" now"``. Which quote is the last one cannot
be known, only weighed: behind a string's end stand a comma and a member that fits, or
closers that match what is open, or the end of the text. Each look ahead stops at the second
quote after the one judged, or after a constant, so that judging all of them stays linear.

The arguments of a Python call are members, too, with ``=`` for a colon. What else may stand behind
a string there, :class:`PythonJudge` says.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from enum import Enum
from typing import Any, ClassVar

from ..patterns import Pattern
from .state import QUOTES, State, Wait

# A member's key, in each style of quoting, which are the groups, and between %s, without quotes.
_ANY_KEY = r"""(?:"([^"\\\r\n]{0,200}+(?:\\.[^"\\\r\n]{0,200}+){0,200})"
    |'([^'\\\r\n]{0,200}+(?:\\.[^'\\\r\n]{0,200}+){0,200})'
    |[“”„]([^“”„"\r\n]{0,200}+)[“”"]
    |[‘’]([^‘’'\r\n]{0,200}+)[‘’']
    |`([^`\r\n]{0,200}+)`
    |\\"([^"\\\r\n]{0,200}+)\\"
    |(%s)"?)\s{0,200}+(?:%s)"""
_BARE = 7
#: A key of JSON with its colon. The bare style may have lost its opening quote.
KEY = Pattern(_ANY_KEY % (r"[\w$][\w$.\-]{0,100}+", "[:：]"), re.VERBOSE)
# A key that has lost its closing quote, and the beginning of its value.
_HALF_KEY = Pattern(r"""["']([\w$.\-]{1,100}+):\s{0,200}+["'{\[\d+\-tfnTFN]""")
_DASHED_KEY = Pattern(r"--([\w.\-]{1,100}+)\s")
# A key over several lines, which no code has before a colon if nothing else was odd.
_BROKEN_KEY = Pattern(r""""[^"\\]{1,100}+"\s{0,200}+:|'[^'\\]{1,100}+'\s{0,200}+:""")
#: What ends the block in which JSON stands, where something may be missing.
CLOSING_FENCE = Pattern(r"```(?![\w`])")
_LAST_FENCE = Pattern(r"```\s{0,8}+(?:<[|｜/]|\Z)")  # behind which nothing goes on with a string

_begins_item = frozenset(QUOTES) | frozenset("{[(")
_closers = frozenset("}])")
_CLOSER_RUN = Pattern(r"(?:[}\])]\s{0,80}+){1,100}")
_SCALAR = Pattern(r"(?:[-+]?\.?\d[\w.+-]{0,40}|[tT]rue|[fF]alse|null|None)\s{0,200}+(?:[,\])]|\Z)")
_WORD = Pattern(r"[\w.$-]{1,60}\s{0,200}+[,\])]")
# What no text that merely follows a finished value begins with, unless the value goes on.
_glued = re.compile(r"""["'\\,.:;)\]}+\-*=%\w]""").match


class Verdict(Enum):
    """What a quote is."""

    CLOSES = "closes"
    UNSURE = "unsure"  # closes, if no later quote does so with more right
    INNER = "inner"


class Judge:
    """Weighs what follows the quotes that may end a string inside a container."""

    __slots__ = ("clean", "inner", "paired", "state")

    key = KEY
    rules: ClassVar[dict[str, Callable[[Any, int, int], Verdict]]]

    def __init__(self, state: State) -> None:
        self.state = state

    @property
    def text(self) -> str:
        """The text at hand."""
        return self.state.text

    def verdict(self, after: int, inner: int = 0) -> Verdict:
        """What the quote is, *after* which text follows.

        The string has had *inner* unescaped quotes before it.
        """
        self.inner = inner
        self.clean = inner == 0
        # Has every inner quote so far its partner, so that this one may close?
        self.paired = inner % 2 == 0
        at = self.state.behind_space(after)
        return self.rules.get(self.state.here(at), type(self)._after_nothing)(self, at, 0)

    def _at_end(self, at: int, level: int) -> Verdict:
        return Verdict.CLOSES

    def _after_closers(self, at: int, level: int) -> Verdict:
        """Closers that match what is open, as far as they go, and then something that fits."""
        state, expected = self.state, self.state.closers
        while level < len(expected) and state.here(at) == expected[level]:
            level += 1
            if self.clean and level == state.at_once:
                return Verdict.CLOSES
            at = state.behind_space(at + 1)
        # Behind all of it, without doubts, a marker that may only have begun makes no difference.
        over = level == len(expected)
        here = self.text[at : at + 1] if over and self.clean else ""
        here = here or state.here(at)
        if not here:
            return Verdict.CLOSES
        if over:
            return self._after_everything(at)
        if here in _closers:
            return self._after_mismatch(at)
        if here == ",":
            return self._after_comma(at, level)
        if here in "/#":
            return self._before_comment(at, level)
        return self._after_nothing(at, level)

    def _after_everything(self, at: int) -> Verdict:
        """All is closed and text remains: a marker, prose, or the rest of a string."""
        text, state = self.text, self.state
        if text[at] == "," and state.look(KEY, state.behind_space(at + 1)):  # a closer too many
            return self._after_comma(at, len(state.closers) - 1)
        glued = not text[at - 1].isspace()
        if self.clean:
            return _either(not (glued and text[at] in '"\\'))
        return _either(self.paired and not (glued and _glued(text, at)))

    def _after_mismatch(self, at: int) -> Verdict:
        """A closer of something that is not open: the model's slip, or code inside the string."""
        text, state = self.text, self.state
        run = state.look(_CLOSER_RUN, at)
        end = run.end() if run else at
        here = state.here(end)
        if not here:
            return Verdict.CLOSES
        if not self.clean or text[at] not in state.closers + "}]":
            return Verdict.INNER
        if here != ",":
            return Verdict.UNSURE
        follower = state.behind_space(end + 1)
        return _either(state.here(follower) == "{" or state.look(KEY, follower) is not None)

    def _after_comma(self, at: int, level: int) -> Verdict:
        at = self.state.behind_space(at + 1)
        here = self.state.here(at)
        if not here:
            return Verdict.CLOSES
        if here in _closers:
            return _either(self.paired and here == self.state.closers[level], Verdict.INNER)
        if here in "/#":
            return self._before_comment(at, level)
        if self.state.in_object(level):
            return self._before_member(at, level)
        return self._before_item(at)

    def _before_member(self, at: int, level: int) -> Verdict:
        state, key = self.state, self.state.look(self.key, at)
        if key is None:
            return self._before_half_a_key(at, level)
        if state.awaits(key_of(key), level):
            return Verdict.CLOSES
        bare = key.lastindex == _BARE and not state.bare_keys
        if self.clean:
            return _either(not bare or state.keys is None)
        # A single quote before it has no partner; from the third on it is a dict in the string.
        return _either(state.keys is None and not bare and (self.paired or self.inner == 1))

    def _before_half_a_key(self, at: int, level: int) -> Verdict:
        state, key = self.state, self.state.look(_HALF_KEY, at)
        if key is not None and state.awaits(key[1], level):
            return Verdict.CLOSES
        if self.clean and (state.look(_BROKEN_KEY, at) or (level and _opens_sibling(state, at))):
            return Verdict.CLOSES
        if not self.clean or self.text[at] not in '{".,':
            return Verdict.INNER
        return _either(key is not None and state.keys is None)

    def _before_item(self, at: int) -> Verdict:
        state = self.state
        if self.text[at] in _begins_item:
            return _either(self.paired)
        if state.look(_SCALAR, at):
            return _either(self.paired, Verdict.INNER)
        return _either(self.clean and state.look(_WORD, at) is not None, Verdict.INNER)

    def _before_comment(self, at: int, level: int) -> Verdict:
        """A comment, if its end is in sight; ``#`` and ``/`` are common inside strings too."""
        text, state = self.text, self.state
        if text[at] == "/" and state.here(at + 1) not in ("/", "*"):
            return Verdict.INNER
        ends = text.find("*/" if text.startswith("/*", at) else "\n", at, at + 300) >= 0
        if not ends and len(text) < at + 300 and not state.final:
            raise Wait
        if self.clean:
            return _either(ends)
        return Verdict.UNSURE if ends else Verdict.INNER

    def _before_colon(self, at: int, level: int) -> Verdict:
        """In a list, a key of the object around it: the list's own closer is missing."""
        in_list_of_member = not self.state.in_object() and self.state.in_object(1)
        return _either(self.clean and in_list_of_member, Verdict.INNER)

    def _after_nothing(self, at: int, level: int) -> Verdict:
        """No comma and no closer: the end only if a member follows as if there were a comma."""
        state, text = self.state, self.text
        if level and self.clean and _opens_again(state, at, level):
            return Verdict.CLOSES
        spaced = text[at - 1].isspace()
        fence = CLOSING_FENCE if level else _LAST_FENCE
        if self.clean and text[at - 1] == "\n" and state.look(fence, at):
            return Verdict.CLOSES
        if not state.in_object(level):
            follows = text[at] in _begins_item or state.look(_SCALAR, at)
            return _either(bool(self.clean and spaced and follows), Verdict.INNER)
        if state.dashed_keys and spaced and (dashed := state.look(_DASHED_KEY, at)):
            return _either(self.clean or state.awaits(dashed[1], level))
        key = state.look(KEY, at)
        if key is None or (key.lastindex == _BARE and not spaced):
            return Verdict.INNER
        if state.awaits(key_of(key), level):
            return Verdict.CLOSES
        if key.lastindex == _BARE or not spaced:
            return Verdict.UNSURE if self.clean else Verdict.INNER
        return _either(self.clean or (state.keys is None and self.paired))


def key_of(match: re.Match[str]) -> str:
    """The key that ``KEY`` matched, as written."""
    return match[match.lastindex or 0]


def _either(certain: bool, otherwise: Verdict = Verdict.UNSURE) -> Verdict:
    return Verdict.CLOSES if certain else otherwise


def _opens_sibling(state: State, at: int) -> bool:
    """Does an object with a known member begin here: the next in a list, a closer missing?"""
    if state.text[at] != "{" or state.keys is None:
        return False
    member = state.look(KEY, state.behind_space(at + 1))
    return member is not None and key_of(member) in state.keys


def _opens_again(state: State, at: int, level: int) -> bool:
    """Does an object begin here with a member that one of those just closed has as well?"""
    if state.text[at] != "{":
        return False
    member = state.look(KEY, state.behind_space(at + 1))
    closed = state.open[-level:]
    return member is not None and any(
        key_of(member) == each.key or key_of(member) in each.value for each in closed
    )


Judge.rules = {
    "": Judge._at_end,
    ",": Judge._after_comma,
    "，": Judge._after_comma,
    "}": Judge._after_closers,
    "]": Judge._after_closers,
    ")": Judge._after_closers,
    "/": Judge._before_comment,
    "#": Judge._before_comment,
    ":": Judge._before_colon,
}


# -- in a Python call -------------------------------------------------------------------------

#: An argument's name: an identifier, or nearly one.
KEYWORD = r"(?:[^\W\d]|\\{1,2}_)(?:[\w-]|\\{1,2}_){0,127}"
_PYTHON_KEY = Pattern(_ANY_KEY % (rf"{KEYWORD}|[\w.-]{{1,128}}", "[=:]"), re.VERBOSE)
# Behind a string without doubts: another one that it is joined to, or an expression, which is no
# value.
_PREFIXED = Pattern(r"""[rRbBuUfF]{1,2}["']""")
_COMPUTED = Pattern(r"""[+%]\s{0,8}(?:["'(]|[^\W\d])|\.[^\W\d]\w{0,40}\(""")
_CALL_AHEAD = Pattern(r"""[{"'`“‘\\\s]{0,80}[^\W\d][\w.:/\\-]{0,127}["'`”’]?[ \t]{0,3}\(""")
# Behind a quote that nobody escaped, closers that nothing opened and another quote that touches
# them go on with the code in the string: 'f("g('x'))")'.
_CODE_GOES_ON = Pattern(r"""\)[\])};]{0,8}\\?["']""")


class PythonJudge(Judge):
    """The same in a call's parentheses; *around* is the quote around it, *in_list* if a list is."""

    __slots__ = ("around", "in_list")

    key = _PYTHON_KEY

    def __init__(self, state: State, around: str, in_list: bool) -> None:
        super().__init__(state)
        self.around, self.in_list = around, in_list

    def ends(self, after: int, inner: int) -> bool:
        """Does the quote end its string? What was told of it cannot be taken back."""
        verdict = self.verdict(after, inner)
        return verdict is Verdict.CLOSES or (verdict is Verdict.UNSURE and self.clean)

    def _after_comma(self, at: int, level: int) -> Verdict:
        """Where no key stands before the string, other items may follow: arguments, or a set."""
        state, bracket = self.state, self.state.open[-1 - level]
        follower = state.behind_space(at + 1)
        if not isinstance(bracket.value, dict) or bracket.key is not None:
            return super()._after_comma(at, level)
        here = state.here(follower)
        if bracket.closer == "}" and not level and (bracket.value or not self.clean):
            return Verdict.INNER  # it is a key
        if not here or here in "*#" or here in _closers or state.look(self.key, follower):
            return Verdict.CLOSES
        return self._before_item(follower)

    def _before_member(self, at: int, level: int) -> Verdict:
        begins = self.text[at] == "*" or (self.clean and self.text[at] in "\"',")
        return Verdict.CLOSES if begins else super()._before_member(at, level)

    def _after_mismatch(self, at: int) -> Verdict:
        return _either(self.clean, Verdict.INNER)

    def _before_colon(self, at: int, level: int) -> Verdict:
        bracket = self.state.open[-1]
        takes_key = bracket.key is None and isinstance(bracket.value, dict)
        return _either(takes_key and not self.state.stands("==", at), Verdict.INNER)

    def _after_nothing(self, at: int, level: int) -> Verdict:
        state, spaced = self.state, self.text[at - 1].isspace()
        if level:  # text that touches the last bracket goes on with the string
            return _either(spaced and not self.in_list, Verdict.INNER)
        key = state.look(self.key, at) if spaced and len(state.open) == 1 else None
        if key and state.awaits(key_of(key)):
            return Verdict.CLOSES
        if self.text[at] in QUOTES:
            return _either(self.clean and (spaced or self.text[at] in "\"'"), Verdict.INNER)
        goes_on = state.look(_COMPUTED, at) or (spaced and state.look(_PREFIXED, at))
        return _either(self.clean and bool(goes_on), Verdict.INNER)

    def _after_everything(self, at: int) -> Verdict:
        """The call is closed, too: the next call, the end of the list, or the text around."""
        state, char = self.state, self.text[at]
        if self.around and char == self.around[-1]:
            return Verdict.CLOSES
        if char == ")" and not self.clean:
            code = state.look(_CODE_GOES_ON, at)
            return _either(code is None or code[0][-1] == self.around[-1:], Verdict.INNER)
        if char in "]);}" or (self.clean and char not in QUOTES and char not in "”’"):
            return Verdict.CLOSES
        if char == ",":
            return _either(state.look(_CALL_AHEAD, at + 1) is not None, Verdict.INNER)
        return _either(self.text[at - 1].isspace() and not self.in_list, Verdict.INNER)


PythonJudge.rules = {
    **Judge.rules,
    ",": PythonJudge._after_comma,
    ":": PythonJudge._before_colon,
    "=": PythonJudge._before_colon,
    "/": PythonJudge._after_nothing,
}
