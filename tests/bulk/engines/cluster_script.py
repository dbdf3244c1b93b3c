"""Kill one of two nodes of Ray in the middle of a run: ``cluster_script.py INPUT OUTPUT OPTIONS…``.

Run in the environment of the engines. Prints how many parts there were when the node went.
"""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

from ray.cluster_utils import Cluster


def main() -> None:
    source, output, *options = sys.argv[1:]
    usual = {"num_cpus": 1, "include_dashboard": False}
    cluster = Cluster(initialize_head=True, head_node_args=usual)
    second = cluster.add_node(num_cpus=1)
    cluster.wait_for_nodes()
    command = [sys.executable, "-m", "toolproto", "parse", source, "-o", output, *options]
    run = subprocess.Popen([*command, "--engine", "ray", "--address", cluster.address])
    parts = Path(f"{output}.parts")
    try:
        while run.poll() is None and len(list(parts.glob("part-*.jsonl"))) < 2:
            time.sleep(0.02)
        done = len(list(parts.glob("part-*.jsonl")))
        cluster.remove_node(second, allow_graceful=False)
        print(f"{done} parts when the node was killed; ended with {run.wait()}", flush=True)
    finally:
        run.kill()
        cluster.shutdown()
    sys.exit(run.returncode)


if __name__ == "__main__":
    main()
