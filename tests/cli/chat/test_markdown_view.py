"""Answers as a terminal shows them."""

from __future__ import annotations

import pytest

from toolproto.cli.chat.markdown_view import answer
from toolproto.protocol.foreign_text import visible

from .hostile import HOSTILE, obeyed
from .people import Paper


def shown(text: str, width: int = 60) -> str:
    paper = Paper(width)
    paper.screen.show(answer(text))
    return paper.text.strip("\n")


DRAWN = [
    ("# Title\n\ntext", "Title\n\ntext"),
    ("**bold** and *thin*", "bold and thin"),
    ("- a\n- b", " • a\n • b"),
    ("3. c\n4. d", " 3 c\n 4 d"),
    ("```python\nx = 1\n\ny\n```", "  x = 1\n\n  y"),
    ("see [here](http://a.example/x)", "see here (http://a.example/x)"),
    ("![cat](http://a.example/c.png)", "!cat (http://a.example/c.png)"),
    ("a List<String> and <b>tag</b>", "a List<String> and <b>tag</b>"),
    ("<!-- hidden -->", "<!-- hidden -->"),
    ("[a]: http://hidden.example", "[a]: http://hidden.example"),
    ("[bold red]no markup[/]", "[bold red]no markup[/]"),
]


@pytest.mark.parametrize("text, seen", DRAWN)
def test_markdown_is_drawn_and_nothing_disappears(text, seen):
    assert shown(text) == seen


AROUND = ["{}", "# {}", "`{}`", "```\n{}\n```", "[{}](<{}>)", "| {} |\n|-|"]


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.parametrize("around", AROUND)
def test_nothing_in_an_answer_is_obeyed(text, around):
    assert obeyed(shown(visible(around.format(text, text)))) == []
    # And not even if somebody forgot to make it visible.
    assert obeyed(shown(around.format(text, text))) == []


def test_what_an_entity_hides_is_seen():
    assert shown("&#x202e;a &#13; &amp;") == "⟨U+202E⟩a ⟨U+000D⟩ &"


def test_an_unknown_language_is_no_harm():
    assert shown("```../../etc/passwd\nx\n```") == "  x"
