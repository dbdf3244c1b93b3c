"""``toolproto chat``: a conversation at the terminal, or one turn of it in a pipe.

::

    repl.py       what to do with each line     piped.py        one turn, for programs
    view.py       events -> screen              json_events.py  events -> lines of JSON
    cards.py      calls and results             approval.py     who may run, asked of a person
    markdown_*    answers as they come          terminal.py     lines from a keyboard
    screen.py     everything that is shown      interrupts.py   what Ctrl-C means now

Nothing here knows of click, and only ``terminal.py`` and ``interrupts.py`` of a real terminal. What
a model or a tool said is made visible (``..visible``) before it is shown, and the screen makes sure
once more.
"""
