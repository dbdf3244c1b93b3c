from .as_json import event_json as event_json
from .hooks import StreamData as StreamData
from .journal.export import (
    export_jsonl as export_jsonl,
)
from .journal.export import (
    export_markdown as export_markdown,
)
from .journal.export import (
    import_jsonl as import_jsonl,
)
from .journal.redacting import Redaction as Redaction
from .masking.fields import Masking as Masking
from .mcp.config import (
    McpConfig as McpConfig,
)
from .mcp.config import (
    read_servers as read_servers,
)
from .mcp.server import McpServer as McpServer
from .session.options import (
    SessionOptions as SessionOptions,
)
from .session.options import (
    TurnTerms as TurnTerms,
)
from .session.workers import SessionWorkers as SessionWorkers
from .stores import SqlStore as SqlStore
from .stores.base import (
    Record as Record,
)
from .stores.base import (
    SessionInfo as SessionInfo,
)
from .stores.base import (
    Store as Store,
)
from .stores.memory import MemoryStore as MemoryStore
from .stores.opening import open_store as open_store
from .toolsets.file_tools import file_tools as file_tools
from .toolsets.files import FileLimits as FileLimits
from .toolsets.folder import FolderFiles as FolderFiles
from .toolsets.memory import MemoryFiles as MemoryFiles
from .toolsets.rule_book import rules_tool as rules_tool
from .toolsets.stored import StoredFiles as StoredFiles
from .turn.compaction import Compaction as Compaction
from .turn.events import (
    ApprovalAsked as ApprovalAsked,
)
from .turn.events import (
    CompactionFailed as CompactionFailed,
)
from .turn.events import (
    Decided as Decided,
)
from .turn.events import (
    HistoryCompacted as HistoryCompacted,
)
from .turn.events import (
    ReasoningEnded as ReasoningEnded,
)
from .turn.events import (
    ReasoningStarted as ReasoningStarted,
)
from .turn.events import (
    ReplyConstrained as ReplyConstrained,
)
from .turn.events import (
    SessionEvent as SessionEvent,
)
from .turn.events import (
    StepEnded as StepEnded,
)
from .turn.events import (
    StepStarted as StepStarted,
)
from .turn.events import (
    ToolProgressed as ToolProgressed,
)
from .turn.result import (
    CallRecord as CallRecord,
)
from .turn.result import (
    TurnStats as TurnStats,
)
from .turn.states import TurnSnapshot as TurnSnapshot
from .workspaces import Workspace as Workspace
