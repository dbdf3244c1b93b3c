"""Run a recipe of ``docs/bulk.md``, and say whether its rows are those of ``read_batch``.

``python recipe_script.py polars|duckdb|spark|daft|ray``: run in the environment of the engines.
"""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa

from toolproto import ToolOffer, ToolSpec
from toolproto.bulk import Fields, Reading, read_batch

PAGE = Path(__file__).parents[3] / "docs" / "bulk.md"
OFFER = ToolOffer((ToolSpec("get_weather", "", {"properties": {"city": {"type": "string"}}}),))
READING = Reading("hermes", OFFER, fields=Fields(id="id"))


def replies(count: int = 3_000) -> pa.Table:
    call = json.dumps({"name": "get_weather", "arguments": {"city": "Oslo"}})
    kinds = (f"<tool_call>{call}</tool_call>", "Nothing.", "<tool_call>oops</tool_call>", None)
    return pa.table({"id": range(count), "reply": [kinds[n % 4] for n in range(count)]})


def polars(table: pa.Table) -> dict[str, Any]:
    import polars

    return {"polars": polars, "frame": polars.from_arrow(table)}


def duckdb(table: pa.Table) -> dict[str, Any]:
    import duckdb

    return {"duckdb": duckdb, "relation": duckdb.from_arrow(table).order("id")}


def daft(table: pa.Table) -> dict[str, Any]:
    import daft

    return {"daft": daft, "frame": daft.from_arrow(table)}


def spark(table: pa.Table) -> dict[str, Any]:
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    session = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    frame = session.getOrCreate().createDataFrame(table.to_pylist(), "id long, reply string")
    return {"frame": frame}


def ray(table: pa.Table) -> dict[str, Any]:
    import ray

    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    return {"dataset": ray.data.from_arrow(table)}


def rows(read: Any) -> list[dict[str, Any]]:
    """What each engine has for getting its rows out."""
    if hasattr(read, "take_all"):
        return list(read.take_all())
    for name in ("to_arrow_table", "to_arrow", "toArrow"):
        if hasattr(read, name):
            return list(getattr(read, name)().to_pylist())
    raise TypeError(type(read))


def main() -> None:
    table = replies()
    begun = {"polars": polars, "duckdb": duckdb, "daft": daft, "spark": spark, "ray": ray}
    scope = {"pa": pa, "read_batch": read_batch, "reading": READING, **begun[sys.argv[1]](table)}
    page = PAGE.read_text(encoding="utf-8")
    (recipe,) = re.findall(rf"^```python {sys.argv[1]}\n(.*?)^```$", page, re.M | re.S)
    exec(recipe, scope)
    found = sorted(rows(scope["read"]), key=lambda row: row["id"])
    known = read_batch(table.combine_chunks().to_batches()[0], READING).to_pylist()
    assert found == known, (found[:2], known[:2])
    print(f"{len(found)} rows, the same")


if __name__ == "__main__":
    main()
