"""Names: which are tools on offer, and where one stands before the arguments of its call.

Reading only needs to tell a tool's name from other words; mending a name is for the check
that comes after (`tools/check.py`). So names are compared without case and separators.

Where the name is no member of the JSON, formats differ in what they put around it: special tokens
(``function<｜tool▁sep｜>get_weather``), an index (``functions.get_weather:0``), an id
(``get_weather[CALL_ID]abc[ARGS]``), a fence. All of them are read; a model that was asked for one
may write another.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import dataclass
from functools import cached_property, lru_cache

from ...tools.spec import ToolOffer, ToolSpec
from ..markers import MORE
from ..patterns import Pattern
from ..source import Pull, Source

#: No model was seen to write more between a marker and the arguments.
_LONGEST = 400
_TOKEN = r"<[|｜](?!tool_arg:)[^<>]{1,60}[|｜]>"  # but for one that begins an argument
#: A special token, as text.
TOKEN = Pattern(_TOKEN)
_TOKENS = rf"{_TOKEN}|\[ARGS\]"
#: The tokens that stand between a name and its arguments.
TOKENS = re.compile(_TOKENS)
_BEFORE = Pattern(
    rf"\s{{1,80}}+|{_TOKEN}|function(?=\s{{0,4}}<[|｜])|call:|[\"'`]|\[(?=\w)", re.IGNORECASE
)
_NAME = Pattern(
    r"(?:functions\.)?([^\W\d](?:[\w.\-/]|\\_){0,127})(:\d{1,9}|: \d{1,9}(?= ?<[|｜]))?"
)
_ID = Pattern(r"\[CALL_ID\]([\w-]{0,64})")
_INPUT = r"(?:[-*#]{1,4} ?){0,2}\b(?:Action[ _]?)?Input(?: \d{1,2})? ?(?:\*\*)?[:：](?:\*\*)?"
#: The label before the arguments, where lines are labelled.
INPUT = re.compile(_INPUT, re.IGNORECASE)
#: What a model remarks on its choice, between a tool's name and that label.
COMMENT = rf"\([^()\n]{{0,200}}+\)(?=\s{{1,8}}+{_INPUT})"
# What stands between a name and its arguments, piece by piece: ``<｜tool▁sep｜>``, ``[ARGS]``,
# ``Action Input:``, ``: ``, ``"``, ``id="call_1"``, ``json``.
_BETWEEN = Pattern(
    rf"\s{{1,80}}+|\\n(?=[\s<{{])|/?>|[\"'`=,]|:(?!\w)|{_TOKENS}|<tool_sep(?::\w{{1,40}})?>"
    rf"|{_INPUT}|\](?=\s{{0,8}}\n)|{COMMENT}"
    # Qwen 3 Coder closes a name as if it were an argument, where the head of its call is lost.
    r"|</parameter>(?=\s{0,8}<parameter=)"
    r"|\(\)(?=\s{0,80}+<[A-Za-z])|```\w{0,20}|(?:json|code)(?![\w.(])"
    r"|(?:(?<=[|｜]>)|(?<=[|｜]> ))(?:commentary|analysis)(?![\w.(])"
    r"|[A-Za-z][\w-]{0,30}=(?:\"[^\"<>]{0,200}\"|'[^'<>]{0,200}')",
    re.IGNORECASE,
)
_LEADING = Pattern(r"(?:\[\s{0,80}+)?\{\s{0,80}+[\"'“‘`]?+([A-Za-z_]{0,30}+)[^A-Za-z_]")


_NAME_INDEX_ID = (
    r"(?:functions\.)?([A-Za-z_][\w.-]{0,127})(:\d{1,9})?+(?:\[CALL_ID\]([\w-]{0,64}+))?+"
)
_LINE_OR_TOKEN = rf"[ \t]{{0,8}}+(?:\r?\n|{TOKENS.pattern})\s{{0,8}}+(?=\{{)"
#: A name before its arguments, with a line break between them, or what a model puts there:
#: ``f[CALL_ID]abc[ARGS]{…}``, ``functions.f:0 <|tool_call_argument_begin|>{…}``.
NAME_LINE = Pattern(_NAME_INDEX_ID + _LINE_OR_TOKEN)
#: The same, or with nothing between them: ``f{"a": 1}``, all that is left of a call of Mistral.
NAME_TOUCHED = Pattern(rf"{_NAME_INDEX_ID}(?:{_LINE_OR_TOKEN}|(?=\{{\s{{0,8}}+\"))")


@dataclass(frozen=True, slots=True)
class Head:
    """A name, the id beside it if there is one, and how long the text is up to behind them."""

    name: str
    id: str
    length: int


def read_head(source: Source) -> Pull[Head | None]:
    """The head that begins here, if one does; what follows it says if it was one."""
    reading = _head(ahead := Source())
    while True:
        # Beyond the longest head nothing is looked at, whatever has come of it.
        ahead.text = source.text[source.at : source.at + _LONGEST]
        ahead.final = source.final or len(ahead.text) == _LONGEST
        try:
            next(reading)
        except StopIteration as over:
            return over.value  # type: ignore[no-any-return]
        yield


def _head(source: Source) -> Pull[Head | None]:
    id = ""
    yield from _pass(source, _BEFORE)
    while named := (yield from source.take(_NAME)):
        name = named.group(1).replace("\\_", "_").rstrip("/")
        given = yield from source.take(_ID)
        id = given.group(1) if given else named.group().replace(" ", "") if named.group(2) else id
        between = (yield from _pass(source, _BETWEEN)).replace("｜", "|")
        if "name" not in between or "|" not in between or not (yield from source.match(_NAME)):
            return Head(name, id, source.at)
        id = name  # a token says that the name comes only now: this was the id before it
    return None


def _pass(source: Source, pattern: Pattern) -> Pull[str]:
    start = source.at
    while (yield from source.take(pattern)):
        pass
    return source.text[start : source.at]


def leading_key(text: str, at: int, final: bool) -> str | int:
    """The first member of the object, or of the first object in the list, that begins at *at*.

    Empty where there is none; MORE where more text has to come first.
    """
    lead = _LEADING.match(text, at)
    if lead is not None:  # and what stands behind its last character cannot change it
        return str(lead.group(1))
    return MORE if not final and _LEADING.may_change(text, at) else ""


#: What some models put before every name: OpenAI's and Gemini's, without separators.
_PREFIXES = ("functions", "defaultapi")
_SEPARATORS = re.compile(r"[\W_]+")


@lru_cache(maxsize=4096)  # the same few names, once for every reply
def _folded(name: str) -> str:
    return _SEPARATORS.sub("", name[:256]).lower()


class Offered:
    """The tools of one offer, by name."""

    def __init__(self, offer: ToolOffer) -> None:
        self._offer = offer
        self.any = bool(offer.tools)

    # Made when they are asked for: many a reply asks for none, and may have an offer of its own.

    @cached_property
    def _tools(self) -> dict[str, ToolSpec]:
        return {_folded(tool.name): tool for tool in self._offer.tools}

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names as they are offered."""
        return tuple(tool.name for tool in self._offer.tools)

    @cached_property
    def _named(self) -> frozenset[str]:
        return frozenset(self.names)

    @cached_property
    def _sorted(self) -> list[str]:
        return sorted(self._tools)

    @cached_property
    def _tags(self) -> dict[str, str]:
        return {name.lower(): name for name in self.names}

    @cached_property
    def _tag_starts(self) -> frozenset[str]:
        return frozenset(name[:size] for name in self._tags for size in range(3))

    @property
    def folded(self) -> frozenset[str]:
        """The names without case and separators, as they are compared."""
        return frozenset(self._tools)

    def get(self, name: str) -> ToolSpec | None:
        """The tool that goes by *name*, give or take its spelling."""
        folded = _folded(self.own(name))
        tool = self._tools.get(folded)
        for prefix in _PREFIXES:
            if tool is None and folded.startswith(prefix):
                tool = self._tools.get(folded.removeprefix(prefix))
        return tool

    def own(self, name: str) -> str:
        """*name*, but ``get_weather`` for ``get_weather.get_weather`` and ``get_weather.call``.

        So Muse Glimmer writes it, behind its namespace, which is its name if it has none; and so
        Llama 3 writes the tools that it was trained with. ``get_weatherget_weather`` comes from
        streams that tell a name twice.
        """
        space, _, rest = name.partition(".")
        if name in self._named:
            return name
        if rest == "call" and space in self._named:
            return space
        if rest in self._named and rest.partition(".")[0] == space:
            return rest
        half = name[: len(name) // 2]
        return half if half in self._named and half * 2 == name else name

    def knows(self, name: str) -> bool:
        """Is this the name of an offered tool? True for any name where nothing is offered."""
        return not self.any or self.get(name) is not None

    def has(self, name: str) -> bool:
        """The same, but no name is one where nothing is offered."""
        return self.get(name) is not None

    def only_with(self, key: str) -> str:
        """The only tool on offer, or the only one with an argument *key*; empty if none is that."""
        tools = self._offer.tools
        fit = tools if len(tools) == 1 else [tool for tool in tools if key in tool.properties]
        return fit[0].name if len(fit) == 1 else ""

    def may_know(self, begun: str) -> bool:
        """May *begun* be the beginning of a name that is known?"""
        folded = _folded(begun)
        if not self.any or folded.startswith(_PREFIXES):
            return True
        if any(prefix.startswith(folded) for prefix in _PREFIXES):
            return True
        after = bisect_left(self._sorted, folded)
        return after < len(self._sorted) and self._sorted[after].startswith(folded)

    def tag(self, name: str) -> str:
        """The tool that an element called *name* stands for; empty if there is none."""
        return self._tags.get(name.replace("\\_", "_").partition(":")[0].lower(), "")

    def begins_tag(self, name: str) -> bool:
        """May *name* be the beginning of an element that is called like a tool?"""
        begun = name.replace("\\_", "_").rstrip("\\").partition(":")[0].lower()
        return begun[:2] in self._tag_starts and any(tag.startswith(begun) for tag in self._tags)

    def keys(self, name: str | None) -> frozenset[str] | None:
        """The argument names of that tool, if it takes no others."""
        tool = self.get(name) if name else None
        return frozenset(tool.properties) if tool is not None and tool.properties else None


class _Latest:
    """What was made of the last offers, which have some thousand tools between them.

    By identity, since comparing offers takes longer than making one of these. Each holds its offer,
    so that no other offer can have its number meanwhile.
    """

    def __init__(self) -> None:
        self._made: dict[int, tuple[ToolOffer, Offered]] = {}
        self._tools = 0

    def __call__(self, offer: ToolOffer) -> Offered:
        """The tools of *offer*: made once, however many replies are read under it."""
        known = self._made.get(id(offer))
        if known is not None and known[0] is offer:
            return known[1]
        self._tools += 1 + len(offer.tools)
        if self._tools > _MOST_TOOLS:
            self._made, self._tools = {}, 1 + len(offer.tools)
        made = Offered(offer)
        self._made[id(offer)] = (offer, made)
        return made


_MOST_TOOLS = 4096
offered = _Latest()
