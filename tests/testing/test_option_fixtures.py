"""``--toolproto-fixtures`` and ``toolproto_fixtures``: recorded replies as tests."""

from __future__ import annotations

import pytest

from .conftest import BRACKET, CALL

pytest_plugins = ["pytester"]

SNAPSHOT = """\
call get_weather call_1
  city: "Oslo"

segments
  markup    | <tool_call>
            |
  call      | {"name": "get_weather", "arguments": {"city": "Oslo"}}
  markup    |
            | </tool_call>
"""


def test_without_it_nothing_is_collected(project):
    project.reply()
    project.run().assert_outcomes()


def test_a_reply_without_a_snapshot_fails_and_says_how_to_write_one(project, recorded):
    project.reply()
    result = recorded()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*there is no one.snap yet: pytest --snapshot-update writes it*"])


def test_an_update_writes_one_readable_file_beside_the_reply(project, recorded):
    path = project.reply()
    recorded("--snapshot-update").assert_outcomes(passed=1)
    assert path.with_suffix(".snap").read_text(encoding="utf-8") == SNAPSHOT
    recorded().assert_outcomes(passed=1)


def test_another_reading_fails_with_the_difference(project, recorded):
    path = project.reply()
    path.with_suffix(".snap").write_text(SNAPSHOT.replace("Oslo", "Bonn"), encoding="utf-8")
    result = recorded()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        ['*-   city: "Bonn"', '*+   city: "Oslo"', "*→ if the new reading*"]
    )
    result.stdout.no_fnmatch_line("*recorded.py*")


def test_the_ini_file_names_the_folders(project):
    project.reply()
    project.pytester.makeini("[pytest]\ntoolproto_fixtures = fixtures\n")
    project.run("--snapshot-update").assert_outcomes(passed=1)


def test_folders_outside_testpaths_are_collected_too(project):
    project.reply()
    project.pytester.makeini(
        "[pytest]\ntestpaths = tests\ntoolproto_fixtures = fixtures\nnorecursedirs = old\n"
    )
    project.pytester.mkdir("tests").joinpath("test_a.py").write_text("def test_a(): pass\n")
    project.run("--snapshot-update").assert_outcomes(passed=2)
    project.run("tests/test_a.py").assert_outcomes(passed=1)


def test_a_folder_is_collected_once_however_it_is_reached(project, recorded):
    project.reply()
    recorded("--snapshot-update", "fixtures", "fixtures/hermes").assert_outcomes(passed=1)
    recorded("--toolproto-fixtures", "./fixtures", ".").assert_outcomes(passed=1)


def test_one_reply_runs_alone(project, recorded):
    project.reply()
    project.reply(case="hermes/two")
    recorded("fixtures/hermes/two.txt", "--snapshot-update").assert_outcomes(passed=1)
    recorded("-k", "two").assert_outcomes(passed=1, deselected=1)
    recorded("fixtures/hermes/two.txt::two").assert_outcomes(passed=1)


def test_a_missing_folder_is_a_usage_error(recorded):
    result = recorded()
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*there is no folder *fixtures"])


def test_without_syrupy_it_says_what_to_install(project, recorded):
    project.reply()
    result = recorded("-p", "no:syrupy")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*pip install *[[]testing]'"])


# -- what stands beside a reply -------------------------------------------------------------


def test_a_reply_needs_no_toml(project, recorded):
    project.reply("Hello.")
    recorded("--snapshot-update").assert_outcomes(passed=1)


def test_expected_problems_are_compared(project, recorded):
    path = project.reply(CALL[:40], 'problems = ["truncated"]\nfinish_reason = "length"')
    recorded("--snapshot-update").assert_outcomes(passed=1)
    path.with_suffix(".toml").write_text('problems = ["malformed", "truncated"]')
    result = recorded()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        ["the problems found are [[]'truncated'], and one.toml expects *malformed*"]
    )


def test_expecting_no_problem_is_an_expectation(project, recorded):
    project.reply(CALL[:40], 'problems = []\nfinish_reason = "length"')
    recorded("--snapshot-update").assert_outcomes(failed=1)


def test_a_wrong_expectation_writes_no_snapshot(project, recorded):
    path = project.reply(CALL, 'problems = ["truncated"]')
    recorded("--snapshot-update").assert_outcomes(failed=1)
    assert not path.with_suffix(".snap").exists()


def test_tools_and_policy_say_how_a_reply_is_read(project, recorded):
    tool = '{ name = "f", description = "", parameters = { type = "object" } }'
    policy = 'salvage = true\nstarts_in_thinking = true\nthinking = [["<b>", "</b>"]]'
    path = project.reply("hm</b>[f()]", f"tools = [{tool}]\n[policy]\n{policy}")
    recorded("--snapshot-update").assert_outcomes(passed=1)
    snapshot = path.with_suffix(".snap").read_text(encoding="utf-8")
    assert snapshot.startswith("call f call_1\n  repair ")
    assert "\nreasoning\n  | hm\n" in snapshot


def test_a_mistake_in_a_toml_fails_that_reply_only(project, recorded):
    project.reply(told="colour = 1", case="hermes/bad")
    project.reply()
    result = recorded("--snapshot-update")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["*bad.toml: unknown keys [[]'colour']; known are *"])


