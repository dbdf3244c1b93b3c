"""Messages of one role in a row are told as one, and nothing of them is lost."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from toolproto import Message, image
from toolproto.protocol.taking_turns import taking_turns

PICTURE = image(b"\x89PNG\r\n\x1a\n" + b"\0" * 8)
messages = st.lists(
    st.builds(
        Message,
        st.sampled_from(["system", "user", "assistant"]),
        st.sampled_from(["", "  \n", "a", "b\n\nc", " d "]),
        attachments=st.sampled_from([(), (PICTURE,)]),
    ),
    max_size=8,
)


def test_neighbours_of_one_role_are_joined_by_an_empty_line():
    said = [Message("user", "one"), Message("user", "two"), Message("assistant", "three")]
    assert taking_turns(said) == [Message("user", "one\n\ntwo"), Message("assistant", "three")]


def test_a_message_between_two_of_one_role_that_says_nothing_does_not_part_them():
    said = [Message("user", "one"), Message("assistant", " \n"), Message("user", "two")]
    assert taking_turns(said) == [Message("user", "one\n\ntwo")]


def test_a_picture_without_words_is_kept():
    said = [Message("user", "look"), Message("user", "", attachments=(PICTURE,))]
    assert taking_turns(said) == [Message("user", "look", attachments=(PICTURE,))]


@given(messages)
def test_no_two_neighbours_have_one_role_and_all_is_said_once_in_its_order(said):
    told = taking_turns(said)
    assert all(one.role != two.role for one, two in pairwise(told))
    assert taking_turns(told) == told
    assert sum(len(each.attachments) for each in told) == sum(len(m.attachments) for m in said)
    words = [word for message in said for word in message.content.split()]
    assert [word for message in told for word in message.content.split()] == words
