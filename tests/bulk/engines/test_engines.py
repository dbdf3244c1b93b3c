"""The engines that install here, each in an environment that these tests make: ``make scale``."""

from __future__ import annotations

import os
import random
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
EXTRAS = ("ray", "polars", "duckdb", "spark", "daft")
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
    wanted = f"{ROOT}[cli,{','.join(EXTRAS)}]"
    subprocess.run([made, "-m", "pip", "install", "--quiet", "-e", wanted], check=True)
    return str(made)


def run(python, *arguments, **options):
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "ignore"}
    return subprocess.Popen([python, *map(str, arguments)], env=environment, **options)


def parse(python, source, output, *options):
    words = ("parse", source, "-o", output, "-p", "xml_tag", "--id-field", "id", "--quiet")
    return run(python, "-m", "toolproto", *words, "--resume", "--jobs", "2", *options)


@pytest.mark.parametrize("engine", EXTRAS)
def test_an_engine_reads_as_read_batch_does(python, engine):
    process = run(python, HERE / "frames_script.py", engine, stdout=subprocess.PIPE)
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
    """Replies for some pieces, and what this machine makes of them."""
    source, whole = write_replies(tmp_path / "in.jsonl", 40_000), tmp_path / "whole.jsonl"
    assert parse(python, source, whole).wait(PATIENCE) == 0
    return source, whole


def test_ray_killed_at_any_moment_is_gone_on_with_to_the_same_bytes(python, tmp_path, long):
    source, whole = long
    output, dice = tmp_path / "out.jsonl", random.Random(1)
    parts = tmp_path / "out.jsonl.parts"
    for wanted in (0, 1, 2):
        process = parse(python, source, output, "--engine", "ray")
        while process.poll() is None and len(list(parts.glob("part-*.done"))) < wanted:
            time.sleep(0.01)
        time.sleep(dice.uniform(0, 1))
        process.kill()
        process.wait()
    # Whichever engine goes on.
    assert parse(python, source, output, "--engine", "local").wait(PATIENCE) == 0
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
