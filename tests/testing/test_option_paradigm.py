"""``--toolproto-paradigm`` and the fixture ``paradigm``: one test for each."""

from __future__ import annotations

from toolproto.protocol.paradigms import list_paradigms

from .conftest import BRACKET

pytest_plugins = ["pytester"]

SPEAKS = """
def test_speaks(paradigm, offer):
    assert "get_weather" in paradigm.instructions(offer)
"""


def test_a_test_runs_for_every_paradigm(project):
    project.pytester.makepyfile(SPEAKS)
    project.run().assert_outcomes(passed=len(list_paradigms()))


def test_the_option_chooses_some(project):
    project.pytester.makepyfile(SPEAKS)
    chosen = ("--toolproto-paradigm", "hermes", "--toolproto-paradigm", "XML_Tag")
    result = project.run("-v", *chosen)
    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(["*test_speaks[[]hermes] PASSED*"])


def test_a_class_has_its_own(project):
    project.pytester.makepyfile(
        BRACKET
        + """
class TestBracket:
    paradigm = Bracket()

    def test_it(self, paradigm, offer):
        assert paradigm is self.paradigm and len(offer.tools) == 3
"""
    )
    project.run().assert_outcomes(passed=1)


def test_whoever_has_a_fixture_or_a_parameter_of_that_name_is_left_alone(project):
    project.pytester.makepyfile(
        """
import pytest

@pytest.fixture
def offer():
    return "mine"

class TestMine:
    @pytest.fixture
    def paradigm(self):
        return "mine"

    def test_a_fixture(self, paradigm, offer):
        assert paradigm == offer == "mine"

@pytest.mark.parametrize("paradigm", [1, 2])
def test_a_parameter(paradigm):
    assert paradigm in (1, 2)
"""
    )
    project.run().assert_outcomes(passed=3)


def test_an_unknown_name_fails_with_the_names_near_it(project):
    project.pytester.makepyfile(SPEAKS)
    result = project.run("--toolproto-paradigm", "hermez")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*no paradigm named 'hermez'; did you mean 'hermes'*"])


def test_a_test_may_have_both_the_fixture_and_hypothesis(project):
    project.pytester.makepyfile(
        """
from hypothesis import given, strategies as st

@given(text=st.text("abc "))
def test_words_pass(paradigm, text):
    assert paradigm.parse_response(text).text == text
"""
    )
    project.run("--toolproto-paradigm", "hermes").assert_outcomes(passed=1)
