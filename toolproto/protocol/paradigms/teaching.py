"""How a model is taught to call tools: a value of parts, and the words they make.

What a model is told: how a call is written; when to call and when not to; that results come from
outside; what this request demands; an example; and the tools, in the style it is to see them in.
In which order, with which examples and in which style decides more than how its reply is read.

The presets are what was measured best with Qwen2.5-Coder on 2,008 requests of BFCL, `json_strict`,
greedy (calls right / held back where no tool fits, in per cent):

=============================================  ===========  ===========
way of asking                                  1.5 B        0.5 B
=============================================  ===========  ===========
``balanced``                                   75.4 / 74.9  47.8 / 75.1
``reticent``: an example without a call        74.7 / 76.9  40.8 / 83.1
``eager``: only tools that are not on offer    75.9 / 60.9  51.8 / 66.1
``classic``: tools first, as literal forms     73.2 / 59.2  43.9 / 63.5
a plain "answer with a JSON array"             77.7 / 49.4  53.9 / 46.3
balanced, as literal forms                     74.9 / 70.0  48.6 / 77.3
balanced, as JSON Schema                       74.1 / 70.4  45.8 / 72.7
balanced, both examples with offered tools     74.7 / 68.0  48.4 / 70.8
balanced, no form of a call behind the tools   74.0 / 75.9  42.1 / 80.2
balanced, "write values as described"          75.0 / 77.8  47.6 / 74.7
balanced, an empty list where no tool fits     74.5 / 75.5  47.4 / 75.5
balanced, a tool for "no tool fits"            75.0 / 69.0  48.7 / 69.8
=============================================  ===========  ===========

A second run asked the smaller model on all requests, with examples in better words (``balanced``
there: 48.5 / 75.1, the array prompt 54.0 / 46.3):

===================================================  ===========
``brief``: only the example of two calls             51.1 / 73.7
balanced, as literal forms                           48.4 / 76.3
… with only the example of two calls                 49.5 / 77.8
… with optional arguments in the forms               49.7 / 76.7
… with an example of three calls                     47.8 / 77.1
… with the form of two calls last                    46.8 / 72.7
… with the example of two calls behind the tools     44.9 / 83.9
a list without a member around it, as ``brief``      48.4 / 80.6
balanced, the form of two calls last                 49.7 / 72.4
balanced, with a nonce (half of the requests)        48.2 / 76.8
===================================================  ===========

A third run asked both models with this wording, on all requests. By half of those the presets
had been chosen, by the other half `xml_tag`; each half had no part in the other choice:

=============================================  ===========  ===========
way of asking                                  1.5 B        0.5 B
=============================================  ===========  ===========
`json_strict`, ``balanced``                    75.8 / 74.3  48.6 / 75.5
`json_strict`, ``brief``                       74.6 / 72.4  50.6 / 74.5
`json_strict`, ``eager``                       76.7 / 62.2  51.6 / 67.3
`xml_tag`, ``balanced``                        76.7 / 71.8  45.3 / 81.0
`xml_tag`, ``brief``                           76.4 / 64.5  51.7 / 80.2
a plain "answer with a JSON array"             77.5 / 49.6  54.0 / 46.1
… and "if none of the tools does what …"       not asked    51.7 / 58.2
``brief``, the form of two calls last          73.9 / 68.8  49.9 / 67.3
``brief``, an example of three calls           74.4 / 74.1  49.3 / 74.3
``brief``, "for three cities, three calls"     74.9 / 70.8  50.3 / 73.9
a list without a member, three calls           76.6 / 72.0  48.9 / 80.4
… without an example                           not asked    42.9 / 71.2
=============================================  ===========  ===========

`hermes`, whose tags this family of models does not write by itself, was asked in other ways:

=============================================  ===========  ===========
``balanced`` (half of the requests)            60.5 / 86.9  40.2 / 84.4
``classic``                                    64.4 / 75.1  34.1 / 78.0
``classic`` with the example of two calls      63.9 / 80.0  39.5 / 86.5
``classic`` with only that example             67.5 / 71.8  35.3 / 90.8
``eager``                                      63.2 / 76.7  47.0 / 72.9
``balanced``, the tools first                  60.5 / 83.9  39.3 / 87.3
``balanced``, each call on one line            52.2 / 86.9  31.1 / 86.5
=============================================  ===========  ===========

Before that, what stands last was tried on half of the requests (balanced there: 47.2 / 74.7): a
list of calls in general words 47.3 / 76.3, the rules once more 33.9 / 77.1.

The intervals are ±2.2 and ±4 points. Rows of ``eager`` and of the two that are not ours come from
an earlier run; ``eager`` was asked on half of the requests.

A fourth run asked the smaller model in `xml_tag` with the reader of today, on all requests
(``brief`` there: 51.8 / 80.2, the array prompt 53.9 / 46.1):

===================================================  ===========
``exact``: ``brief`` and the next three together     53.1 / 80.4
… the tools by exactly their names                   52.0 / 80.0
… placeholders named after their arguments           52.1 / 80.4
… these two, without the plural                      52.6 / 80.4
these two, and an example of four calls              52.6 / 80.4
an example of three calls                            51.8 / 80.4
an example of four calls                             51.4 / 80.2
"one call for each, until none is left"              51.3 / 80.2
names, and a form of no tool in particular           41.3 / 83.7
the array's words, the tools last                    39.5 / 55.3
… and the example of two calls                       32.7 / 86.3
===================================================  ===========

On the 1,037 by which the first presets were chosen only (``brief`` 52.9 / 79.4, the array prompt
52.0 / 44.7): two calls of the same tool 51.0 / 79.4, "if a tool can do what is asked, call it"
52.6 / 79.1, no rule on when not to call 52.9 / 77.9, optional arguments not mentioned 52.6 / 79.4,
half of the rules 52.6 / 77.9, the tools first 46.6 / 82.6, as literal forms 52.0 / 76.7, as Python
50.3 / 79.1, as JSON Schema 48.2 / 78.7, the array's words with our form 51.1 / 49.4.

``stepwise`` was asked in `xml_tag` on 3,043 single requests (1.5 B: 71.1 / 75.1, ``balanced``
70.7 / 76.1), on the 971 that it was not developed on (78.6 / 71.3, the array prompt 79.2 / 50.6)
and on 1,762 that need a call (0.5 B: 42.3, ``brief`` 48.6). What it does in conversations of
several turns says docs/figures.md.

The last run asked both models 1,423 live requests that nothing was chosen by:

=============================================  ===========  ===========
`xml_tag`, ``stepwise``                        58.6 / 66.0  32.4 / 75.7
`xml_tag`, ``exact``                           59.4 / 60.5  33.0 / 73.3
`xml_tag`, ``stepwise`` and exact names        58.6 / 62.9  32.3 / 76.0
`xml_tag`, ``brief``                           57.8 / 64.9  32.5 / 74.1
a plain "answer with a JSON array"             59.9 / 50.0  26.4 / 43.5
=============================================  ===========  ===========
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from ..describe.base import Style
from ..describe.description import Description, Presentation, presented
from ..describe.forms import literal_form
from ..describe.requests import example_request
from ..describe.samples import example_call
from ..describe.styles import get_style
from ..errors import UsageError
from ..messages import ToolCall
from ..tools.spec import ToolOffer

__all__ = [
    "BALANCED",
    "CLASSIC",
    "PRESETS",
    "Teaching",
    "WriteCalls",
    "taught_before",
    "teach",
    "teaching_of",
]

#: Writes calls as the model is to write them in one reply.
WriteCalls = Callable[[Sequence[ToolCall]], str]


@dataclass(frozen=True, slots=True)
class Teaching:
    """What instructions are made of.

    *order* is whether the tools come behind the rules and the examples or before them: last, a
    model holds back ten to fifteen points better and calls as well. *example* is whether the
    first example calls an offered tool or one that is not on offer, or whether there is none.
    *pair* adds an example of two calls in one reply, *holding_back* one of a request that no tool
    can meet, *steps* one of calls that build on each other, and rules about that. *next_step* adds
    a line behind results that says how to go on, and not to give up at the first call that fails;
    `json_strict` then shows results in tags. *corrections* shows how a call that cannot be used
    should be written, and leaves out steps that led to nothing (:mod:`.retelling`). *new_tools*
    shows the call of a tool that comes late behind the request that it comes with.
    *worded_results* shows results behind words ("Result of get_weather: …"), for models that
    write the paradigm's own tags of results themselves. *closing* ends a list of more than twelve
    tools with the form of any call and with when to call, as the rules stand far above by then.
    *exact* asks for the listed tools by exactly their names, speaks of calls in the plural where
    the paradigm says how they are written, and names every placeholder after its argument. *style*
    is how tools are shown unless ``describe=`` says otherwise.
    """

    order: Literal["tools_last", "tools_first"] = "tools_last"
    example: Literal["offered", "notional", "none"] = "offered"
    pair: bool = True
    holding_back: bool = False
    steps: bool = False
    next_step: bool = False
    corrections: bool = False
    new_tools: bool = False
    worded_results: bool = False
    closing: bool = False
    exact: bool = False
    style: str | Style = "typescript"

    def __post_init__(self) -> None:
        for value, known in ((self.order, _ORDERS), (self.example, _EXAMPLES)):
            if value not in known:
                raise UsageError(f"expected one of {known}, got {value!r}")
        get_style(self.style)


_ORDERS = ("tools_last", "tools_first")
_EXAMPLES = ("offered", "notional", "none")
BALANCED = Teaching()
CLASSIC = Teaching(order="tools_first", pair=False, style="forms")
#: The ways of teaching that have a name.
PRESETS = {
    "balanced": BALANCED,
    "brief": Teaching(example="none"),
    "exact": Teaching(
        example="none",
        exact=True,
        next_step=True,
        corrections=True,
        new_tools=True,
        worded_results=True,
        closing=True,
    ),
    "eager": Teaching(example="notional"),
    "guided": Teaching(next_step=True),
    "stepwise": Teaching(next_step=True, steps=True, corrections=True, new_tools=True),
    "reticent": Teaching(holding_back=True),
    "classic": CLASSIC,
}


def teaching_of(value: str | Teaching) -> Teaching:
    """*value* as a :class:`Teaching`: itself, or the preset of that name."""
    if isinstance(value, Teaching):
        return value
    if value not in PRESETS:
        known = ", ".join(PRESETS)
        raise UsageError(f"no way of teaching is called {value!r}; use {known}, or a Teaching")
    return PRESETS[value]


# Examples of two calls with tools that are not on offer: what the calls of an example are for must
# be plain, and a tool of that name with other arguments would be taught wrongly.
_NOTIONAL = (
    (
        ToolCall("get_weather", {"city": "Oslo"}),
        "What is the current weather for Oslo?",
        (ToolCall("get_weather", {"city": "Rome"}), ToolCall("get_time", {"city": "Tokyo"})),
        "What is the weather in Rome, and what time is it in Tokyo?",
    ),
    (
        ToolCall("look_up_word", {"word": "fjord"}),
        "What does the word fjord mean?",
        (ToolCall("look_up_word", {"word": "fjord"}), ToolCall("count_days", {"month": "May"})),
        "What does the word fjord mean, and how many days has May?",
    ),
)
# An example of calls of which the second needs the result of the first. The results are told, not
# shown: where they stood as "The result is: {…}", a model wrote such lines itself in 5 % of turns.
_STEPS_REQUEST = "Wish Ann a happy birthday by mail."
_STEPS = (
    (
        ToolCall("find_person", {"name": "Ann"}),
        "and when the result tells you that her address is ann@example.org, you reply:",
    ),
    (
        ToolCall("send_mail", {"to": "ann@example.org", "text": "Happy birthday, Ann!"}),
        "and when the result tells you that it was sent, you reply:",
    ),
)
_STEPS_ANSWER = "I wished Ann a happy birthday."
_UNFIT = "Please sing me a song and post it to my blog."
_UNFIT_ANSWER = "I have no tool that can do that."


def teach(
    offer: ToolOffer,
    write: WriteCalls,
    *,
    how: str,
    teaching: str | Teaching = BALANCED,
    describe: str | Style | Presentation | None = None,
) -> str:
    """The instructions for *offer* in a paradigm that writes calls with *write*.

    *how* is the paradigm's own sentence on what a call looks like; *describe* says how the tools
    are shown, if not in the style of *teaching*. A style that shows no calls is followed by the
    form of one.
    """
    parts = teaching_of(teaching)
    shown = presented(parts.style if describe is None else describe).describe(
        offer, lambda call: write([call])
    )
    head = f"# Tools\n\nYou can use these tools. {how}"
    rules = "Rules:\n" + "\n".join(f"- {rule}" for rule in _rules(offer, parts, write))
    examples = [] if offer.choice == "none" else list(_examples(offer, parts, write))
    tools = [shown.text, *_behind_tools(offer, shown, write, parts)]
    if parts.order == "tools_first":
        return "\n\n".join([head, *tools, rules, *examples])
    return "\n\n".join([head, rules, *examples, "The tools:", *tools])


def taught_before(
    offer: ToolOffer, write: WriteCalls, how: str, teaching: Teaching, describe: Presentation
) -> str:
    """What :func:`teach` gives, made once: the same tools are offered in every request.

    Tools are known by identity; keeping them keeps their ids from being given to others.
    """
    tools = tuple(map(id, offer.tools))
    key = (tools, offer.choice, offer.parallel, write, how, teaching, describe)
    try:
        known = _taught.get(key)
    except TypeError:  # a style of somebody else's that cannot be looked up
        return teach(offer, write, how=how, teaching=teaching, describe=describe)
    if known is None:
        known = (offer, teach(offer, write, how=how, teaching=teaching, describe=describe))
        if len(_taught) >= _MOST_TAUGHT:
            _taught.clear()
        _taught[key] = known
    return known[1]


_MOST_TAUGHT = 64
_taught: dict[tuple[object, ...], tuple[ToolOffer, str]] = {}


# A list of more tools is too long for its reader to remember what stands above it. With 15 to 39
# tools the model of half a billion parameters got 8.1 of 100 turns right with a closing and 7.1
# without; with up to four tools, the form of no tool in particular cost it 11 points of calls.
_LONG_LIST = 12
_ANY_CALL = ToolCall("some_tool", {"some_argument": "<value>"})


def _behind_tools(
    offer: ToolOffer, shown: Description, write: WriteCalls, teaching: Teaching
) -> Iterator[str]:
    """What the list of tools ends with."""
    closed = (
        teaching.closing
        and teaching.order == "tools_last"
        and offer.choice == "auto"
        and len(offer.tools) > _LONG_LIST
    )
    if offer.tools and not shown.shows_calls:
        yield (closed and _any_form(write)) or _form(offer, write, named=teaching.exact)
    if closed:
        what = "calls" if offer.parallel else "a call"
        yield f"If a tool is needed, reply only with {what}. Otherwise answer normally."


def _any_form(write: WriteCalls) -> str:
    """The form of a call of any tool, or nothing where placeholders would not be told from tags."""
    form = write([_ANY_CALL]).replace("some_tool", "<tool>").replace("some_argument", "<argument>")
    told = "<value>" in form and "<<tool>" not in form and "<<argument>" not in form
    return f"Every call looks like this:\n{form}" if told else ""


def _form(offer: ToolOffer, write: WriteCalls, *, named: bool) -> str:
    """The form of a call, where the tools were shown without.

    Without it the model of half a billion parameters lost 6 points of calls, though it had seen
    two examples.
    """
    call = example_call(offer)
    tool = (call and offer.get(call.name)) or offer.tools[0]
    form = literal_form(tool, lambda call: write([call]), named=named)
    return f"A call of {tool.name} looks like this:\n{form}"


def _examples(offer: ToolOffer, teaching: Teaching, write: WriteCalls) -> Iterator[str]:
    one, request, two, both = _not_offered(offer)
    call = example_call(offer)
    # Of tools whose schemas say too little no call can be made up.
    if call is not None and teaching.example == "offered":
        yield _example("Example.", example_request(call, offer), write([call]))
    elif teaching != CLASSIC and teaching.example != "none":
        head = f"Example, with a tool {one.name} that you may not have."
        yield _example(head, request, write([one]))
    if teaching.pair and offer.parallel:
        yield _example("Example of two calls, with tools that you may not have.", both, write(two))
    if teaching.steps and not any(offer.get(call.name) for call, _ in _STEPS):
        head = "Example of calls that build on each other, with tools that you may not have."
        replies = [f"{write([call])}\n{told}" for call, told in _STEPS]
        yield _example(head, _STEPS_REQUEST, "\n".join([*replies, _STEPS_ANSWER]))
    if teaching.holding_back and offer.choice == "auto":
        yield _example("Example without a call.", _UNFIT, _UNFIT_ANSWER)


def _not_offered(offer: ToolOffer) -> tuple[ToolCall, str, tuple[ToolCall, ToolCall], str]:
    """The first of the notional examples none of whose tools is on offer."""
    free = (row for row in _NOTIONAL if not any(offer.get(call.name) for call in row[2]))
    return next(free, _NOTIONAL[0])


def _example(head: str, request: str, reply: str) -> str:
    return f"{head} To the request: {request}\nyou reply:\n{reply}"


def _rules(offer: ToolOffer, teaching: Teaching, write: WriteCalls) -> Iterator[str]:
    yield "Put real values where a <…> stands. Leave out optional arguments you do not need."
    if offer.choice == "none":
        yield "Do not call any tool in this reply. Answer in plain words."
        return
    yield _on_several(offer, teaching, write)
    yield "After your last call, stop. The results come in the next message; then go on."
    if teaching.steps:
        yield (
            "If the request takes several steps, do them one after the other, with calls, until all"
            " of it is done."
        )
        yield (
            "If a call needs a value that you do not know yet, make the call that finds it first,"
            " and wait for its result."
        )
    if teaching.exact:
        where = "below" if teaching.order == "tools_last" else "above"
        yield f"Use only the tools listed {where}, by exactly these names, with these arguments."
    yield "Never write a result yourself."
    if offer.choice == "auto":
        yield "If no tool is needed, answer in plain words without any call."
    elif offer.choice == "required":
        yield "This time you must call at least one tool."
    else:
        yield f"This time you must call {offer.choice}."


def _on_several(offer: ToolOffer, teaching: Teaching, write: WriteCalls) -> str:
    if not offer.parallel:
        return "Write at most one call in a reply."
    if not teaching.pair:
        return "To call several tools at once, write the calls one after the other."
    first, second = _NOTIONAL[0][2]
    apart = write([first, second]).startswith(write([first]))
    each = "write one call for each, one after the other" if apart else "list one call for each"
    return f"If the request asks for several things, {each}, all in one reply."
