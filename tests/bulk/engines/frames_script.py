"""Read the same replies on an engine and with ``read_batch``, and say whether that differs.

``python frames_script.py polars|duckdb|spark|daft|ray``: run in the environment of the engines.
"""

from __future__ import annotations

import json
import os
import sys

import pyarrow as pa
from toolproto.bulk.engines import frames

from toolproto import ToolOffer, ToolSpec
from toolproto.bulk import Fields, Reading, read_batch

OFFER = ToolOffer((ToolSpec("get_weather", "", {"properties": {"city": {"type": "string"}}}),))
READING = Reading("hermes", OFFER, fields=Fields(id="id"))


def replies(count: int = 3_000) -> pa.Table:
    call = json.dumps({"name": "get_weather", "arguments": {"city": "Oslo"}})
    kinds = (f"<tool_call>{call}</tool_call>", "Nothing.", "<tool_call>oops</tool_call>", None)
    return pa.table({"id": range(count), "reply": [kinds[n % 4] for n in range(count)]})


def polars(table: pa.Table) -> pa.Table:
    import polars

    return frames.read_polars(polars.from_arrow(table).lazy(), READING).to_arrow()


def duckdb(table: pa.Table) -> pa.Table:
    import duckdb

    rows = table  # noqa: F841 (DuckDB finds it by its name)
    read = frames.read_duckdb(duckdb.sql("SELECT * FROM rows ORDER BY id"), READING)  # noqa: F841
    return duckdb.sql("SELECT * FROM read").to_arrow_table()


def daft(table: pa.Table) -> pa.Table:
    import daft

    return frames.read_daft(daft.from_arrow(table), READING).to_arrow()


def spark(table: pa.Table) -> pa.Table:
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    session = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    frame = session.getOrCreate().createDataFrame(table.to_pylist(), "id long, reply string")
    return frames.read_spark(frame, READING).toArrow()


def ray(table: pa.Table) -> pa.Table:
    import ray
    from toolproto.bulk.engines.ray import read_dataset

    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    read = read_dataset(ray.data.from_arrow(table), READING, rows=500)
    return pa.concat_tables(ray.get(read.to_arrow_refs()))


def main() -> None:
    table = replies()
    read = {"polars": polars, "duckdb": duckdb, "daft": daft, "spark": spark, "ray": ray}
    rows = sorted(read[sys.argv[1]](table).to_pylist(), key=lambda row: row["id"])
    known = read_batch(table.combine_chunks().to_batches()[0], READING).to_pylist()
    assert rows == known, (rows[:2], known[:2])
    print(f"{len(rows)} rows, the same")


if __name__ == "__main__":
    main()
