"""Where a call stands in a reply: in prose, in code, in a quotation, in a thought?

Put one word where each call stood, end the text behind this one's, close what is still open, and
read that as CommonMark. Where the word stands is where the call stands.

`tracker` is what a reader uses; `verdict` holds the table of places; `kept` bounds the text;
`blocks` asks markdown-it-py for the blocks; `inline`, `json_value` and `words` are ours.
"""

from .tracker import Late, PlaceTracker
from .verdict import PLAIN, Place

__all__ = ["PLAIN", "Late", "Place", "PlaceTracker"]
