"""The server as an ASGI application: which path is answered by whom."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from ..conversation.stores import open_store
from .access import Access
from .actions import Actions
from .asking import Field, Operation, answer_to, problem
from .config import WebConfig
from .files import FileActions
from .insight import Insight
from .openapi import described
from .page_files import page_routes
from .people import People
from .scratch import Scratch
from .sessions import Sessions
from .settings import SettingsActions
from .talks import Talks

__all__ = ["make_web_app", "operations"]

_ID = "/api/sessions/{id}"
_CALL = Field("string", "The id of the call that waits.", True)
_TURN = Field("integer", "The number of the turn.", True)
_PARADIGM = Field("string", "The name of a paradigm; the session's own if left out.")
_PATH = Field("string", "The path of the file.", True)
_REPLY = {
    "reply": Field("string", "What the model wrote.", True),
    "paradigm": Field("string", "The paradigm that reads the reply."),
    "tools": Field("string", "The tools on offer: JSON, a list as OpenAI writes it."),
}


def make_web_app(config: WebConfig) -> Starlette:
    """The application that serves as *config* says."""
    store = open_store(config.store)
    people = People(store, config)
    talks = Talks(config, store, people)
    access = Access(_nothing, config, people)
    table = operations(talks, access)

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        yield
        await talks.close()
        store.close()

    async def health(request: Request) -> Response:
        return JSONResponse({"status": "ok"})

    async def api(request: Request) -> Response:
        return JSONResponse(described(table))

    app = Starlette(
        routes=[
            Route("/api/health", health),
            Route("/api/openapi.json", api),
            *_routes(table),
            *page_routes(),
        ],
        middleware=[Middleware(Access, config=config, people=people)],
        lifespan=lifespan,
        exception_handlers={HTTPException: _unserved},
    )
    app.state.talks = talks
    return app


def operations(talks: Talks, access: Access) -> list[Operation]:
    """Everything that can be asked for."""
    return [
        *_entrance(access, SettingsActions(talks)),
        *_sessions(Sessions(talks)),
        *_doing(Actions(talks)),
        *_leading(SettingsActions(talks)),
        *_files(FileActions(talks)),
        *_looking(Insight(talks), Scratch(talks)),
    ]


def _entrance(access: Access, settings: SettingsActions) -> list[Operation]:
    key = {"key": Field("string", "Your key, or the token that the server printed.", True)}
    return [
        Operation("POST", "/api/signin", access.sign_in, "Sign in: sets a cookie.", key),
        Operation("POST", "/api/signout", access.sign_out, "Sign out: removes the cookie."),
        Operation("GET", "/api/about", settings.about, "Who you are, and what you can choose."),
    ]


def _sessions(sessions: Sessions) -> list[Operation]:
    page = {
        "search": Field("string", "Words in the title or the text."),
        "workspace": Field("string", "Only sessions of this workspace."),
        "limit": Field("integer", "How many."),
        "offset": Field("integer", "Behind how many."),
    }
    before = {"before": Field("integer", "Only turns before this one.")}
    after = {"after": Field("string", "The id of the last event that was seen.")}
    form = {"form": Field("string", "md or jsonl.")}
    title = Field("string", "The name of the session.")
    made = {
        "title": title,
        "reuse": Field("boolean", "Take an empty session, if there is one."),
        "workspace": Field("string", "The workspace to which it belongs."),
    }
    changes = {
        "title": title,
        "shared": Field("boolean", "Whether others may watch the session."),
    }
    return [
        Operation("GET", "/api/sessions", sessions.list, "List sessions.", query=page),
        Operation("POST", "/api/sessions", sessions.create, "Make a session.", made),
        Operation("GET", _ID, sessions.show, "A session and its last turns.", query=before),
        Operation("PATCH", _ID, sessions.change, "Name or share a session.", changes),
        Operation("DELETE", _ID, sessions.delete, "Delete a session with its files."),
        Operation("GET", f"{_ID}/export", sessions.export, "The conversation as text.", query=form),
        Operation("GET", f"{_ID}/events", sessions.events,
                  "What happens, as server-sent events.", query=after),
    ]  # fmt: skip


def _doing(actions: Actions) -> list[Operation]:
    arguments = Field("object", "Arguments that replace the model's.")
    send = {
        "text": Field("string", "What you say.", True),
        "beside": Field("integer", "The turn that it replaces; both are kept."),
        "after": Field("integer", "The turn behind which it begins."),
        "keep_following": Field("boolean", "Let the turns that stood there follow it."),
    }
    rerun = {
        "turn": _TURN,
        "keep_following": Field(
            "boolean", "Let the turns behind it follow; has to be said if there are any."
        ),
    }
    branch = {
        "turn": _TURN,
        "last": Field("boolean", "Continue at the end of its branch."),
    }
    approve = {
        "call": _CALL,
        "arguments": arguments,
        "always": Field("boolean", "Do not ask about this tool again in this session."),
        "vouched": Field("array", "Arguments whose values you vouch for."),
    }
    deny = {
        "call": _CALL,
        "reason": Field("string", "What the model is told."),
        "stop": Field("boolean", "End the turn."),
    }
    answer = {
        "call": _CALL,
        "content": Field("string", "The result.", True),
        "is_error": Field("boolean", "Whether it failed."),
        "arguments": arguments,
        "always": Field("boolean", "Let the page run this tool from now on without asking."),
    }
    return [
        Operation("POST", f"{_ID}/send", actions.send, "Say something.", send),
        Operation("POST", f"{_ID}/approve", actions.approve, "Run a call.", approve),
        Operation("POST", f"{_ID}/deny", actions.deny, "Do not run a call.", deny),
        Operation("POST", f"{_ID}/answer", actions.answer, "Give a call's result.", answer),
        Operation("POST", f"{_ID}/ignore", actions.ignore, "Leave a call out.", {"call": _CALL}),
        Operation("POST", f"{_ID}/cancel", actions.cancel, "Stop the turn that runs."),
        Operation("POST", f"{_ID}/rerun", actions.rerun, "Run a turn again.", rerun),
        Operation("POST", f"{_ID}/resume", actions.resume, "Continue a turn that broke off."),
        Operation("POST", f"{_ID}/branch", actions.branch, "Continue after a turn.", branch),
        Operation("POST", f"{_ID}/undo", actions.undo, "Restore the files that a turn changed.",
                  {"turn": _TURN}),
        Operation("POST", f"{_ID}/title", actions.title, "Let the model find a title."),
        Operation("GET", f"{_ID}/calls/{{call}}", actions.whole, "A whole call and its result."),
    ]  # fmt: skip


def _leading(settings: SettingsActions) -> list[Operation]:
    chosen = {"settings": Field("object", "The settings to change; a key is kept in memory.", True)}
    names = {"on": Field("array", "Tools to offer."), "off": Field("array", "Tools not to offer.")}
    where = {
        name: Field("string", f"The {name} of the service.")
        for name in ("source", "url", "dialect", "key", "key_env")
    }
    model = {"model": Field("string", "The name of a model.")}
    return [
        Operation("GET", "/api/settings", settings.show, "The settings of new sessions."),
        Operation(
            "POST", "/api/settings", settings.choose, "Change the settings of new sessions.", chosen
        ),
        Operation("GET", f"{_ID}/settings", settings.show, "The settings of a session."),
        Operation(
            "POST", f"{_ID}/settings", settings.choose, "Change the settings of a session.", chosen
        ),
        Operation("POST", "/api/models", settings.models, "The models at an address.", where),
        Operation(
            "GET", "/api/advice", settings.advice, "The paradigm that suits a model.", query=model
        ),
        Operation("GET", f"{_ID}/tools", settings.tools, "The tools of a session, in groups."),
        Operation("POST", f"{_ID}/tools", settings.switch, "Switch tools on or off.", names),
    ]


def _files(files: FileActions) -> list[Operation]:
    path = {"path": _PATH}
    return [
        Operation("GET", f"{_ID}/files", files.list, "The files of a session."),
        Operation("GET", f"{_ID}/file", files.read, "The bytes of a file.", query=path),
        Operation("PUT", f"{_ID}/file", files.write, "Write a file: the body is its content.",
                  None, path),
        Operation("DELETE", f"{_ID}/file", files.remove, "Delete a file.", query=path),
    ]  # fmt: skip


def _looking(insight: Insight, scratch: Scratch) -> list[Operation]:
    paradigm = {"paradigm": _PARADIGM}
    read = {
        **_REPLY,
        "finish_reason": Field("string", "Why the reply ended; 'length' if it was cut."),
    }
    save = {**_REPLY, "case": Field("string", "The name of the fixture.", True)}
    return [
        Operation("GET", f"{_ID}/seen", insight.list, "The requests that were made."),
        Operation("GET", f"{_ID}/seen/{{number}}", insight.show,
                  "A request, and how its reply is read.", query=paradigm),
        Operation("GET", f"{_ID}/prompt", insight.prompt,
                  "What the model would be told.", query=paradigm),
        Operation("POST", "/api/scratch/read", scratch.read, "How a reply is read.", read),
        Operation("POST", "/api/scratch/fixture", scratch.save, "Keep a fixture.", save),
    ]  # fmt: skip


def _routes(table: list[Operation]) -> list[BaseRoute]:
    return [Route(each.path, answer_to(each), methods=[each.method]) for each in table]


async def _unserved(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return problem(
        error.status_code, f"{request.method} {request.url.path[:80]} is not served here"
    )


async def _nothing(*scope: object) -> None:
    """Stands where the application will be: the entrance needs only what is before it."""