def lines_with(result, words):
    return [line for line in result.outlines if words in line and not line.startswith("FAILED")]


def test_a_folder_that_is_no_paradigm_is_told_once_with_the_names_near_it(project, recorded):
    for case in ("one", "three", "two"):
        project.reply(case=f"hermez/{case}")
    result = recorded("--snapshot-update")
    result.assert_outcomes(failed=3)
    result.stdout.fnmatch_lines(["no paradigm named 'hermez'; did you mean 'hermes'*"])
    assert len(lines_with(result, "no paradigm named")) == 1
    assert len(lines_with(result, "not read, for the reason given for hermez/one")) == 2


def test_broken_tools_are_told_once(project, recorded):
    for case in ("one", "two"):
        project.reply(case=f"hermes/{case}")
    (project.pytester.path / "fixtures" / "tools.json").write_text("[{")
    result = recorded("--snapshot-update")
    result.assert_outcomes(failed=2)
    assert len(lines_with(result, "tools.json: cannot be read")) == 1


def test_a_left_over_snapshot_is_only_reported_where_that_is_asked_for(project, recorded):
    project.reply().with_name("old.snap").write_text("nothing\n")
    recorded("--snapshot-update", "-k", "one").assert_outcomes(passed=1, deselected=1)
    recorded().assert_outcomes(passed=1, failed=1)
    result = recorded("--snapshot-warn-unused")
    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(["*1 snapshot unused*"])


def test_a_paradigm_of_ones_own_is_registered_in_conftest(project, recorded):
    project.pytester.makeconftest(BRACKET)
    project.reply('[[call {"tool": "now", "with": {}}]]', case="bracket/one")
    recorded("--snapshot-update").assert_outcomes(passed=1)


def test_a_reply_that_reads_otherwise_in_pieces_fails_and_names_the_law(project, recorded):
    project.pytester.makeconftest(
        BRACKET
        + """
class Faulty(Bracket):
    def decoder(self, offer):
        decoder = super().decoder(offer)
        feed = decoder.feed
        class Stripping:
            def feed(self, chunk): return feed(chunk.lstrip())
            def finish(self, reason=None): return decoder.finish(reason)
        return Stripping()
Faulty.name = "faulty"
register_paradigm(Faulty)
"""
    )
    project.reply("two words", case="faulty/one")
    result = recorded("--snapshot-update")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        ["chunking (law 2): 'two words' is read differently:", "→ text 'two w*"]
    )


# -- snapshots that are not used ------------------------------------------------------------


def test_the_snapshot_of_a_reply_that_is_gone_is_reported_and_removed(project, recorded):
    path = project.reply()
    project.reply(case="hermes/two")
    recorded("--snapshot-update").assert_outcomes(passed=2)
    path.unlink()
    result = recorded()
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["one.snap has no one.txt beside it", "*1 snapshot unused.*"])
    recorded("fixtures", "--snapshot-update").stdout.fnmatch_lines(["*1 unused snapshot deleted.*"])
    assert not path.with_suffix(".snap").exists()
    recorded().assert_outcomes(passed=1)


@pytest.mark.parametrize("selection", [("-k", "two"), ("fixtures/hermes/two.txt",), ("-x",)])
def test_an_update_of_some_keeps_the_snapshots_of_the_others(project, recorded, selection):
    for case in ("one", "three", "two"):
        project.reply(case=f"hermes/{case}")
    recorded("--snapshot-update").assert_outcomes(passed=3)
    project.reply("changed", 'problems = ["malformed"]')  # fails before its snapshot is asked for
    recorded("--snapshot-update", *selection)
    assert len(list(project.pytester.path.glob("fixtures/hermes/*.snap"))) == 3


# -- hostile and odd ------------------------------------------------------------------------

ODD = ["a \ud800 b", "a\r\nb\rc", "a\nb\nc", "a\x00b", "", "a  \n ", "a", "⟨U+0061⟩", "a\u202eb"]


def test_odd_characters_are_kept_and_compared(project, recorded):
    paths = [project.reply(reply, case=f"hermes/{number}") for number, reply in enumerate(ODD)]
    recorded("--snapshot-update").assert_outcomes(passed=len(ODD))
    written = [path.with_suffix(".snap").read_bytes() for path in paths]
    assert len(set(written)) == len(ODD)
    assert not {*b"".join(written)} & {*range(9), *range(11, 32)}
    recorded().assert_outcomes(passed=len(ODD))


def test_a_reply_that_is_no_text_fails_with_its_name(project, recorded):
    project.reply().write_bytes(b"\xff\xfe")
    result = recorded()
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*one.txt: cannot be read: *"])


def test_a_reply_called_like_a_doctest_is_a_reply(project, recorded):
    project.reply(">>> 1\n2\n", case="hermes/test_one")
    recorded("--snapshot-update", "--doctest-modules").assert_outcomes(passed=1)
    recorded("fixtures/hermes/test_one.txt").assert_outcomes(passed=1)


def test_deeper_files_and_other_folders_are_left_alone(project, recorded):
    project.reply(case="hermes/old/one")
    project.reply(case="one")
    recorded("--snapshot-update").assert_outcomes()
