"""From what a person chose to a session that can be led so."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock
from typing import Any

from ..conversation.deciding.approvals import ApprovalRequest, Defer
from ..conversation.session import AsyncChatSession
from ..conversation.stores import Store
from ..conversation.toolsets import StoredFiles
from ..conversation.workspaces import Workspace
from ..protocol.errors import UsageError
from ..protocol.paradigms.base import ToolContextDef
from ..protocol.paradigms.recommendations import recommend
from ..protocol.paradigms.registry import get_paradigm
from ..protocol.paradigms.system_prompt import ToolContextBuilder
from ..protocol.tools.registry import ToolRegistry
from .choices import Choices
from .config import WebConfig
from .first_look import FirstLook
from .people import Person, own_workspace
from .seen import Seen, SeenEndpoint
from .tooling import brought, registry, worked_exchanges

__all__ = ["OpenedSession", "Opening", "model_name", "over_http", "paradigm_of"]


def model_name(choices: Choices, config: WebConfig) -> str:
    """What the model is called."""
    match choices.source:
        case "scripted":
            return "scripted"
        case "given":
            return choices.model or config.given_name
        case "local":
            return choices.model or "smollm2"
    return choices.model


def paradigm_of(choices: Choices, model: str) -> ToolContextDef:
    """The paradigm that was chosen, made as it was chosen; ``auto`` is what suits *model*."""
    wanted = {"describe": choices.describe, "teaching": choices.teaching}
    if choices.paradigm != "auto":
        return get_paradigm(choices.paradigm, **{k: v for k, v in wanted.items() if v})
    advice = recommend(model)
    usual = {"describe": advice.describe, "teaching": advice.teaching}
    told = {name: wanted[name] or usual[name] for name in wanted}
    return get_paradigm(advice.paradigm, **{k: v for k, v in told.items() if v})


@dataclass(frozen=True, slots=True)
class OpenedSession:
    """A session with what the page shows of it.

    *always* gives digests of the tools whose plain calls the page runs unasked.
    """

    session: AsyncChatSession
    choices: Choices
    tools: ToolRegistry
    group_of: dict[str, str]
    files: StoredFiles
    builder: ToolContextBuilder
    model: str
    always: Callable[[], Collection[str]] = tuple


def _is_small(choices: Choices) -> bool:
    # Those that run in this process do what they have seen done, not what they are told.
    return choices.source == "local"


def _wait(request: ApprovalRequest) -> Defer:
    """Whoever watches decides, whenever that is: until then the call waits in the store."""
    return Defer()


@dataclass(slots=True)
class Opening:
    """Makes sessions; endpoints that take long to make are made once."""

    config: WebConfig
    store: Store
    _made: dict[tuple[str, ...], Any] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)

    def open(
        self, id: str, person: Person, choices: Choices, seen: Seen, workspace: str = ""
    ) -> OpenedSession:
        """The session *id* of *person* in *workspace*, led as *choices* say; may take a while."""
        model = model_name(choices, self.config)
        paradigm = paradigm_of(choices, model)
        files = StoredFiles(self.store, f"web:{id}")
        place = self.config.workspace(workspace) if workspace else Workspace("")
        groups, sources = brought(place)
        tools, group_of = registry(
            files,
            (*self.config.groups, *groups),
            (*self.config.sources, *sources),
            choices.off,
        )
        builder = ToolContextBuilder(f"{place.system}\n\n{choices.system}".strip())
        session = AsyncChatSession(
            SeenEndpoint(self.endpoint(person, choices, paradigm), seen),
            paradigm,
            tools,
            system=builder,
            approver=_wait,
            policy=choices.policy,
            limits=choices.limits,
            params=choices.params,
            examples=worked_exchanges(tools) if _is_small(choices) else choices.examples,
            guard=choices.guard,
            constrain=choices.constrain,
            prices=self.config.prices,
            store=self.store,
            id=id,
            workspace=own_workspace(person.name),
        )
        return OpenedSession(session, choices, tools, group_of, files, builder, model)

    def endpoint(self, person: Person, choices: Choices, paradigm: ToolContextDef) -> Any:
        """Where the replies come from."""
        match choices.source:
            case "scripted":
                return FirstLook(paradigm)
            case "given":
                if self.config.given is None:
                    raise UsageError("the command line names no endpoint; choose another source")
                return self._once(("given",), self.config.given)
            case "local":
                from ..endpoints import LocalEndpoint

                model = self.local_model(choices)
                return self._once(("local", str(model)), lambda: LocalEndpoint(model))
        if not self.config.is_local:
            raise UsageError("on this server only the operator chooses the endpoint")
        return over_http(choices, self.key(person, choices))

    def local_model(self, choices: Choices) -> str | Path:
        """The model of this process that *choices* name.

        The person at this machine may name any file of it. Others name models that are installed,
        or that are in the folder of the operator's; UsageError for anything else.
        """
        from ..endpoints.local import named_model

        name = choices.model or "smollm2"
        return name if self.config.is_local else named_model(name, self.config.models)

    def key(self, person: Person, choices: Choices) -> str | None:
        """The key for the address of *choices*."""
        held = person.keys.get(choices.url)
        if held is None and choices.key_env and self.config.is_local:
            held = os.environ.get(choices.key_env)
        return held

    def _once(self, name: tuple[str, ...], make: Callable[[], Any]) -> Any:
        with self._lock:
            if name not in self._made:
                self._made[name] = make()
            return self._made[name]

    def close(self) -> None:
        """Give back what the endpoints hold."""
        for endpoint in self._made.values():
            if close := getattr(endpoint, "close", None):
                close()


def over_http(choices: Choices, key: str | None) -> Any:
    """The endpoint at the address of *choices*."""
    from ..endpoints import HttpEndpoint

    return HttpEndpoint(
        choices.url,
        model=choices.model or "default",
        dialect=choices.dialect,
        api_key=key,
        service=choices.service or None,
        native=choices.native,
    )
