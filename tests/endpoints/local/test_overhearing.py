"""Listening on the standard error without keeping what others write there."""

from __future__ import annotations

import os

from toolproto.endpoints.local.overhearing import Overhearing


def test_a_complaint_is_heard_and_not_printed(capfd):
    with Overhearing() as overhearing:
        os.write(2, b"parse: error parsing grammar: expecting name\n\nroot ::= (\n")
        assert overhearing.complaint() == "expecting name"
        assert overhearing.complaint() == ""
    assert capfd.readouterr() == ("", "")


def test_what_others_write_meanwhile_comes_through(capfd):
    with Overhearing() as overhearing:
        os.write(2, b"somebody else\n")
        assert capfd.readouterr().err == ""
        assert overhearing.complaint() == ""
    os.write(2, b"later\n")
    assert capfd.readouterr().err == "somebody else\nlater\n"


def test_the_end_of_the_block_is_enough(capfd):
    with Overhearing():
        os.write(2, b"a\n")
    with Overhearing():
        os.write(2, b"b\n")
    assert capfd.readouterr().err == "a\nb\n"
