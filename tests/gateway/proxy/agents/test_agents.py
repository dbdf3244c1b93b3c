"""The agents people run get their work done through the proxy, or show why not.

``make agents`` installs and runs them, which takes minutes; the usual run leaves them out. Each
lists a folder, reads a file and writes another, streamed, with a model that behaves and with one
that errs. What must never be is an end that looks like success with nothing written.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
from base64 import b64decode
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.gateway.proxy.backend import Backend, served
from tests.gateway.proxy.clients.environments import NotInstalled, command_of, installed
from toolproto.gateway.proxy.app import make_app
from toolproto.gateway.proxy.config import ModelTerms, ProxyConfig, Upstream

from .model import WAYS, Call, Model

if "TOOLPROTO_AGENTS" not in os.environ:
    pytest.skip("takes minutes: make agents", allow_module_level=True)

HERE = Path(__file__).parent
TASK = "List the folder, read notes.txt, then write out.txt. Say when all is done."
#: OpenCode and CrewAI take ten seconds of processor time to start; a crowded machine has few.
SECONDS = 600
#: A picture of one dot.
DOT = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk"
    "+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
#: Ways in which nobody can get anything done: these are to be shown.
HOPELESS = ("unknown tool behind words", "empty", "refused", "always broken off")


@dataclass(frozen=True)
class Agent:
    """How it is run in a folder, at a proxy; and what its tools are called."""

    command: Callable[[Path, str], list[str]]
    plan: Callable[[Path, str], list[Call]]
    variables: Callable[[Path, str], Mapping[str, str]] = lambda folder, url: {}
    #: How it looks at an image, if it can.
    look: Callable[[str], Call] | None = None


def node(program: str, needs: str = "package.json") -> str:
    return str(installed(str(HERE / needs)) / "node_modules" / ".bin" / program)


def python(
    program: str, *words: str, needs: str = "frameworks.txt"
) -> Callable[[Path, str], list[str]]:
    def command(folder: Path, url: str) -> list[str]:
        interpreter = installed(str(HERE / needs)) / "bin" / "python"
        return [str(interpreter), str(HERE / "programs" / program), *words]

    return command


def javascript(program: str) -> Callable[[Path, str], list[str]]:
    return lambda folder, url: command_of(
        str(HERE / "package.json"), str(HERE / "programs" / program)
    )


def own_tools(folder: Path, content: str) -> list[Call]:
    """The plan of the frameworks, whose tools are ours."""
    return [
        ("list_files", {}),
        ("read_file", {"path": "notes.txt"}),
        ("write_file", {"path": "out.txt", "content": content}),
    ]


def answering_by_call(folder: Path, content: str) -> list[Call]:
    return [*own_tools(folder, content), ("final_answer", {"answer": "All is written."})]


# -- programs of their own ----------------------------------------------------------------


def claude(folder: Path, url: str) -> list[str]:
    words = ["--model", "m", "--output-format", "stream-json", "--verbose"]
    words += ["--include-partial-messages", "--permission-mode", "acceptEdits"]
    return [node("claude"), "-p", TASK, *words, "--allowedTools", "Bash,Read,Write"]


def claude_variables(folder: Path, url: str) -> Mapping[str, str]:
    return {
        "ANTHROPIC_BASE_URL": url,
        "ANTHROPIC_API_KEY": "unused",
        "DISABLE_AUTOUPDATER": "1",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "CLAUDE_CODE_MAX_RETRIES": "2",
    }


def claude_plan(folder: Path, content: str) -> list[Call]:
    out = {"file_path": str(folder / "out.txt"), "content": content}
    read = {"file_path": str(folder / "notes.txt")}
    return [("Bash", {"command": "ls"}), ("Read", read), ("Write", out)]


def codex(folder: Path, url: str) -> list[str]:
    home = folder.parent / "codex"
    home.mkdir(exist_ok=True)
    provider = f'name = "p"\nbase_url = "{url}/v1"\nenv_key = "P_KEY"\nwire_api = "responses"\n'
    settings = f'model = "m"\nmodel_provider = "p"\n[model_providers.p]\n{provider}'
    (home / "config.toml").write_text(settings)
    words = ["--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox"]
    return [node("codex"), "exec", *words, TASK]


def codex_plan(folder: Path, content: str) -> list[Call]:
    write = f"printf %s {shlex.quote(content)} > out.txt"
    commands = ["ls", "cat notes.txt", write]
    return [("exec_command", {"cmd": command}) for command in commands]


def qwen_plan(folder: Path, content: str) -> list[Call]:
    out = {"file_path": str(folder / "out.txt"), "content": content}
    read = {"file_path": str(folder / "notes.txt")}
    return [("list_directory", {"path": str(folder)}), ("read_file", read), ("write_file", out)]


def opencode(folder: Path, url: str) -> list[str]:
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "options": {"baseURL": f"{url}/v1", "apiKey": "unused"},
        "models": {"m": {}},
    }
    settings = {"provider": {"p": provider}, "permission": "allow", "autoupdate": False}
    (folder / "opencode.json").write_text(json.dumps(settings))
    return [node("opencode"), "run", "-m", "p/m", TASK]


def opencode_plan(folder: Path, content: str) -> list[Call]:
    bash = {"command": "ls", "description": "List the files"}
    read = {"filePath": str(folder / "notes.txt")}
    out = {"filePath": str(folder / "out.txt"), "content": content}
    return [("bash", bash), ("read", read), ("write", out)]


def copilot(folder: Path, url: str) -> list[str]:
    return [node("copilot", "copilot.json"), "-p", TASK, "--allow-all", "--no-ask-user"]


def copilot_variables(folder: Path, url: str) -> Mapping[str, str]:
    return {
        "COPILOT_PROVIDER_BASE_URL": f"{url}/v1",
        "COPILOT_PROVIDER_API_KEY": "unused",
        "COPILOT_MODEL": "m",
        "COPILOT_OFFLINE": "true",
        # It unpacks itself there the first time, which takes longer than the task.
        "COPILOT_CACHE_HOME": str(installed(str(HERE / "copilot.json")) / "cache"),
    }


def copilot_plan(folder: Path, content: str) -> list[Call]:
    bash = {"command": "ls", "description": "List the files"}
    out = {"path": str(folder / "out.txt"), "file_text": content}
    return [("bash", bash), ("view", {"path": str(folder / "notes.txt")}), ("create", out)]


def pi(folder: Path, url: str) -> list[str]:
    provider = {
        "baseUrl": f"{url}/v1",
        "api": "openai-completions",
        "apiKey": "unused",
        "models": [{"id": "m", "input": ["text", "image"]}],
    }
    home = folder.parent / ".pi" / "agent"
    home.mkdir(parents=True)
    (home / "models.json").write_text(json.dumps({"providers": {"p": provider}}))
    return [node("pi", "pi.json"), "--offline", "--provider", "p", "--model", "m", "-p", TASK]


def pi_plan(folder: Path, content: str) -> list[Call]:
    out = {"path": "out.txt", "content": content}
    return [("bash", {"command": "ls"}), ("read", {"path": "notes.txt"}), ("write", out)]


def gemini(folder: Path, url: str) -> list[str]:
    home = folder.parent / ".gemini"
    home.mkdir()
    settings = {"security": {"auth": {"selectedType": "gemini-api-key"}}}
    (home / "settings.json").write_text(json.dumps(settings))
    return [node("gemini", "gemini.json"), "-p", TASK, "--yolo", "-m", "gemini-2.5-flash"]


def gemini_plan(folder: Path, content: str) -> list[Call]:
    out = {"file_path": str(folder / "out.txt"), "content": content}
    read = {"file_path": str(folder / "notes.txt")}
    return [("list_directory", {"dir_path": str(folder)}), ("read_file", read), ("write_file", out)]


AGENTS = {
    "claude-code": Agent(
        claude, claude_plan, claude_variables, lambda image: ("Read", {"file_path": image})
    ),
    "codex": Agent(
        codex,
        codex_plan,
        lambda folder, url: {"CODEX_HOME": str(folder.parent / "codex"), "P_KEY": "unused"},
        lambda image: ("view_image", {"path": image}),
    ),
    "qwen-code": Agent(
        lambda folder, url: [node("qwen"), "-p", TASK, "--yolo", "--auth-type", "openai"],
        qwen_plan,
        lambda folder, url: {
            "OPENAI_BASE_URL": f"{url}/v1",
            "OPENAI_API_KEY": "unused",
            "OPENAI_MODEL": "m",
        },
        lambda image: ("read_file", {"file_path": image}),
    ),
    "opencode": Agent(opencode, opencode_plan, look=lambda image: ("read", {"filePath": image})),
    "copilot": Agent(
        copilot, copilot_plan, copilot_variables, lambda image: ("view", {"path": image})
    ),
    "pi": Agent(pi, pi_plan, look=lambda image: ("read", {"path": image})),
    "gemini-cli": Agent(
        gemini,
        gemini_plan,
        lambda folder, url: {
            "GOOGLE_GEMINI_BASE_URL": url,
            "GEMINI_API_KEY": "unused",
            "GEMINI_CLI_TRUST_WORKSPACE": "true",
        },
        lambda image: ("read_file", {"file_path": image}),
    ),
    "openai-agents": Agent(python("with_openai_agents.py", "chat"), own_tools),
    "openai-agents, responses": Agent(python("with_openai_agents.py", "responses"), own_tools),
    "pydantic-ai": Agent(python("with_pydantic_ai.py"), own_tools),
    "langgraph": Agent(python("with_langgraph.py"), own_tools),
    "smolagents": Agent(python("with_smolagents.py"), answering_by_call),
    "autogen": Agent(python("with_autogen.py"), own_tools),
    "llm": Agent(python("with_llm.py"), own_tools),
    "crewai": Agent(python("with_crewai.py", needs="crewai.txt"), own_tools),
    "llama-index": Agent(python("with_llama_index.py", needs="llama_index.txt"), own_tools),
    "strands": Agent(python("with_strands.py", needs="strands.txt"), own_tools),
    "google-adk": Agent(
        python("with_google_adk.py", needs="google_adk.txt"),
        own_tools,
        lambda folder, url: {"GOOGLE_API_KEY": "unused"},
    ),
    "semantic-kernel": Agent(
        python("with_semantic_kernel.py", needs="semantic_kernel.txt"),
        lambda folder, content: [
            (f"files-{tool}", given) for tool, given in own_tools(folder, content)
        ],
    ),
    "haystack": Agent(python("with_haystack.py", needs="haystack.txt"), own_tools),
    "agno": Agent(python("with_agno.py", needs="agno.txt"), own_tools),
    "ai-sdk": Agent(javascript("with_ai_sdk.mjs"), own_tools),
}


CASES = [
    (name, way)
    for name, agent in AGENTS.items()
    for way in ("behaves", *WAYS, *(["image"] if agent.look else []))
]


@pytest.mark.parametrize(("name", "way"), CASES)
def test_it_gets_its_work_done_or_shows_why_not(name: str, way: str, tmp_path: Path) -> None:
    agent, folder = AGENTS[name], tmp_path / "work"
    folder.mkdir()
    (folder / "notes.txt").write_text("buy milk\n")
    model = Model([], way)
    model.plan = agent.plan(folder, model.content)
    if way == "image" and agent.look is not None:
        (folder / "dot.png").write_bytes(b64decode(DOT))
        model.plan[1] = agent.look(str(folder / "dot.png"))
    with served(Backend(model.speak, size=16).app()) as upstream:
        config = ProxyConfig((Upstream(f"{upstream}/v1"),), ModelTerms("xml_tag"))
        with served(make_app(config)) as url:
            try:
                command = agent.command(folder, url)
            except NotInstalled as error:
                pytest.skip(str(error))
            done = subprocess.run(
                command,
                cwd=folder,
                env={**_environment(tmp_path), "PROXY_URL": url, **agent.variables(folder, url)},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                timeout=SECONDS,
            )
    said = done.stdout.decode("utf-8", "replace")
    out = folder / "out.txt"
    is_done = out.exists() and out.read_bytes().decode() == model.content
    is_shown = (done.returncode != 0 or "error" in said.lower()) and ANSWERED not in said
    assert is_done or is_shown, f"exit {done.returncode}\n{said[-3000:]}"
    if way not in HOPELESS and way not in BY_ITS_OWN:
        assert is_done, f"exit {done.returncode}\n{said[-3000:]}"


ANSWERED = "All is written."
#: Whether these are tried again is up to the agent.
BY_ITS_OWN = ("cut", "busy", "broken off", "bad arguments")


def _environment(home: Path) -> dict[str, str]:
    """The variables of a user who has set nothing up."""
    path = os.pathsep.join(filter(None, (_folder_of("node"), os.environ.get("PATH", ""))))
    return {"HOME": str(home), "PATH": path, "LANG": "C.UTF-8", "NO_COLOR": "1", "CI": "1"}


def _folder_of(program: str) -> str:
    found = shutil.which(program)
    return str(Path(found).parent) if found else ""
