from .bridge.driving import pieces_of as pieces_of
from .bridge.entry import Bridge as Bridge
from .bridge.terms import ModelTerms as ModelTerms
from .proxy import make_app as make_app
from .proxy.config import (
    ProxyConfig as ProxyConfig,
)
from .proxy.config import (
    ProxyLimits as ProxyLimits,
)
from .proxy.config import (
    Upstream as Upstream,
)
from .transport.asynchronous import AsyncToolTransport as AsyncToolTransport
from .transport.clients import (
    anthropic_client as anthropic_client,
)
from .transport.clients import (
    async_anthropic_client as async_anthropic_client,
)
from .transport.clients import (
    async_ollama_client as async_ollama_client,
)
from .transport.clients import (
    async_openai_client as async_openai_client,
)
from .transport.clients import (
    ollama_client as ollama_client,
)
from .transport.clients import (
    openai_client as openai_client,
)
from .transport.sync import ToolTransport as ToolTransport
