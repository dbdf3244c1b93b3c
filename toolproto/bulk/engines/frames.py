"""Tables of Polars, DuckDB, Spark and Daft, read where they are."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from ..arrow import arrow, engine
from ..batches import read_batch
from ..reading import Reading

__all__ = ["mapper", "read_daft", "read_duckdb", "read_polars", "read_spark", "result_fields"]

#: Rows that are read together.
_ROWS = 1024


def mapper(reading: Reading) -> Callable[[Iterator[Any]], Iterator[Any]]:
    """Reads batch after batch: what ``mapInArrow`` takes, and whatever else streams batches."""
    return partial(_mapped, reading)


def _mapped(reading: Reading, batches: Iterator[Any]) -> Iterator[Any]:
    for batch in batches:
        for start in range(0, batch.num_rows, _ROWS):
            yield read_batch(batch.slice(start, _ROWS), reading)


def result_fields(schema: Any, reading: Reading) -> Any:
    """The schema that comes of rows with *schema*: an engine wants to know it before any row."""
    return read_batch(arrow().RecordBatch.from_pylist([], schema), reading).schema


def read_polars(frame: Any, reading: Reading) -> Any:
    """*frame*, a DataFrame or LazyFrame of Polars, read as *reading* says, as a DataFrame."""
    polars = engine("polars", "polars", "reading a frame of Polars")
    whole = frame.collect() if hasattr(frame, "collect") else frame
    table = whole.to_arrow()
    read = list(mapper(reading)(table.to_batches()))
    return polars.from_arrow(arrow().Table.from_batches(read, result_fields(table.schema, reading)))


def read_duckdb(relation: Any, reading: Reading) -> Any:
    """*relation*, of DuckDB, as a stream of batches read as *reading* says.

    It is a ``pyarrow.RecordBatchReader``: DuckDB queries it by the name of the variable.
    """
    # Not a stream of it: until that is at its end, its connection runs no other query.
    rows = relation.to_arrow_table()
    schema = result_fields(rows.schema, reading)
    batches = mapper(reading)(iter(rows.to_batches(_ROWS)))
    return arrow().RecordBatchReader.from_batches(schema, batches)


def read_spark(frame: Any, reading: Reading) -> Any:
    """*frame*, a DataFrame of Spark, read as *reading* says: on the machines of its cluster."""
    types = engine("pyspark.sql.pandas.types", "spark", "reading a frame of Spark")
    schema = result_fields(types.to_arrow_schema(frame.schema), reading)
    return frame.mapInArrow(mapper(reading), types.from_arrow_schema(schema))


def read_daft(frame: Any, reading: Reading) -> Any:
    """*frame*, a DataFrame of Daft, read as *reading* says, partition by partition."""
    daft = engine("daft", "daft", "reading a frame of Daft")
    schema = result_fields(frame.schema().to_pyarrow_schema(), reading)
    tables = (part.to_arrow() for part in frame.iter_partitions())
    read = [each for table in tables for each in mapper(reading)(table.to_batches())]
    return daft.from_arrow(arrow().Table.from_batches(read, schema))
