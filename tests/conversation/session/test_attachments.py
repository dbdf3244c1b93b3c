"""Pictures and files: made, sent, refused, shown by tools, and kept."""

from __future__ import annotations

from base64 import b64decode, b64encode
from pathlib import Path

import pytest

from toolproto import (
    Attachment,
    ChatRequest,
    ChatSession,
    HttpEndpoint,
    Message,
    ToolCall,
    ToolOutput,
    UsageError,
    document,
    get_paradigm,
    image,
    tool,
)
from toolproto.endpoints import Anthropic, ClientEndpoint, Ollama, OpenAIChat, ScriptedEndpoint

DATA = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJg"
    "gg=="
)
PNG = b64decode(DATA)
JPEG, GIF, WEBP = b"\xff\xd8\xff\xe0rest", b"GIF89arest", b"RIFF\x00\x00\x00\x00WEBPVP8 "


def test_a_picture_is_made_of_bytes_a_path_or_an_address(tmp_path: Path):
    (tmp_path / "dot.png").write_bytes(PNG)
    assert image(PNG) == Attachment("image/png", DATA)
    assert image(tmp_path / "dot.png") == Attachment("image/png", DATA, name="dot.png")
    assert image(str(tmp_path / "dot.png")).data == DATA
    assert image(f"data:image/png;base64,{DATA}") == Attachment("image/png", DATA)
    there = image("https://example.org/cat.jpg?size=3")
    assert (there.media_type, there.url) == ("image/jpeg", "https://example.org/cat.jpg?size=3")


@pytest.mark.parametrize(
    "content, kind", [(JPEG, "image/jpeg"), (GIF, "image/gif"), (WEBP, "image/webp")]
)
def test_what_kind_it_is_is_found_out(content, kind):
    assert image(content).media_type == kind
    assert image(content, media_type="image/avif").media_type == "image/avif"


def test_a_file_that_people_read_is_text_and_a_pdf_is_not(tmp_path: Path):
    (tmp_path / "notes.md").write_text("# Notes")
    assert document(tmp_path / "notes.md") == "[document: notes.md]\n# Notes"
    assert document(b"%PDF-1.7") == Attachment("application/pdf", b64encode(b"%PDF-1.7").decode())


@pytest.mark.parametrize("source", ["/no/such/file.png", b"", "a\0b", "."])
def test_what_cannot_be_attached_is_refused(source):
    with pytest.raises(UsageError):
        image(source)


REQUEST = ChatRequest((Message("user", "What is it?", attachments=(image(PNG),)),))


