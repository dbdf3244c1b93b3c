"""Many replies at once: Arrow batches in, Arrow batches out, on any engine that has such batches.

===================  ==============================================================================
``read_batch``       replies, read and checked: calls, problems, text, thinking
``check_batch``      native calls, held against their tools
``encode_batch``     native calls, written in a text form, and read back to see that it holds
``read_dataset``     a dataset of Ray Data, on as many machines as it has
===================  ==============================================================================

What comes out is in ``schema.py``, what goes in is said by ``Fields`` in ``reading.py``. Needs
``pip install 'toolproto[bulk]'``.
"""

from .batches import read_batch
from .checking import check_batch
from .encoding import encode_batch
from .ray import read_dataset
from .reading import ANY, AUTO, Fields, Reading
from .schema import checked_schema, encoded_schema, result_schema

__all__ = [
    "ANY",
    "AUTO",
    "Fields",
    "Reading",
    "check_batch",
    "checked_schema",
    "encode_batch",
    "encoded_schema",
    "read_batch",
    "read_dataset",
    "result_schema",
]
