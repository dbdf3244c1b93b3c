"""``--toolproto-laws``: the laws on paradigms of other packages, and on ours."""

from __future__ import annotations

import pytest

from .conftest import BRACKET, Project

pytest_plugins = ["pytester"]

#: The laws that are quick; the others are tried in tests/laws.
QUICK = ("-k", "exercised or stopping or promptness")


def installed(project: Project, source: str, point: str = "bracket = its_bracket:Bracket") -> None:
    """Install a package with an entry point, as pip would leave it on the path."""
    site = project.pytester.path / "site"
    metadata = site / "its_bracket-1.0.dist-info"
    metadata.mkdir(parents=True)
    (site / "its_bracket.py").write_text(source, encoding="utf-8")
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: its-bracket\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(f"[toolproto.paradigms]\n{point}\n")
    project.pytester.syspathinsert(site)


def test_without_it_no_law_is_collected(project):
    project.run().assert_outcomes()


def test_an_installed_paradigm_is_tried(project):
    installed(project, BRACKET)
    result = project.run("--toolproto-laws", "installed", "-v", *QUICK)
    result.assert_outcomes(passed=3, deselected=15)
    result.stdout.fnmatch_lines(["laws/bracket::stopping PASSED*"])


def test_a_name_is_tried_beside_the_tests_there_are(project):
    project.pytester.makepyfile("def test_stopping(): pass")
    project.run("--toolproto-laws", "hermes", "-k", "stopping").assert_outcomes(
        passed=2, deselected=17
    )


def test_all_are_ours_and_the_installed_ones_each_once(project):
    installed(project, BRACKET)
    laws = ("--toolproto-laws", "all", "--toolproto-laws", "bracket")
    result = project.run(*laws, "--collect-only", "-q", "-k", "stopping")
    named = [line for line in result.outlines if line.endswith("::stopping")]
    assert len(named) == len(set(named)) > 60
    assert "laws/bracket::stopping" in named


BROKEN = {
    "does not load": ("import no_such_module", "*does not load: No module named*"),
    "is not a paradigm": ("class Bracket: pass", "*is no subclass of ToolContextDef*"),
    "is abstract": (
        "from toolproto import ToolContextDef\nclass Bracket(ToolContextDef): name = 'bracket'",
        "*cannot be made*abstract*",
    ),
    "has no encoder": (
        BRACKET + "    def encode_call(self, call): raise NotImplementedError('later')\n",
        "*Bracket cannot be exercised: encode_call raises NotImplementedError('later')*",
    ),
    "has no decoder": (
        BRACKET + "    def decoder(self, offer): return None\n",
        "*cannot be exercised: feed raises*",
    ),
    "raises in its instructions": (
        BRACKET + "    def instructions(self, offer): return 1 / 0\n",
        "*cannot be exercised: instructions raises ZeroDivisionError*",
    ),
    "gives no text": (
        BRACKET + "    def instructions(self, offer): return None\n",
        "*cannot be exercised: instructions gives None*",
    ),
}


@pytest.mark.parametrize("source, reason", BROKEN.values(), ids=BROKEN)
def test_a_paradigm_that_cannot_be_exercised_fails_with_the_reason(project, source, reason):
    installed(project, source)
    result = project.run("--toolproto-laws", "installed", *QUICK)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([reason])


def test_an_entry_point_under_another_name_is_told(project):
    installed(project, BRACKET, "square = its_bracket:Bracket")
    result = project.run("--toolproto-laws", "square", *QUICK)
    result.stdout.fnmatch_lines(["*must have the same name as its class*"])


def test_nothing_installed_is_a_usage_error(project):
    result = project.run("--toolproto-laws", "installed")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*no installed package adds a paradigm; give 'all', or a name"])


def test_an_unknown_name_fails_once_with_the_names_near_it(project):
    result = project.run("--toolproto-laws", "hermez", *QUICK)
    result.assert_outcomes(failed=1)
    told = [line for line in result.outlines if line.startswith("exercise: ")]
    assert len(told) == 1 and "no paradigm named 'hermez'; did you mean 'hermes'" in told[0]