def test_every_dialect_that_takes_pictures_sends_them():
    chat = OpenAIChat().body(REQUEST, "m")["messages"][0]["content"]
    assert chat[1] == {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{DATA}"}}
    anthropic = Anthropic().body(REQUEST, "m")["messages"][0]["content"]
    assert {"type": "base64", "media_type": "image/png", "data": DATA} in [
        part.get("source") for part in anthropic
    ]
    assert Ollama().body(REQUEST, "m")["messages"][0]["images"] == [DATA]


class Particular(ScriptedEndpoint):
    """Refuses what *real* refuses, and answers without it."""

    def __init__(self, real, *replies):
        super().__init__(*replies)
        self.check, self.refusal = real.check, real.refusal


NOWHERE = "http://127.0.0.1:9"
REFUSED = [
    (HttpEndpoint(NOWHERE, model="m", dialect="openai_completions"), "the dialect 'openai_comp"),
    (HttpEndpoint(NOWHERE, model="m", vision=False), "'m' sees no pictures"),
    (ClientEndpoint(print, model="m", vision=False), "cannot be sent by ClientEndpoint"),
]


@pytest.mark.parametrize("real, said", REFUSED)
@pytest.mark.parametrize("store", [None, "memory:"])
def test_a_picture_that_cannot_be_sent_is_refused_before_it_is_kept(play, real, said, store):
    play.open(Particular(real, "Hello.", "Bye."), store=store)
    for text in ("Hello.", "Bye."):
        with pytest.raises(UsageError, match=said):
            play.send(["What is it?", image(PNG)])
        assert play.send("Hi").text == text
    assert [each.content for each in play.session.messages] == ["Hi", "Hello.", "Hi", "Bye."]


def test_other_things_that_cannot_be_sent_are_refused_before_anything_is_kept(play):
    real = HttpEndpoint(NOWHERE, model="m")
    play.open(Particular(real, "Hello."))
    for message, terms in {
        "a": {"params": {"seed": object()}},
        Message("user", "b", attachments=("dot.png",)): {},
    }.items():
        with pytest.raises(UsageError, match=r"as JSON|is no attachment"):
            play.send(message, **terms)
    assert play.session.messages == ()
    assert play.send("Hi").text == "Hello."


def test_a_model_that_does_not_see_goes_on_with_a_conversation_that_has_pictures(play):
    history = [Message("user", "Look.", attachments=(image(PNG),)), Message("assistant", "A dot.")]
    play.open(Particular(HttpEndpoint(NOWHERE, model="m", vision=False), "Hm."), history=history)
    assert play.send("And now?").text == "Hm."
    shown = play.session.endpoint.requests[0].messages[1]
    assert shown == Message("user", "Look.\n[image: image/png, 1 KB: not shown to you]")


def test_a_message_has_parts():
    endpoint = ScriptedEndpoint("A dot.", "Again.")
    session = ChatSession(endpoint)
    session.send(["What is it?", image(PNG), "Be brief."])
    sent = endpoint.requests[0].messages[-1]
    assert (sent.content, sent.attachments) == ("What is it?\n\nBe brief.", (image(PNG),))
    session.send([image(PNG)])
    assert endpoint.requests[1].messages[-1].attachments == (image(PNG),)
    with pytest.raises(UsageError, match="expected text, a list of texts and attachments"):
        session.send([PNG])


@tool
def camera() -> Attachment:
    """Take a picture."""
    return image(PNG)


@tool
def scan() -> ToolOutput:
    """Scan a page."""
    return ToolOutput("page 1", attachments=(image(PNG),))


SCAN = get_paradigm("xml_tag").encode_call(ToolCall("scan", {}))


class Blind(ScriptedEndpoint):
    """One whose model does not see."""

    def sees(self, attachment: Attachment) -> bool:
        return False


@pytest.mark.parametrize("name", ["camera", "scan"])
def test_a_tool_shows_pictures_to_models_that_see(name):
    call = get_paradigm("xml_tag").encode_call(ToolCall(name, {}))
    endpoint = ScriptedEndpoint(call, "A dot.")
    ChatSession(endpoint, "xml_tag", [camera, scan]).send("Look.")
    assert endpoint.requests[1].messages[-1].attachments == (image(PNG),)


def test_a_model_that_does_not_see_is_told_so():
    endpoint = Blind(SCAN, "Hm.")
    ChatSession(endpoint, "xml_tag", [scan]).send("Look.")
    told = endpoint.requests[1].messages[-1]
    assert told.attachments == () and "[image: image/png, 1 KB: not shown to you]" in told.content


def test_who_sees_is_said_and_not_guessed():
    assert HttpEndpoint("http://127.0.0.1:9", model="m", vision=True).sees(image(PNG))
    assert not HttpEndpoint("http://127.0.0.1:9", model="m").sees(image(PNG))


def test_pictures_survive_in_a_store(tmp_path: Path):
    place = f"sqlite:///{tmp_path / 'chats.db'}"
    with ChatSession(ScriptedEndpoint(SCAN, "A."), "xml_tag", [scan], store=place, id="x") as first:
        first.send(["Look.", image(PNG)])
    endpoint = ScriptedEndpoint("B.")
    with ChatSession.open(place, "x", endpoint, tools=[scan]) as again:
        again.send("And now?")
        assert again.messages[0].attachments == (image(PNG),)
        assert again.messages[2].results[0].attachments == (image(PNG),)
    said = [each for each in endpoint.requests[0].messages if each.role == "user"]
    assert [len(each.attachments) for each in said] == [1, 1, 0]
