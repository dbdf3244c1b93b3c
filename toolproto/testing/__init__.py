"""What a paradigm's author tests with.

The laws are functions that need no test framework; ``ParadigmLaws`` and ``broken_laws`` draw the
cases with Hypothesis, which is imported when one of them is asked for.
"""

from ..public_names import open_lazily

__getattr__, __dir__ = open_lazily(__name__)
