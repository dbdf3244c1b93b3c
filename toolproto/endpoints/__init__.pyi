from .apis.anthropic.client import Anthropic as Anthropic
from .apis.dialect import Dialect as Dialect
from .apis.google.client import Gemini as Gemini
from .apis.ollama.client import Ollama as Ollama
from .apis.openai_chat.azure import AzureOpenAI as AzureOpenAI
from .apis.openai_chat.client import OpenAIChat as OpenAIChat
from .apis.openai_completions.client import CHATML as CHATML
from .apis.openai_completions.client import OpenAICompletions as OpenAICompletions
from .apis.openai_completions.client import PromptTemplate as PromptTemplate
from .base import (
    Abortable as Abortable,
)
from .base import (
    AsyncEndpoint as AsyncEndpoint,
)
from .base import (
    Endpoint as Endpoint,
)
from .chat_templates import chat_template as chat_template
from .client import ClientEndpoint as ClientEndpoint
from .function import (
    FunctionEndpoint as FunctionEndpoint,
)
from .function import (
    as_async_endpoint as as_async_endpoint,
)
from .function import (
    as_endpoint as as_endpoint,
)
from .http.http_endpoint import HttpEndpoint as HttpEndpoint
from .http.retries import Retries as Retries
from .http.timeouts import Timeouts as Timeouts
from .local.endpoint import LocalEndpoint as LocalEndpoint
from .local.models import find_model as find_model
from .local.pulling import pull as pull
from .recorded.cassette import (
    RecordingEndpoint as RecordingEndpoint,
)
from .recorded.cassette import (
    ReplayEndpoint as ReplayEndpoint,
)
from .recorded.scripted import (
    Hold as Hold,
)
from .recorded.scripted import (
    ScriptedEndpoint as ScriptedEndpoint,
)
from .recorded.scripted import (
    ScriptedReply as ScriptedReply,
)
