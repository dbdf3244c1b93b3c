"""Engines that run the functions on batches: one machine's processes, or many machines.

==============  ===================================================================================
``local.py``    processes of this machine, from the standard library
``ray.py``      Ray Data: from a laptop to a cluster
``frames.py``   Polars, DuckDB, Spark and Daft, for who has a table there already
==============  ===================================================================================
"""
