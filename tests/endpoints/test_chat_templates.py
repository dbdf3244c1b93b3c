"""A model's own chat template writes the prompt, also one that refuses what we say."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import pytest

from toolproto import ChatRequest, Message, UsageError
from toolproto.endpoints import OpenAICompletions, chat_template

CHATML = (
    "{{ bos_token }}{% for message in messages %}"
    "{{ '<|im_start|>' + message['role'] + '\\n' + message['content'] + '<|im_end|>' + '\\n' }}"
    "{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}"
)
#: Refuses a system message, and two turns of one role.
STRICT = (
    "{{ bos_token }}{% if messages[0]['role'] == 'system' %}"
    "{{ raise_exception('System role not supported') }}{% endif %}"
    "{% for message in messages %}"
    "{% if (message['role'] == 'user') != (loop.index0 % 2 == 0) %}"
    "{{ raise_exception('Conversation roles must alternate') }}{% endif %}"
    "{{ '<start>' + message['role'] + '\\n' + message['content'] | trim + '<end>\\n' }}{% endfor %}"
    "{% if add_generation_prompt %}<start>model\n{% endif %}"
)
DROPS = "{% for m in messages if m.role != 'system' %}[{{ m.role }}]{{ m.content }}{% endfor %}"
SYSTEM, HI, HO = Message("system", "Be brief."), Message("user", "Hi"), Message("user", "Ho")
ASSISTANT = Message("assistant", "Yes?")


def folder(path: Path, template: object, **config: object) -> Path:
    told = {"chat_template": template, "bos_token": "<s>", "eos_token": {"content": "<|im_end|>"}}
    (path / "tokenizer_config.json").write_text(json.dumps({**told, **config}))
    return path


def test_the_prompt_is_the_models_own(tmp_path):
    template = chat_template(folder(tmp_path, CHATML))
    prompt = template.render([SYSTEM, HI])
    # The server puts the first token there itself.
    assert prompt == (
        "<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\nHi<|im_end|>\n"
        "<|im_start|>assistant\n"
    )
    body = OpenAICompletions(template=template).body(ChatRequest((SYSTEM, HI)), "m")
    assert body["prompt"] == prompt and body["stop"] == ["<|im_end|>"]


def test_a_template_that_refuses_system_and_two_turns_is_satisfied(tmp_path):
    template = chat_template(folder(tmp_path, STRICT))
    once = "<start>user\nBe brief.\n\nHi<end>\n<start>model\n"
    assert template.render([SYSTEM, HI]) == once
    assert template.render([SYSTEM, HI, HO]) == once.replace("Hi", "Hi\n\nHo")
    assert template.render([SYSTEM, ASSISTANT, HI]).startswith("<start>user\nBe brief.<end>")


def test_a_system_message_that_would_be_dropped_is_said_by_the_user(tmp_path):
    template = chat_template(folder(tmp_path, DROPS))
    assert template.render([SYSTEM, HI]) == "[user]Be brief.\n\nHi"
    assert template.render([HI]) == "[user]Hi"


def test_it_is_found_in_every_place(tmp_path):
    several = [{"name": "default", "template": DROPS}, {"name": "tool_use", "template": "T"}]
    here = folder(tmp_path, several)
    assert chat_template(here).render([HI]) == "[user]Hi"
    assert chat_template(here / "tokenizer_config.json").render([HI]) == "[user]Hi"
    (here / "chat_template.jinja").write_text("J{{ messages[0].content }}")
    assert chat_template(here).render([HI]) == "JHi"
    assert chat_template(here / "chat_template.jinja").render([HI]) == "JHi"


def test_what_templates_use_beyond_jinja_is_there(tmp_path):
    text = (
        "{% for m in messages %}{% if loop.first %}{% continue %}{% endif %}{% endfor %}"
        "{% generation %}{{ {'é': [1]} | tojson }}{% endgeneration %}"
        "{{ strftime_now('%Y') | length }}{{ 'x' if tools is none }}"
    )
    assert chat_template(folder(tmp_path, text)).render([HI]) == '{"é": [1]}4x'


def gguf(path: Path, template: str) -> Path:
    def text(value: str) -> bytes:
        return struct.pack("<Q", len(value.encode())) + value.encode()

    tokens = ["<s>", "</s>", "a"]
    pairs = [
        text("general.name") + struct.pack("<I", 8) + text("tiny"),
        text("general.sizes") + struct.pack("<IIQ3I", 9, 4, 3, 1, 2, 3),
        text("tokenizer.ggml.tokens") + struct.pack("<IIQ", 9, 8, 3) + b"".join(map(text, tokens)),
        text("tokenizer.ggml.bos_token_id") + struct.pack("<II", 4, 0),
        text("tokenizer.ggml.eos_token_id") + struct.pack("<II", 4, 1),
        text("tokenizer.chat_template") + struct.pack("<I", 8) + text(template),
    ]
    path.write_bytes(b"GGUF" + struct.pack("<IQQ", 3, 0, len(pairs)) + b"".join(pairs))
    return path


def test_it_is_read_out_of_a_gguf_file(tmp_path):
    template = chat_template(gguf(tmp_path / "m.gguf", "{{ bos_token }}" + DROPS))
    assert template.render([HI]) == "[user]Hi" and template.end == "</s>"


def test_every_broken_gguf_file_is_refused(tmp_path):
    whole = gguf(tmp_path / "m.gguf", DROPS).read_bytes()
    for end in range(len(whole) - 1):
        (tmp_path / "cut.gguf").write_bytes(whole[:end])
        with pytest.raises(UsageError):
            chat_template(tmp_path / "cut.gguf")
    (tmp_path / "cut.gguf").write_bytes(b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + b"\xff" * 8)
    with pytest.raises(UsageError, match="too long"):
        chat_template(tmp_path / "cut.gguf")


@pytest.mark.parametrize(
    "template, said",
    [
        ("{{ ''.__class__.__mro__[1].__subclasses__() }}", "refuses these messages"),
        ("{% for i in range(10 ** 9) %}x{% endfor %}", "refuses these messages"),
        ("{{ messages.append(1) }}", "refuses these messages"),
        ("{{ raise_exception('never') }}", "never"),
        ("{% if %}", "cannot be read"),
        ("", "contains no chat template"),
    ],
)
def test_a_template_does_no_harm_and_says_what_is_wrong(tmp_path, template, said):
    with pytest.raises(UsageError, match=said):
        chat_template(folder(tmp_path, template)).render([SYSTEM, HI])


def test_what_is_not_there_is_refused(tmp_path):
    with pytest.raises(UsageError, match="does not exist"):
        chat_template(tmp_path / "nothing")
    (tmp_path / "tokenizer_config.json").write_text("{")
    with pytest.raises(UsageError, match="not JSON"):
        chat_template(tmp_path)
