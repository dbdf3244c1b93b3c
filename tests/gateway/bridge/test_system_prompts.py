"""A prompt is made once for all requests that send the same tools."""

from __future__ import annotations

from typing import Any

from toolproto import get_paradigm
from toolproto.endpoints.apis.served import APIS
from toolproto.gateway.bridge.system_prompts import system_prompt
from toolproto.protocol.tools.spec import ToolOffer

PARADIGM = get_paradigm("xml_tag")


def offer(*names: str, description: str = "A tool.", **more: Any) -> ToolOffer:
    tools = [
        {"type": "function", "function": {"name": name, "description": description}}
        for name in names
    ]
    messages = [{"role": "user", "content": "hi"}]
    body = {"model": "m", "messages": messages, "tools": tools, **more}
    return APIS["/v1/chat/completions"].read(body).offer


def test_the_same_tools_of_two_requests_are_shown_once():
    first = system_prompt(PARADIGM, "Be kind.", offer("look", "find"))
    assert system_prompt(PARADIGM, "Be kind.", offer("look", "find")) is first


def test_whatever_differs_is_another_prompt():
    prompts = [
        system_prompt(PARADIGM, "Be kind.", offer("look")),
        system_prompt(PARADIGM, "Be brief.", offer("look")),
        system_prompt(PARADIGM, "Be kind.", offer("find")),
        system_prompt(PARADIGM, "Be kind.", offer("look", description="Another.")),
        system_prompt(PARADIGM, "Be kind.", offer("look", tool_choice="required")),
        system_prompt(PARADIGM, "Be kind.", offer("look", parallel_tool_calls=False)),
        system_prompt(get_paradigm("hermes"), "Be kind.", offer("look")),
    ]
    assert len(set(prompts)) == len(prompts)


def test_a_prompt_is_what_the_paradigm_makes_of_it():
    again = [system_prompt(PARADIGM, "Be kind.", offer("look")) for _ in range(2)]
    assert {*again} == {PARADIGM.splice_system_prompt("Be kind.", offer("look"))}


def test_old_prompts_are_forgotten_and_made_again():
    first = system_prompt(PARADIGM, "number 0", offer("look"))
    for number in range(1, 200):
        system_prompt(PARADIGM, f"number {number}", offer("look"))
    assert system_prompt(PARADIGM, "number 0", offer("look")) == first
