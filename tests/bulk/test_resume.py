"""Runs that are broken off, at any moment, and gone on with."""

from __future__ import annotations

import gzip
import multiprocessing
import os
import random
import sys
import warnings
from signal import SIGKILL

import pytest

from soak.forking import ended, forked
from toolproto.bulk import runner
from toolproto.bulk.files import InputFile, InputKind
from toolproto.bulk.runner import ParsePlan
from toolproto.protocol.errors import ToolProtoError, UsageError

from .samples import read_lines, reading, run, write_replies


@pytest.fixture(autouse=True)
def many_batches(monkeypatch):
    monkeypatch.setattr(runner, "ROOM", 1_000)


OURS = os.path.join("toolproto", "bulk")


def die_at(step):
    """Kill this process when it has gone so many lines of ours further."""
    left = iter(range(step, -1, -1))

    def trace(frame, event, argument):
        if OURS not in frame.f_code.co_filename:
            return None
        if next(left) == 0:
            os.kill(os.getpid(), SIGKILL)
        return trace

    sys.settrace(trace)


def killed(step, source, output):
    """Whether a process that goes on with *output* is killed at *step*, or lives to its end."""

    def work():
        die_at(step)
        run(source, output, resume=True)
        return 0

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of forking beside threads
        return ended(forked(work)) == -SIGKILL


@pytest.mark.parametrize("suffix", [".jsonl", ".jsonl.gz"])
def test_killed_at_any_moment_and_gone_on_with_it_comes_to_the_same_bytes(tmp_path, suffix):
    source = write_replies(tmp_path / "in.jsonl", 60)
    whole = tmp_path / f"whole{suffix}"
    report = run(source, whole)
    dice = random.Random(suffix)
    for attempt in range(4):
        output = tmp_path / f"{attempt}{suffix}"
        # The steps are fewer than a run has, so it takes a few lives, and more than to begin.
        deaths = 0
        while killed(dice.randrange(1_500, 6_000), source, output):
            deaths += 1
        assert deaths, "a run has more steps than that"
        assert output.read_bytes() == whole.read_bytes()
        assert not output.with_name(f"{output.name}.parts").exists()
    assert report.counts.replies == 60


def stop_after(batches):
    """A watch that stops the run, as Ctrl-C would."""
    left = iter(range(batches, 0, -1))

    def watch(share, rows):
        if next(left) == 1:
            raise KeyboardInterrupt

    return watch


def begun(tmp_path, name="out.jsonl", batches=2):
    source = write_replies(tmp_path / "in.jsonl", 60)
    with pytest.raises(KeyboardInterrupt):
        run(source, tmp_path / name, watch=stop_after(batches))
    return source, tmp_path / name


def parts_of(output):
    return output.with_name(f"{output.name}.parts")


def test_the_counts_is_of_the_whole_output(tmp_path):
    source, output = begun(tmp_path)
    before = sum(len(read_lines(part)) for part in parts_of(output).glob("part-*.jsonl"))
    report = run(source, output, resume=True)
    assert 0 < report.replies == 60 - before
    assert report.counts.told() == run(source, tmp_path / "whole.jsonl").counts.told()


def test_a_run_may_go_on_with_more_processes(tmp_path):
    source, output = begun(tmp_path)
    run(source, output, resume=True, jobs=2)
    run(source, tmp_path / "whole.jsonl")
    assert output.read_bytes() == (tmp_path / "whole.jsonl").read_bytes()


def test_packed_input_is_gone_on_with_where_it_was(tmp_path):
    plain = write_replies(tmp_path / "in.jsonl", 60)
    source = tmp_path / "in.jsonl.gz"
    source.write_bytes(gzip.compress(plain.read_bytes()))
    run(source, tmp_path / "whole.jsonl")
    with pytest.raises(KeyboardInterrupt):
        run(source, tmp_path / "out.jsonl", watch=stop_after(3))
    run(source, tmp_path / "out.jsonl", resume=True)
    assert (tmp_path / "out.jsonl").read_bytes() == (tmp_path / "whole.jsonl").read_bytes()


def test_a_complete_output_is_left_alone(tmp_path):
    source = write_replies(tmp_path / "in.jsonl", 9)
    output = tmp_path / "out.jsonl"
    run(source, output)
    before = output.read_bytes()
    assert run(source, output, resume=True).was_complete
    assert output.read_bytes() == before
    with pytest.raises(UsageError, match="exists already"):
        run(source, output)
    run(source, output, force=True, reading={"check": False})
    assert output.read_bytes() != b""


