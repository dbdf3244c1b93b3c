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

from ..public_names import open_lazily

__getattr__, __dir__ = open_lazily(__name__)
