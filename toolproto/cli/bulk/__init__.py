"""Reading many replies: files in, one row of JSON out for each reply, whatever happens in between.

=================  ===============================================================================
``inputs.py``      which files there are, and what kind each is
``cutting.py``     the inputs, cut into batches: ``lines.py`` for JSONL, ``parquet.py``
``rows.py``        one row: the reply in it, and what else it says
``replies.py``     one reply, read and checked, as a row of JSON
``work.py``        one batch, read: what a worker does
``pool.py``        the workers, and their results in the order of the input
``writing.py``     the output; ``journal.py`` keeps how far it is, for ``--resume``
``run.py``         all of it, from the first batch to the last
=================  ===============================================================================

Above stands the command ``toolproto parse``; nothing here knows its options.
"""
