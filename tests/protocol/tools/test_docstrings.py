"""Docstrings in three styles, and in none."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolproto.protocol.tools.docstrings import Docstring, parse_docstring

GOOGLE = """The weather forecast.

    It covers a week,
    and is often right.

    Args:
        city (str, optional): Where: a city
            or a village.
        days: How many.

            At most seven.
        *names: Whoever asks.
        options (dict[str, list[int]]): More (rarely).

    Returns:
        forecast: never a parameter

    Text that comes after.
    """

NUMPY = """The weather forecast.

    It covers a week,
    and is often right.

    Parameters
    ----------
    city : str, optional
        Where: a city
        or a village.
    days : int
        How many.

        At most seven.
    *names
        Whoever asks.
    options : dict
        More (rarely).

    Returns
    -------
    forecast : str
        never a parameter
    """

SPHINX = """The weather forecast.

    It covers a week,
    and is often right.

    :param str city: Where: a city
        or a village.
    :param days: How many.

        At most seven.
    :type days: int
    :param \\*names: Whoever asks.
    :keyword options: More (rarely).
    :returns: never a parameter
    """


@pytest.mark.parametrize("text", [GOOGLE, NUMPY, SPHINX], ids=["google", "numpy", "sphinx"])
def test_every_style_says_the_same(text):
    assert parse_docstring(text) == Docstring(
        "The weather forecast.\n\nIt covers a week,\nand is often right.",
        {
            "city": "Where: a city or a village.",
            "days": "How many. At most seven.",
            "names": "Whoever asks.",
            "options": "More (rarely).",
        },
    )


@pytest.mark.parametrize("text", [None, "", "   \n  "])
def test_no_docstring_is_an_empty_one(text):
    assert parse_docstring(text) == Docstring()


def test_numpy_parameters_may_share_a_description():
    text = "Move.\n\nParameters\n----------\nx, y : float\n    Where to.\n"
    assert parse_docstring(text).parameters == {"x": "Where to.", "y": "Where to."}


def test_a_docstring_may_have_parameters_only():
    assert parse_docstring("\n    Args:\n        city: Where.") == Docstring("", {"city": "Where."})


@pytest.mark.parametrize(
    "text",
    [
        "Returns: a list of names",
        "See http://example.org: it is all there.",
        "Parameters are read from the file.\n\nParameters\n",
        ":warning: careful",
    ],
)
def test_prose_that_resembles_a_section_names_no_parameter(text):
    assert parse_docstring(text).parameters == {}


def test_the_first_description_of_a_parameter_counts():
    assert parse_docstring(":param a: one\n:param a: two").parameters == {"a": "one"}


@given(st.text(alphabet=" \n:()-*aA,", max_size=80) | st.text(max_size=80))
def test_any_text_is_read(text):
    assert isinstance(parse_docstring(text), Docstring)
