"""Calls as Python writes them."""

from __future__ import annotations

from ..payloads import PythonCall
from ..wire import WireFormat, WireParadigm

__all__ = ["BfclPython", "BfclPythonTagged", "Lfm2", "Olmo3", "Pythonic"]


class Pythonic(WireParadigm):
    """Llama 4, Llama 3.2 prompted, ToolACE, Gemma 3 prompted; models that know code better.

    ``[get_weather(city="Paris")]``: calls as Python writes them, in a list.
    """

    name = "pythonic"
    wire = WireFormat(
        payload=PythonCall(),
        # The second is how transcripts tell of a call, which models copy; a bracket ends it.
        also=(("<|python_start|>", "<|python_end|>"), ("[Calling tool: ", "")),
    )


class BfclPython(WireParadigm):
    """Comparing with BFCL results.

    ``[f(a=1), g(b="x")]``: the leaderboard's own form.
    """

    name = "bfcl_python"
    wire = WireFormat(payload=PythonCall())


class BfclPythonTagged(WireParadigm):
    """Comparing with BFCL results.

    The leaderboard's Python list in ``<TOOLCALL>``.
    """

    name = "bfcl_python_tagged"
    wire = WireFormat(call=("<TOOLCALL>", "</TOOLCALL>"), payload=PythonCall())


class Lfm2(WireParadigm):
    """Liquid LFM2 and LFM2.5.

    ``<|tool_call_start|>[f(a=1)]<|tool_call_end|>``: a Python list between tokens.
    """

    name = "lfm2"
    wire = WireFormat(
        call=("<|tool_call_start|>", "<|tool_call_end|>"),
        payload=PythonCall(),
        results=("<|tool_response_start|>",),
    )


class Olmo3(WireParadigm):
    """OLMo 3.

    ``<function_calls>f(a=1)</function_calls>``: Python calls, one on each line.
    """

    name = "olmo3"
    wire = WireFormat(
        call=("<function_calls>", "</function_calls>"), payload=PythonCall(listed=False)
    )
