"""Calls as JSON between tags, one object or a list of them."""

from __future__ import annotations

from ..payloads import JsonCall
from ..teaching import Teaching
from ..wire import WireFormat, WireParadigm

__all__ = [
    "Apriel",
    "BfclJsonTagged",
    "Ernie45",
    "Granite20bFc",
    "Hermes",
    "Jamba",
    "Longcat",
    "MinimaxM1",
    "Nemotron",
]


class Hermes(WireParadigm):
    """Hermes 2 and 3, Qwen 2.5, Qwen 3, QwQ, Granite 4, SmolLM 3 and most fine-tunes.

    ``<tool_call>{"name": …, "arguments": {…}}</tool_call>``: the form most open models know.
    """

    name = "hermes"
    wire = WireFormat(
        call=("<tool_call>\n", "\n</tool_call>"),
        dropped=("<tool_calls>", "</tool_calls>"),
        result="tool_response",
    )

    def _usual_teaching(self) -> Teaching:
        # A model that does not know the tags loses calls with balanced teaching (Qwen2.5-Coder on
        # BFCL, 1.5 B: 60.5 in a hundred instead of 63.9); so it holds back better and calls as well
        # (63.9, and 80.0 instead of 74.9; 0.5 B: 39.5 instead of 35.2, and 86.5 instead of 73.7).
        return Teaching(order="tools_first", style="forms")


class Ernie45(WireParadigm):
    """ERNIE 4.5 Thinking.

    Hermes behind the thoughts; answers in ``<response>``.
    """

    name = "ernie45"
    wire = WireFormat(
        call=("<tool_call>\n", "\n</tool_call>"),
        dropped=("<response>", "</response>"),
        result="tool_response",
    )


class Longcat(WireParadigm):
    """LongCat Flash.

    ``<longcat_tool_call>{"name": …, "arguments": {…}}</longcat_tool_call>``.
    """

    name = "longcat"
    wire = WireFormat(call=("<longcat_tool_call>", "</longcat_tool_call>"))


class Granite20bFc(WireParadigm):
    """Granite 20B Functioncalling.

    ``<function_call> {…}`` for each call, without an end.
    """

    name = "granite_20b_fc"
    wire = WireFormat(call=("<function_call> ", ""))


class Jamba(WireParadigm):
    """Jamba 1.5 on, Hunyuan A13B.

    A JSON list in ``<tool_calls>``.
    """

    name = "jamba"
    wire = WireFormat(call=("<tool_calls>", "</tool_calls>"), payload=JsonCall(listed=True))


class Apriel(WireParadigm):
    """Apriel 1.5 and 1.6.

    A JSON list in ``<tool_calls>``, each call with its id.
    """

    name = "apriel"
    # Apriel 1.5 and 1.6 think between words, and not between tokens.
    thinking = ((" Here are my reasoning steps:\n", "[BEGIN FINAL RESPONSE]"),)
    wire = WireFormat(
        call=("<tool_calls>", "</tool_calls>"),
        payload=JsonCall(id="id", listed=True),
        dropped=("[BEGIN FINAL RESPONSE]", "[END FINAL RESPONSE]"),
    )


class MinimaxM1(WireParadigm):
    """MiniMax M1.

    ``<tool_calls>`` with a JSON object on each line.
    """

    name = "minimax_m1"
    wire = WireFormat(call=("<tool_calls>\n", "\n</tool_calls>"), payload=JsonCall(lines=True))


class Nemotron(WireParadigm):
    """Nemotron Nano 2, Llama-Nemotron.

    A JSON list in ``<TOOLCALL>``.
    """

    name = "nemotron"
    wire = WireFormat(
        call=("<TOOLCALL>", "</TOOLCALL>"), payload=JsonCall(listed=True), result="TOOL_RESPONSE"
    )


class BfclJsonTagged(WireParadigm):
    """Comparing with BFCL results.

    The leaderboard's JSON list in ``<TOOLCALL>``.
    """

    name = "bfcl_json_tagged"
    wire = WireFormat(
        call=("<TOOLCALL>", "</TOOLCALL>"), payload=JsonCall("function", "parameters", listed=True)
    )
