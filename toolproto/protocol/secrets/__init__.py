"""Taking keys, tokens and passwords out of what is shown or kept.

``looks`` says how they look where nobody said what they are, :class:`Redactor` takes them out of a
text, and ``walk`` goes through every text of a JSON value.
"""

from .redactor import REDACTED, Redactor, names_a_secret
from .walk import rewritten, with_texts

__all__ = ["REDACTED", "Redactor", "names_a_secret", "rewritten", "with_texts"]
