"""What a request comes to: an answer of the model's, one that is there, or the backend's own.

Decides by path, headers and body, and waits for nothing; :mod:`.sync` and :mod:`.asynchronous` do
what it says.
"""

from __future__ import annotations

import json
import re
import secrets
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from functools import partial
from threading import Lock
from typing import Any
from urllib.parse import parse_qsl, unquote

from ...endpoints.apis.asked import ApiFault, Asked, BadRequest
from ...endpoints.apis.listing import Model
from ...endpoints.apis.ollama.server import OllamaApi
from ...endpoints.apis.openai_responses.answer import ResponsesAsked
from ...endpoints.apis.served import APIS, GOOGLE, api_at, check_stops
from ...endpoints.apis.serving.api import Api, Stamp
from ...endpoints.apis.serving.content import Sees, blind
from ...endpoints.apis.serving.estimate import estimated
from ...protocol.errors import UsageError
from ...protocol.paradigms import ToolContextDef
from ..bridge.admission import check_messages, read_model, read_object, sent_keys
from ..bridge.answers import Answers
from ..bridge.entry import Bridge
from ..bridge.lookups import OLLAMA_VERSION, Lookup, lookup, shown_by_ollama
from ..bridge.prompting import first_request
from ..bridge.taught import natively, taught
from ..bridge.terms import ModelTerms
from .answering import Answering, ReadyResponse, refused
from .backend import Backend

__all__ = ["Arrived", "Desk", "HandOn", "Looking", "Plan"]

#: Bytes of responses that are kept for clients that come back to them by their ids.
_REMEMBERED = 64 * 1024 * 1024
_TOOL_FIELDS = ("tools", "tool_choice", "parallel_tool_calls", "functions", "function_call")
_COUNTED: dict[str, tuple[Api, Callable[[int], dict[str, Any]]]] = {
    "/v1/messages/count_tokens": (APIS["/v1/messages"], lambda count: {"input_tokens": count}),
    "/v1/responses/input_tokens": (
        APIS["/v1/responses"],
        lambda count: {"object": "response.input_tokens", "input_tokens": count},
    ),
}
_GOOGLE = re.compile(r"/v1(?:beta)?/models/(.+):([a-z]+[A-Z][A-Za-z]*)\Z")
_RESPONSE = re.compile(r"/v1/responses/([^/]+)(/input_items)?\Z")


@dataclass(frozen=True, slots=True)
class Arrived:
    """A request of a client: *headers* have names in lower case, *body* comes with a POST."""

    method: str
    path: str
    query: str
    headers: Mapping[str, str]
    body: bytes = b""

    @property
    def key(self) -> str | None:
        """The key that came with it."""
        return next(sent_keys(self.headers, self.path, self.query), None)


@dataclass(frozen=True, slots=True)
class HandOn:
    """The request goes to the backend's *path*, with *content* in place of its body, if any."""

    path: str
    content: bytes | None = None


@dataclass(frozen=True, slots=True)
class Looking:
    """The backend's list of models at *path* is to be asked for, to find *wanted* in it."""

    path: str
    wanted: Lookup
    sees: Callable[[str], bool]

    def otherwise(self) -> list[Model] | None:
        """The models to go by if the backend has no list: the one that is asked for, if any."""
        name = self.wanted.name
        return None if name is None else [Model(name, sees=self.sees(name))]


Plan = ReadyResponse | HandOn | Looking | Answering


