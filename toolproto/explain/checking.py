"""Would a call that was read also run?

The same question as the chat loop's (`tools/running.py`), asked where there may be no tools.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..messages import CallProblem, Grade, ToolCall
from ..tools.define import Tool
from ..tools.running import check_run
from ..tools.spec import ToolOffer

__all__ = ["checked"]


def checked(call: ToolCall, offer: ToolOffer, tools: Mapping[str, Tool]) -> ToolCall | CallProblem:
    """*call* as it would run, or what is wrong with it; *tools* are those whose risk is known.

    Without any tool on offer, only what the text itself says counts.
    """
    return check_run(call, offer, tools) if offer.tools or call.grade is Grade.TRUNCATED else call
