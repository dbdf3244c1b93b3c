"""Where a call stands, asked of a Markdown reader that is not ours, and texts to ask it about."""

from .documents import DEVIATIONS, Placing, draw_placing, example_placings
from .judge import JudgedPlace, judge_place
from .templates import TEMPLATES, PlaceTemplate

__all__ = [
    "DEVIATIONS",
    "TEMPLATES",
    "JudgedPlace",
    "PlaceTemplate",
    "Placing",
    "draw_placing",
    "example_placings",
    "judge_place",
]
