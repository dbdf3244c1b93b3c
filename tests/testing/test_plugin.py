"""The plugin as a whole: idle until it is used, and explained by ``pytest --help``."""

from __future__ import annotations

import subprocess
import sys

import pytest

from toolproto.testing import chunkings

pytest_plugins = ["pytester"]


def test_help_explains_the_options_in_a_group_of_their_own(project):
    lines = project.run("--help").stdout
    lines.fnmatch_lines(
        [
            "toolproto: paradigms of tool calling:",
            "  --toolproto-fixtures=FOLDER",
            "  --toolproto-laws=WHICH",
            "  --toolproto-paradigm=NAME",
            "  toolproto_fixtures *",
        ]
    )


def test_its_fixtures_are_listed_with_what_they_give(project):
    result = project.run("--fixtures")
    for name in ("paradigm", "offer", "chunkings", "scripted_endpoint"):
        result.stdout.fnmatch_lines([f"{name}*toolproto*plugin.py*"])


def test_loading_it_imports_nothing_of_the_package():
    program = (
        "import sys, toolproto.testing.plugin\n"
        "print([m for m in sys.modules if m.startswith(('toolproto.', 'syrupy', 'hypothesis'))])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert (
        done.stdout.strip()
        == "['toolproto.public_names', 'toolproto.testing', 'toolproto.testing.plugin']"
    )


def test_a_run_that_does_not_use_it_imports_nothing_either(project):
    project.pytester.makepyfile(
        """
import sys

def test_nothing():
    ours = [name for name in sys.modules if name.startswith("toolproto.testing")]
    assert ours == ["toolproto.testing", "toolproto.testing.plugin"]
"""
    )
    project.pytester.runpytest_subprocess("-p", "no:cacheprovider").assert_outcomes(passed=1)


def test_everything_works_under_xdist(project):
    for case in ("one", "two", "three"):
        project.reply(case=f"hermes/{case}")
    fixtures = ("--toolproto-fixtures", "fixtures")
    project.run(*fixtures, "--snapshot-update").assert_outcomes(passed=3)
    project.pytester.makepyfile("def test_stopping(paradigm): pass")
    result = project.pytester.runpytest_subprocess(
        *("-p", "no:cacheprovider", "-n2", "-k", "hermes or stopping"),
        *(*fixtures, "--toolproto-paradigm", "hermes", "--toolproto-laws", "xml_tag"),
    )
    result.assert_outcomes(passed=5)


def test_it_can_be_switched_off(project):
    project.pytester.makepyfile("def test_a(offer): pass")
    project.run("-p", "no:toolproto").assert_outcomes(errors=1)


USES = {
    "the offer has three tools": """
        def test(offer):
            assert sorted(offer.names) == ["get_weather", "now", "write_file"]
    """,
    "the offer of a class": """
        from toolproto import ToolOffer
        class TestIt:
            offer = ToolOffer(choice="none")
            def test(self, offer):
                assert offer.choice == "none"
    """,
    "ways to cut": """
        def test(chunkings):
            assert ["a<b>c"] in chunkings("a<b>c") and list("a<b>c") in chunkings("a<b>c")
    """,
    "an endpoint": """
        from toolproto import ChatSession
        def test(scripted_endpoint, offer):
            endpoint = scripted_endpoint("Hello.", chunk_size=2)
            assert ChatSession(endpoint).send("Hi").text == "Hello."
            assert endpoint.open == 0
    """,
}


@pytest.mark.parametrize("source", USES.values(), ids=USES)
def test_a_fixture_gives_what_it_says(project, source):
    project.pytester.makepyfile(source)
    project.run().assert_outcomes(passed=1)


# -- ways to cut ----------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["", "a", "ab", "a <tool_call>b</tool_call> c\r\n\ud800" * 9])
def test_every_way_joins_to_the_text_and_is_another(text):
    ways = chunkings(text, ["<tool_call>", "</tool_call>", ""])
    assert all("".join(way) == text for way in ways)
    assert len({tuple(way) for way in ways}) == len(ways)
    assert [text] in ways
    assert list(text) in ways or not text


def test_markers_are_cut_before_inside_and_behind():
    ways = chunkings("a[[call b]]", ["[[call "])
    for head in ("a", "a[", "a[[call", "a[[call "):
        assert [head, "a[[call b]]".removeprefix(head)] in ways


def test_the_same_seed_cuts_in_the_same_places():
    text = "words and more words " * 5
    assert chunkings(text, seed=3) == chunkings(text, seed=3) != chunkings(text, seed=4)


def test_a_long_text_has_no_more_ways_than_a_short_one():
    marks = [f"<{number}>" for number in range(5_000)]
    assert len(chunkings("".join(marks), marks)) < 100
