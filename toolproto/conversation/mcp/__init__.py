"""Tools of MCP servers, in a session beside one's own.

::

    config.py       how a server is started or reached; ``mcpServers`` as other programs write it
    server.py       McpServer: a source of tools, started when it is needed
    keeper.py       one server over its lives: started again, listed again, called
    connection.py   one life of it
    wire.py         what a stranger sends, before anybody relies on its shape
    stdio.py        a process of its own, and its end
    http.py         streamable HTTP and SSE, within bounds
    background.py   the one thread on which all of that waits

    tools.py        what a server lists, as tools; words.py its words, names.py its names
    risks.py        what a server claims about them; pins.py what it claimed before
    results.py      what a call gives; asking.py what a server asks in the middle of one

Everything a server says is a stranger's word: bounded, defused, and never raised through a turn.
Needs the extra ``toolproto[mcp]``, which is imported when the first server is opened.
"""

from ...protocol.errors import McpError
from .config import McpConfig, read_servers
from .server import McpServer

__all__ = ["McpConfig", "McpError", "McpServer", "read_servers"]
