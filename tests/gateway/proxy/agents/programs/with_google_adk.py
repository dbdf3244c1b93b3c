"""Google's agents over Gemini's API, streamed."""

from __future__ import annotations

import asyncio

from google.adk.agents import LlmAgent, RunConfig
from google.adk.agents.run_config import StreamingMode
from google.adk.models import Gemini
from google.adk.runners import InMemoryRunner
from google.genai.types import Content, Part
from working import TASK, TOOLS, URL, end


async def run() -> object:
    agent = LlmAgent(name="worker", model=Gemini(model="m", base_url=URL), tools=TOOLS)
    runner = InMemoryRunner(agent, app_name="work")
    session = await runner.session_service.create_session(app_name="work", user_id="u")
    said = None
    async for event in runner.run_async(
        user_id="u",
        session_id=session.id,
        new_message=Content(role="user", parts=[Part(text=TASK)]),
        run_config=RunConfig(streaming_mode=StreamingMode.SSE),
    ):
        if event.error_code:
            raise RuntimeError(f"{event.error_code}: {event.error_message}")
        said = event.content or said
    return said


end(lambda: asyncio.run(run()))
