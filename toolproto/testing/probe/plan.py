"""What a probe asks: which arms, which cases, and in which order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any

from ...protocol.describe.styles import get_style
from ...protocol.errors import UsageError
from ...protocol.grammar.constraint import checked_mode
from ...protocol.messages import Message
from ...protocol.paradigms.base import ToolContextDef
from ...protocol.paradigms.registry import get_paradigm
from ...protocol.paradigms.teaching import teaching_of
from ...protocol.tools.spec import ToolOffer
from .arms import BASELINES, NATIVE, Arm, MakeParadigm
from .cases import Case, CaseKind, load_cases
from .trial import Trial

__all__ = ["PARADIGMS", "QUICK_PARADIGMS", "ProbePlan", "plan_probe"]

#: One of each family of forms: JSON, JSON in tags, Python, lines, and elements.
PARADIGMS = ("json_strict", "xml_tag", "hermes", "pythonic", "react", "qwen3_coder")
#: The same, for somebody in a hurry.
QUICK_PARADIGMS = ("json_strict", "xml_tag", "pythonic")
#: Of so many cases of a kind a quick probe asks one.
_QUICK_STEP = 3
_SYSTEM = "You are a helpful assistant."
_PARAMS: Mapping[str, Any] = {"temperature": 0, "max_tokens": 160}


@dataclass(frozen=True, slots=True)
class ProbePlan:
    """Each of *cases* is asked in the way of each of *arms*.

    *model* is what the model is called in reports. *system* stands before the instructions, and
    *params* go with every request, under the service's own names.
    """

    arms: tuple[Arm, ...]
    cases: tuple[Case, ...]
    model: str = "default"
    system: str = _SYSTEM
    params: Mapping[str, Any] = field(default_factory=lambda: dict(_PARAMS))
    constrain: str = "off"

    def trials(self) -> Iterator[Trial]:
        """What is to be asked, in order: all about one offer, arm by arm, then about the next.

        Neighbours share their system prompt, which services and llama.cpp then read but once; and
        wherever a budget ends, nearly the same has been asked in every arm.
        """
        made = {arm: arm.made() for arm in self.arms}
        for offered in dict.fromkeys(case.offered for case in self.cases):
            cases = [case for case in self.cases if case.offered == offered]
            for arm, paradigm in made.items():
                opening = self._opening(arm, paradigm, cases[0].offer)
                for case in cases:
                    trial = Trial(arm, case, paradigm, opening, self.model, self.params)
                    yield replace(trial, constrain=self.constrain)

    def _opening(self, arm: Arm, paradigm: ToolContextDef, offer: ToolOffer) -> tuple[Message, ...]:
        system = Message("system", paradigm.splice_system_prompt(self.system, offer))
        return (system, *(paradigm.examples(offer) if arm.examples else ()))


def plan_probe(
    model: str = "default",
    *,
    paradigms: Sequence[str] = (),
    describe: Sequence[str] = (),
    teaching: Sequence[str] = (),
    examples: Sequence[bool] = (True, False),
    kinds: Sequence[CaseKind] = (),
    quick: bool = False,
    baseline: bool = True,
    params: Mapping[str, Any] | None = None,
    make: MakeParadigm = get_paradigm,
    constrain: str = "off",
    native: str = "never",
) -> ProbePlan:
    """The plan of a probe of *model*; what is left out is chosen sensibly.

    *quick* asks a third of the requests, in three paradigms, with examples. *describe* are styles
    of showing the tools, and *teaching* presets of instructions; without them each paradigm has its
    own. *params* are added to temperature 0 and 160 tokens. *make* makes a paradigm from its name.
    *constrain* holds the model to the grammar of each arm where the endpoint can: ``auto``,
    ``calls`` or ``off``. With *native* ``auto`` the service's own tools are an arm beside the
    others, and with ``only`` the only one.
    """
    paradigms = paradigms or (QUICK_PARADIGMS if quick else PARADIGMS)
    styles = [get_style(style).name for style in describe] or [""]
    for preset in teaching:
        teaching_of(preset)
    shown = (True,) if quick else tuple(examples)
    ways = product(_named(paradigms, make), tuple(teaching) or ("",), styles, shown)
    arms = [
        Arm(name, style, with_examples, make, preset) for name, preset, style, with_examples in ways
    ]
    if native != "never":
        arms = [NATIVE] if native == "only" else [NATIVE, *arms]
    cases = [case for case in load_cases() if not kinds or case.kind in kinds]
    chosen = _thinned(cases) if quick else cases
    if not arms or not chosen:
        raise UsageError("there is nothing to ask; name at least a paradigm, a style and a kind")
    return ProbePlan(
        tuple(dict.fromkeys([*arms, *(BASELINES if baseline else ())])),
        tuple(chosen),
        model,
        params={**_PARAMS, **(params or {})},
        constrain=checked_mode(constrain),
    )


def _named(paradigms: Sequence[str], make: MakeParadigm) -> list[str]:
    """The paradigms by their own names; one in a file of the user's keeps the file's."""
    return [name if name.endswith(".py") else make(name).name for name in paradigms]


def _thinned(cases: Sequence[Case]) -> list[Case]:
    """Some of each kind."""
    kinds = dict.fromkeys(case.kind for case in cases)
    return [
        case
        for kind in kinds
        for case in [each for each in cases if each.kind is kind][::_QUICK_STEP]
    ]
