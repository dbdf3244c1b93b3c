"""Which tests belong to a module, where its path does not say so.

By the rule, ``toolproto/a/b/c.py`` is tested by ``tests/a/b/test_c.py``. If there is no such file,
a row of the table says by what, and if there is no row, the tests in the folder ``tests/a/b/`` do
it together. ``python -m tests.which_tests FILE …`` prints the tests of files.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath

TESTS = Path(__file__).parent

#: A module, or a folder of them, below ``toolproto``; and files or folders below ``tests``.
TABLE: dict[str, tuple[str, ...]] = {
    "__main__.py": ("cli/test_app.py",),
    "package.py": ("test_extras.py", "cli/test_missing_extras.py"),
    "protocol/native_mode.py": ("endpoints/http/test_native.py", "gateway/proxy/test_config.py"),
    "protocol/params.py": ("endpoints/http/test_http_endpoint.py", "endpoints/test_client.py"),
    "protocol/repair_words.py": ("testing/explain/test_explain.py",),
    "protocol/secrets": ("protocol/test_secrets.py",),
    "protocol/decoding/markup.py": ("protocol/grammar/test_raw.py",),
    "protocol/decoding/values/json_alone.py": ("conversation/session/test_output.py",),
    "protocol/grammar/constraint.py": (
        "conversation/session/test_constraining.py",
        "endpoints/http/test_holding.py",
    ),
    "protocol/paradigms/catalogue": ("laws", "protocol/paradigms/test_catalogue.py"),
    "protocol/schemas/tidy.py": ("protocol/tools/test_define.py",),
    "protocol/tools/answer.py": ("conversation/session/test_output.py",),
    "protocol/tools/kinds.py": ("protocol/decoding/families",),
    "protocol/tools/check_run.py": (
        "conversation/session/test_tools.py",
        "testing/explain/test_explain.py",
    ),
    "endpoints/tracing.py": (
        "conversation/session/test_spans.py",
        "gateway/proxy/test_record.py",
    ),
    "endpoints/attachments.py": ("conversation/session/test_attachments.py",),
    "endpoints/apis/anthropic/calling.py": ("endpoints/apis/anthropic/test_native_calls.py",),
    "endpoints/apis/anthropic/client.py": (
        "endpoints/apis/test_dialects.py",
        "endpoints/apis/anthropic/test_native_calls.py",
    ),
    "endpoints/apis/anthropic/models.py": ("gateway/proxy/test_paths.py",),
    "endpoints/apis/anthropic/begun.py": ("gateway/proxy/test_native.py",),
    "endpoints/apis/ollama/begun.py": ("gateway/proxy/test_native.py",),
    "endpoints/apis/openai_chat/begun.py": ("gateway/proxy/test_native.py",),
    "endpoints/apis/serving/begun.py": ("gateway/proxy/test_native.py",),
    "gateway/bridge/handing_on.py": ("gateway/proxy/test_native.py",),
    "gateway/bridge/neutral_body.py": ("gateway/proxy/test_native.py",),
    "gateway/bridge/sameness.py": ("gateway/proxy/test_native.py",),
    "gateway/proxy/passing.py": ("gateway/proxy/test_native.py", "gateway/proxy/test_traffic.py"),
    "gateway/proxy/rescuing.py": ("gateway/proxy/test_native.py",),
    "endpoints/apis/asked.py": ("endpoints/apis/serving", "endpoints/apis/test_round_trip.py"),
    "endpoints/apis/calling.py": (
        "endpoints/apis/anthropic/test_native_calls.py",
        "endpoints/apis/google/test_native_calls.py",
        "endpoints/apis/ollama/test_native_calls.py",
        "endpoints/apis/openai_chat/test_native_calls.py",
        "endpoints/apis/test_native_round_trip.py",
        "endpoints/apis/test_published_types.py",
    ),
    "endpoints/apis/dialect.py": (
        "endpoints/apis/test_dialects.py",
        "gateway/proxy/test_config.py",
    ),
    "endpoints/apis/google/calling.py": ("endpoints/apis/google/test_native_calls.py",),
    "endpoints/apis/google/client.py": (
        "endpoints/apis/test_dialects.py",
        "endpoints/apis/google/test_native_calls.py",
    ),
    "endpoints/apis/google/models.py": ("gateway/proxy/test_paths.py",),
    "endpoints/apis/ollama/models.py": ("gateway/proxy/test_paths.py",),
    "endpoints/apis/ollama/calling.py": ("endpoints/apis/ollama/test_native_calls.py",),
    "endpoints/apis/ollama/client.py": (
        "endpoints/apis/test_dialects.py",
        "endpoints/apis/ollama/test_native_calls.py",
    ),
    "endpoints/apis/ollama/generate.py": ("gateway/proxy/test_paths.py",),
    "endpoints/apis/openai_chat/azure.py": ("endpoints/apis/test_dialects.py",),
    "endpoints/apis/openai_chat/calling.py": ("endpoints/apis/openai_chat/test_native_calls.py",),
    "endpoints/apis/openai_chat/client.py": (
        "endpoints/apis/test_dialects.py",
        "endpoints/apis/openai_chat/test_native_calls.py",
    ),
    "endpoints/apis/openai_chat/messages.py": ("endpoints/apis/openai_chat/test_native_calls.py",),
    "endpoints/apis/openai_chat/models.py": ("gateway/proxy/test_paths.py",),
    "endpoints/apis/openai_completions": ("endpoints/apis/test_dialects.py",),
    "endpoints/apis/served.py": (
        "endpoints/apis/test_recorded_exchanges.py",
        "gateway/proxy/test_paths.py",
    ),
    "endpoints/apis/serving/api.py": ("endpoints/apis/test_round_trip.py",),
    "endpoints/apis/serving/reading.py": ("endpoints/apis/test_hostile.py",),
    "endpoints/apis/listing.py": (
        "endpoints/http/test_http_endpoint.py",
        "gateway/proxy/test_paths.py",
    ),
    "conversation/as_json.py": (
        "conversation/session/test_progress.py",
        "cli/chat/test_piped.py",
        "web/test_events.py",
    ),
    "conversation/hooks.py": ("conversation/session/test_hooks.py",),
    "conversation/turn/answering.py": ("conversation/session/test_output.py",),
    "conversation/turn/appending.py": ("conversation/session/test_hooks.py",),
    "conversation/turn/limits.py": ("conversation/session/test_limits.py",),
    "conversation/turn/offering.py": ("conversation/session/test_terms.py",),
    "conversation/turn/patches.py": ("conversation/session/test_afterwards.py",),
    "conversation/turn/pricing.py": ("conversation/session/test_afterwards.py",),
    "conversation/turn/reply.py": (
        "conversation/session/test_cut_streams.py",
        "conversation/session/test_turns.py",
    ),
    "conversation/turn/request.py": (
        "conversation/session/test_masked_paths.py",
        "conversation/session/test_limits.py",
    ),
    "conversation/turn/requesting.py": (
        "conversation/session/test_constraining.py",
        "conversation/session/test_faults.py",
        "conversation/session/test_limits.py",
    ),
    "conversation/turn/result.py": ("conversation/session/test_afterwards.py",),
    "conversation/turn/call_results.py": ("conversation/session/test_approvals.py",),
    "conversation/turn/clearing.py": (
        "conversation/session/test_changed_tools.py",
        "conversation/session/test_decisions_everywhere.py",
    ),
    "conversation/turn/checking.py": (
        "conversation/turn/test_doubted.py",
        "conversation/turn/test_unknown_arguments.py",
    ),
    "conversation/turn/settling.py": (
        "conversation/session/test_approvals.py",
        "conversation/session/test_decisions_everywhere.py",
        "conversation/session/test_tools.py",
    ),
    "conversation/turn/tracebacks.py": ("conversation/session/test_limits.py",),
    "conversation/turn/undoing.py": ("conversation/session/test_afterwards.py",),
    "conversation/turn/values.py": ("conversation/session/test_native.py",),
    "conversation/journal/disarming.py": (
        "conversation/session/test_export.py",
        "conversation/session/test_imported_approvals.py",
    ),
    "conversation/journal/export.py": ("conversation/session/test_export.py",),
    "conversation/journal/following.py": ("conversation/session/test_branches.py",),
    "conversation/journal/keeping.py": (
        "conversation/session/test_branches.py",
        "conversation/session/test_keeping.py",
        "conversation/session/test_message_ids.py",
    ),
    "conversation/journal/kept_session.py": (
        "conversation/session/test_afterwards.py",
        "conversation/session/test_branches.py",
        "conversation/session/test_keeping.py",
        "conversation/session/test_message_ids.py",
    ),
    "conversation/journal/log.py": (
        "conversation/session/test_keeping.py",
        "conversation/session/test_message_ids.py",
        "conversation/session/test_tree.py",
    ),
    "conversation/journal/logged.py": (
        "conversation/journal/test_frozen.py",
        "conversation/session/test_keeping.py",
        "conversation/session/test_tree.py",
    ),
    "conversation/journal/packing.py": ("conversation/session/test_terms.py",),
    "conversation/journal/replay.py": (
        "conversation/session/test_keeping.py",
        "conversation/session/test_replay.py",
    ),
    "conversation/journal/read_result.py": (
        "conversation/session/test_afterwards.py",
        "conversation/session/test_replay.py",
    ),
    "conversation/journal/redacting.py": ("conversation/session/test_redacting.py",),
    "conversation/journal/read_conversation.py": (
        "conversation/session/test_replay.py",
        "conversation/session/test_tree.py",
    ),
    "conversation/journal/titles.py": ("conversation/session/test_branches.py",),
    "conversation/workspaces.py": ("conversation/session/test_terms.py",),
    "conversation/session/lost_turns.py": ("conversation/stores/test_workers.py",),
    "conversation/session/settings.py": ("conversation/session/test_terms.py",),
    "conversation/session/turn_spans.py": ("conversation/session/test_spans.py",),
    "conversation/session/workers.py": (
        "conversation/stores/test_workers.py",
        "conversation/stores/test_workers_page.py",
    ),
    "gateway/llm_plugin.py": ("gateway/frameworks/test_llm.py",),
    "bulk/ray.py": ("bulk/engines",),
    "testing/laws": ("laws", "testing/test_seeded_faults.py"),
    "cli/checkup.py": ("cli/test_commands.py",),
    "cli/completing.py": ("cli/commands/test_completion.py",),
    "cli/explain_view.py": ("cli/commands/test_explain.py",),
    "cli/mcp_servers.py": ("cli/commands/test_mcp.py",),
    "cli/probe_view.py": ("cli/commands/test_probe.py",),
    "cli/sessions_view.py": ("cli/commands/test_sessions.py",),
    "cli/commands/capture.py": ("testing/test_capturing.py",),
    "cli/commands/chat.py": ("cli/chat",),
    "cli/commands/doctor.py": ("cli/test_commands.py",),
    "cli/commands/model.py": ("endpoints/local/test_model_command.py",),
    "cli/commands/new_paradigm.py": ("cli/scaffold",),
    "cli/commands/paradigms.py": ("cli/test_commands.py",),
    "cli/commands/parse.py": ("cli/bulk",),
    "cli/commands/prompt.py": ("cli/test_commands.py",),
    "cli/commands/replay.py": ("testing/test_replaying.py",),
    "cli/commands/serve.py": ("cli/test_constraining.py", "gateway/proxy/test_config.py"),
    "cli/commands/tour.py": ("cli/test_tour.py",),
    "cli/commands/trust.py": ("cli/test_trust.py",),
    "cli/commands/web.py": ("cli/test_every_command.py", "cli/test_missing_extras.py"),
}

#: Tests of what several modules do together: files, or folders with all that is in them.
CROSSING = (
    "conversation/mcp/references",
    "endpoints/libraries",
    "gateway/frameworks",
    "gateway/proxy/agents",
    "gateway/proxy/clients",
)


def tests_of(source: str, table: Mapping[str, Sequence[str]] = TABLE) -> list[str]:
    """Return the tests of *source*, a path below ``toolproto``, as paths below ``tests``.

    A folder stands for the tests that are directly in it.
    """
    path = PurePosixPath(source)
    own = path.with_name(f"test_{path.name}")
    if (TESTS / own).exists():
        return [str(own)]
    for place in (path, *path.parents):
        if str(place) in table:
            return list(table[str(place)])
    folder = path.parent
    # The tests beside this file are of the repository, and belong to no module.
    return [str(folder)] if folder.parts and any((TESTS / folder).glob("test_*.py")) else []


if __name__ == "__main__":
    for named in sys.argv[1:]:
        below = PurePosixPath(named).as_posix().rpartition("toolproto/")[2]
        print(*(f"tests/{each}" for each in tests_of(below)), sep="\n")
