"""Ray, and the recipes of ``docs/bulk.md``, in an environment that this makes: ``make scale``."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.bulk.samples import write_replies

ROOT = Path(__file__).parents[3]
HERE = Path(__file__).parent
#: ``1`` makes an environment in ``.scale``; the path of an interpreter uses that one.
ASKED = os.environ.get("TOOLPROTO_ENGINES", "")
ENGINES = {"ray": "", "polars": "polars", "duckdb": "duckdb", "spark": "pyspark", "daft": "daft"}
PATIENCE = 240

pytestmark = [
    pytest.mark.skipif(not ASKED, reason="engines are run by `make scale`"),
    pytest.mark.time_limit(1200),
]


@pytest.fixture(scope="session")
def python() -> str:
    if ASKED != "1":
        return ASKED
    folder = ROOT / ".scale"
    made = folder / "bin" / "python"
    if not made.exists():
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    wanted = ["-e", f"{ROOT}[cli,ray]", *filter(None, ENGINES.values())]
    subprocess.run([made, "-m", "pip", "install", "--quiet", *wanted], check=True)
    return str(made)


def run(python, *arguments, **options):
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "ignore"}
    return subprocess.Popen([python, *map(str, arguments)], env=environment, **options)


def parse(python, source, output, *options):
    words = ("parse", source, "-o", output, "-p", "xml_tag", "--id-field", "id", "--quiet")
    return run(python, "-m", "toolproto", *words, "--resume", "--jobs", "2", *options)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_recipe_reads_as_read_batch_does(python, engine):
    process = run(python, HERE / "recipe_script.py", engine, stdout=subprocess.PIPE)
    told, _ = process.communicate(timeout=PATIENCE)
    assert told.decode().splitlines()[-1] == "3000 rows, the same"


@pytest.mark.parametrize("suffix", [".jsonl", ".parquet"])
def test_ray_writes_the_bytes_that_this_machine_does(python, tmp_path, suffix):
    source = write_replies(tmp_path / "in.jsonl", 200)
    for engine in ("local", "ray"):
        options = ("--engine", engine)
        assert parse(python, source, tmp_path / f"{engine}{suffix}", *options).wait(PATIENCE) == 0
    ray, local = (tmp_path / f"{engine}{suffix}" for engine in ("ray", "local"))
    assert ray.read_bytes() == local.read_bytes()


@pytest.fixture
def long(tmp_path, python):
    """Replies for some batches, and what this machine makes of them."""
    source, whole = write_replies(tmp_path / "in.jsonl", 40_000), tmp_path / "whole.jsonl"
    assert parse(python, source, whole).wait(PATIENCE) == 0
    return source, whole


def test_ray_killed_at_any_moment_is_gone_on_with_to_the_same_bytes(python, tmp_path, long):
    source, whole = long
    output, dice = tmp_path / "out.jsonl", random.Random(1)
    parts = tmp_path / "out.jsonl.parts"
    for wanted in (0, 1, 2):
        process = parse(python, source, output, "--engine", "ray")
        while process.poll() is None and len(list(parts.glob("part-*.jsonl"))) < wanted:
            time.sleep(0.01)
        time.sleep(dice.uniform(0, 1))
        process.kill()
        process.wait()
    # Whichever engine goes on.
    assert parse(python, source, output, "--engine", "local").wait(PATIENCE) == 0
    assert output.read_bytes() == whole.read_bytes()


def below(pid):
    """The processes that *pid* began, and those that these began."""
    try:
        found = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:  # it has ended
        return []
    return [each for child in found for each in (int(child), *below(child))]


def readers(process):
    """The workers of Ray that read a batch for *process* now."""
    for pid in below(process.pid):
        try:
            if b"_parse_batch" in Path(f"/proc/{pid}/cmdline").read_bytes():
                yield pid
        except OSError:
            pass


def test_ray_gives_what_a_killed_worker_read_to_another(python, tmp_path):
    source = write_replies(tmp_path / "in.jsonl", 100_000)
    whole, output = tmp_path / "whole.jsonl", tmp_path / "out.jsonl"
    assert parse(python, source, whole).wait(2 * PATIENCE) == 0
    process, killed, parts = parse(python, source, output, "--engine", "ray"), 0, 0
    folder = tmp_path / "out.jsonl.parts"
    while process.poll() is None:
        found = len(list(folder.glob("part-*.jsonl")))
        pid = next(readers(process), None)
        if pid and found > parts and killed < 5:  # one after each part
            os.kill(pid, signal.SIGKILL)
            killed, parts = killed + 1, found
        time.sleep(0.05)
    assert (killed, process.returncode) == (5, 0)
    assert output.read_bytes() == whole.read_bytes()


def test_a_node_that_is_killed_costs_nothing_but_time(python, tmp_path, long):
    source, whole = long
    output = tmp_path / "out.jsonl"
    options = ("-p", "xml_tag", "--id-field", "id", "--quiet")
    process = run(
        python, HERE / "cluster_script.py", source, output, *options, stdout=subprocess.PIPE
    )
    told, _ = process.communicate(timeout=2 * PATIENCE)
    assert process.returncode == 0 and b"parts when the node was killed" in told
    assert output.read_bytes() == whole.read_bytes()