@dataclass(slots=True)
class Desk:
    """Decides for *backend*; *models* maps names or patterns to terms, *default* is for others."""

    backend: Backend
    default: ModelTerms
    models: Mapping[str, ModelTerms] = field(default_factory=dict)
    _answers: Answers = field(default_factory=lambda: Answers(_REMEMBERED))
    _lock: Lock = field(default_factory=Lock)

    def reads(self, method: str, path: str) -> bool:
        """Whether the body of a request matters here; otherwise it need not be read."""
        return method == "POST" and (
            path in APIS or path in _COUNTED or path == "/api/show" or bool(_GOOGLE.match(path))
        )

    def plan(self, arrived: Arrived) -> Plan:
        """What the request comes to."""
        try:
            return self._plan(arrived)
        except BadRequest as error:
            return refused(self.api(arrived), error.fault)
        except UsageError as error:
            fault = ApiFault(400, str(error), "invalid_value")
            return refused(self.api(arrived), fault)

    def api(self, arrived: Arrived) -> Api:
        """The API that the client speaks."""
        return APIS.get(arrived.path) or api_at(arrived.path)

    def terms(self, model: str) -> ModelTerms:
        """How *model* is treated."""
        named = (terms for name, terms in self.models.items() if fnmatchcase(model, name))
        return next(named, self.default)

    def _plan(self, arrived: Arrived) -> Plan:
        path, is_post = arrived.path, arrived.method == "POST"
        if is_post and path in APIS:
            return self._asked(APIS[path], read_object(arrived.body), arrived)
        if is_post and path in _COUNTED:
            return self._counted(*_COUNTED[path], read_object(arrived.body), arrived)
        if is_post and (method := _GOOGLE.match(path)):
            return self._google(method, arrived)
        if is_post and path == "/api/show" and self.backend.dialect.name != "ollama":
            return self._look(shown_by_ollama(_name(read_object(arrived.body))))
        if not is_post and (kept := _RESPONSE.match(path)):
            return self._remembered(kept, arrived)
        return self._looked_up(arrived) or self._handed_on(arrived)

    # -- what the model answers -----------------------------------------------------------

    def _asked(self, api: Api, values: dict[str, Any], arrived: Arrived) -> Plan:
        model = read_model(values)
        only_loads = isinstance(api, OllamaApi) and api.only_loads(values)
        # What has a path of its own, a prompt of Ollama's, has no messages.
        if api.dialect is not None and api.backend_path is None and not only_loads:
            check_messages(values)
        if self._passes(api, values):
            own = api.backend_path or self.backend.dialect.path
            return HandOn(own, _content(arrived.body, values))
        if isinstance(api, OllamaApi) and only_loads:
            return ReadyResponse.of(api.loaded(model, _stamp()))
        asked = self._read(api, values, arrived.key)
        terms = self.terms(model)
        paradigm: ToolContextDef = taught(model, terms)
        if self.backend.offers_tools(model, terms.native):
            paradigm = natively(paradigm)
        bridge = Bridge(paradigm, replace(terms, native=terms.native or self.backend.native))
        exchanges = [bridge.exchange(asked) for _ in range(asked.choices)]
        return Answering(api, asked, exchanges, _stamp(), model, arrived.key)

    def _passes(self, api: Api, values: Mapping[str, Any]) -> bool:
        same = self.backend.url is not None and self.backend.dialect.name == api.dialect
        return same and not api.is_about_tools(values)

    def _read(self, api: Api, values: Mapping[str, Any], key: str | None) -> Asked:
        model, dialect = read_model(values), self.backend.dialect
        sees: Sees = dialect.takes if self.terms(model).vision else blind
        with self._lock:
            if api.name == "openai_responses":
                values = self._answers.recalled(values, key)
            asked = self._answers.remembering(api.read(values, sees), values, key)
        if isinstance(asked, ResponsesAsked) and asked.keep is not None:
            asked = replace(asked, keep=partial(self._keep, asked.keep))
        if self.backend.url is None:
            return asked
        check_stops(asked, dialect.name)
        own = asked.own if dialect.name == api.dialect else {}
        return replace(asked, params={**dialect.spoken_params(asked.params), **own})

    def _keep(self, keep: Callable[[Any], None], response: Mapping[str, Any]) -> None:
        with self._lock:
            keep(response)

    def _google(self, method: re.Match[str], arrived: Arrived) -> Plan:
        model, verb = unquote(method[1]), method[2]
        streams = verb == "streamGenerateContent"
        values = {**read_object(arrived.body), "model": model, "stream": streams}
        sse = not streams or dict(parse_qsl(arrived.query)).get("alt") == "sse"
        if verb in ("generateContent", "streamGenerateContent"):
            return self._asked(GOOGLE[sse], values, arrived)
        if verb == "countTokens":
            return self._counted(
                GOOGLE[True], lambda count: {"totalTokens": count}, values, arrived
            )
        return _unserved(arrived)

    def _counted(
        self,
        api: Api,
        told: Callable[[int], dict[str, Any]],
        values: Mapping[str, Any],
        arrived: Arrived,
    ) -> Plan:
        if self._passes(api, values):
            return HandOn(arrived.path.removeprefix("/v1"))
        model = read_model(values)
        request = first_request(api.read(values), taught(model, self.terms(model)))
        return ReadyResponse.of(told(estimated(request.messages)))

    def _remembered(self, kept: re.Match[str], arrived: Arrived) -> Plan:
        id, wants_items = kept[1], bool(kept[2])
        with self._lock:
            if arrived.method == "DELETE":
                self._answers.forget(id, arrived.key)
                return ReadyResponse.of({"id": id, "object": "response.deleted", "deleted": True})
            if not wants_items:
                return ReadyResponse.of(self._answers.response(id, arrived.key))
            said = list(self._answers.said_before(id, arrived.key))
        if dict(parse_qsl(arrived.query)).get("order") != "asc":
            said.reverse()
        ends = {"first_id": said[0]["id"], "last_id": said[-1]["id"]} if said else {}
        return ReadyResponse.of({"object": "list", "data": said, "has_more": False, **ends})

    # -- all else -------------------------------------------------------------------------

    def _looked_up(self, arrived: Arrived) -> Plan | None:
        is_ollama = self.backend.url is not None and self.backend.dialect.name == "ollama"
        if arrived.method != "GET":
            return None
        if is_ollama and arrived.path in ("/api/ps", "/api/version"):
            return None
        if arrived.path == "/api/version":
            return ReadyResponse.of({"version": OLLAMA_VERSION})
        if arrived.path == "/":
            return ReadyResponse(b"Ollama is running", headers={"content-type": "text/plain"})
        found = lookup(arrived.path, arrived.headers, dict(parse_qsl(arrived.query)))
        return None if found is None else self._look(found)

    def _look(self, wanted: Lookup) -> Plan:
        def sees(name: str) -> bool:
            return self.terms(name).vision

        if self.backend.url is not None:
            path = "/api/tags" if self.backend.dialect.name == "ollama" else "/v1/models"
            return Looking(path, wanted, sees)
        name = wanted.name or getattr(self.backend.endpoint, "model", None) or "model"
        return ReadyResponse.of(wanted.answer([Model(name, sees=sees(name))]))

    def _handed_on(self, arrived: Arrived) -> Plan:
        is_anthropic = "anthropic-version" in arrived.headers
        if self.backend.url is None or not self.backend.speaks(arrived.path, is_anthropic):
            return _unserved(arrived)
        return HandOn(arrived.path)


def _unserved(arrived: Arrived) -> ReadyResponse:
    told = f"{arrived.method} {arrived.path[:80]} is not served here"
    return refused(api_at(arrived.path), ApiFault(404, told, "not_found"))


def _name(values: Mapping[str, Any]) -> str:
    name = values.get("model") or values.get("name")
    if not isinstance(name, str):
        raise BadRequest("model is required", "model")
    return name


def _content(body: bytes, values: Mapping[str, Any]) -> bytes | None:
    """*body* without fields about tools that say nothing: a backend without tools refuses them."""
    idle = [name for name in _TOOL_FIELDS if name in values]
    if not idle:
        return body
    return json.dumps({key: value for key, value in values.items() if key not in idle}).encode()


def _stamp() -> Stamp:
    return Stamp(secrets.token_hex(12), int(time.time()))
