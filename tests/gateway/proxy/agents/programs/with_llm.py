"""Simon Willison's llm, by its Python interface, streamed."""

from __future__ import annotations

from llm.default_plugins.openai_models import Chat
from working import TASK, TOOLS, URL, end


def run() -> object:
    model = Chat("m", model_name="m", api_base=f"{URL}/v1", supports_tools=True)
    model.key = "unused"
    return model.chain(TASK, tools=TOOLS, stream=True).text()


end(run)