def test_a_run_goes_on_only_with_the_same_inputs_and_options(tmp_path):
    source, output = begun(tmp_path)
    before = sorted(parts_of(output).iterdir())
    with pytest.raises(UsageError, match="other values of paradigm;"):
        run(source, output, resume=True, reading={"paradigm": "hermes"})
    with pytest.raises(UsageError, match="other values of field, id_field;"):
        run(source, output, resume=True, reading={"fields": {"reply": "id", "id": "id"}})
    with open(source, "ab") as file:
        file.write(b'{"reply": "one more"}\n')
    with pytest.raises(UsageError, match="other values of inputs;"):
        run(source, output, resume=True)
    assert sorted(parts_of(output).iterdir()) == before


def test_begun_again_nothing_of_the_first_attempt_is_left(tmp_path):
    source, output = begun(tmp_path)
    run(source, tmp_path / "whole.jsonl")
    run(source, output, force=True)
    assert output.read_bytes() == (tmp_path / "whole.jsonl").read_bytes()


def test_a_part_that_went_away_is_made_again(tmp_path):
    source, output = begun(tmp_path)
    (parts_of(output) / "part-000000.jsonl").unlink()
    run(source, output, resume=True)
    run(source, tmp_path / "whole.jsonl")
    assert output.read_bytes() == (tmp_path / "whole.jsonl").read_bytes()


def test_a_worker_that_is_killed_ends_the_run_and_what_was_written_is_kept(tmp_path):
    source, output = write_replies(tmp_path / "in.jsonl", 600), tmp_path / "out.jsonl"
    seen = []

    def kill(share, rows):
        seen.append(rows)
        if len(seen) == 3:
            os.kill(multiprocessing.active_children()[0].pid, SIGKILL)

    with pytest.raises(ToolProtoError, match="a worker process was killed while it read"):
        run(source, output, jobs=2, watch=kill)
    kept = sum(len(read_lines(part)) for part in parts_of(output).glob("part-*.jsonl"))
    assert kept == sum(seen) > 0
    assert run(source, output, jobs=2, resume=True).replies == 600 - kept
    run(source, tmp_path / "whole.jsonl")
    assert output.read_bytes() == (tmp_path / "whole.jsonl").read_bytes()


def test_a_full_disk_leaves_what_can_be_gone_on_with(tmp_path, monkeypatch):
    source = write_replies(tmp_path / "in.jsonl", 60)
    run(source, tmp_path / "whole.jsonl")

    def full(share, rows):
        raise OSError(28, "No space left on device")

    with pytest.raises(OSError, match="No space"):
        run(source, tmp_path / "out.jsonl", watch=full)
    run(source, tmp_path / "out.jsonl", resume=True)
    assert (tmp_path / "out.jsonl").read_bytes() == (tmp_path / "whole.jsonl").read_bytes()


@pytest.mark.parametrize(
    "options, told",
    [
        ({"resume": True, "force": True}, "give only one of them"),
        ({"jobs": 0}, "give 1 or more"),
        ({"max_row": 0}, "give 1 or more"),
        ({"output": None, "resume": True}, "name it with --output"),
    ],
)
def test_options_that_contradict_each_other_are_refused(tmp_path, options, told):
    source = write_replies(tmp_path / "in.jsonl", 1)
    with pytest.raises(UsageError, match=told):
        run(source, **{"output": tmp_path / "out.jsonl", **options})


def test_standard_input_cannot_be_gone_on_with(tmp_path):
    with pytest.raises(UsageError, match="standard input cannot be read again"):
        run("-", tmp_path / "out.jsonl", resume=True)


def test_what_another_standard_input_left_is_made_anew(tmp_path, monkeypatch):
    source, output = begun(tmp_path)
    run(source, tmp_path / "whole.jsonl")
    for path in sorted(parts_of(output).glob("part-*")):
        path.write_bytes(b'{"row": 0}\n')
    with open(source) as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        plan = ParsePlan([InputFile("-", InputKind.JSONL)], reading(), output)
        assert not plan.can_go_on
        plan(lambda share, rows: None)
    assert output.read_bytes() == (tmp_path / "whole.jsonl").read_bytes()


def test_an_output_without_rows_is_still_a_file(tmp_path):
    source = write_replies(tmp_path / "in.jsonl", 0)
    run(source, tmp_path / "out.jsonl")
    assert (tmp_path / "out.jsonl").read_bytes() == b""
    run(source, tmp_path / "out.jsonl.gz")
    assert gzip.decompress((tmp_path / "out.jsonl.gz").read_bytes()) == b""
