"""The web page: a chat in which the person runs the tools.

::

    app.py      which path is answered by whom     asking.py      one request of the API
    run.py      starting, the address to open      config.py      what a server is started with
    access.py   who may talk to it, and as whom    people.py      what belongs to whom
    choices.py  how a session is led               opening.py     from choices to a session
    tooling.py  tools in groups                    first_look.py  a model that follows a script
    talk.py     one session while it is watched    talks.py       all of them
    events.py   what happens, for all viewers      telling.py     a session as JSON
    notes.py    values kept beside sessions        seen.py        what went to the model, and back
    sessions.py, actions.py, files.py, settings.py, insight.py, scratch.py   the API, by subject
    openapi.py  the API described                  page_files.py  what a browser may do
    page/       the page itself: plain modules, no build step

What happens goes out as server-sent events, the same JSON as ``toolproto chat --json``; what is
done comes in as plain requests. A call that a person has to decide about ends its turn: it waits in
the store, over reloads and restarts.
"""

from ..public_names import open_lazily

__getattr__, __dir__ = open_lazily(__name__)
