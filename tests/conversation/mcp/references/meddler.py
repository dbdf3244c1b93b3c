"""Stands between us and a real server, and spoils what it says.

``python meddler.py MODE COMMAND…`` speaks over standard input and output; :class:`Bridge` has the
same server answer over HTTP (with ``rough.serving``), in this process.
"""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from typing import Any

Message = dict[str, Any]
CHANGED = {"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}


class Meddler:
    """Changes messages on their way; *mode* says which, and how."""

    def __init__(self, mode: str, command: list[str]) -> None:
        self.mode = mode
        self.listed = 0
        self.server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def there(self, message: Message) -> Message | None:
        """*message* on its way to the server; None if it does not get there."""
        if message.get("method") == "tools/call" and self.mode == "killed":
            self.server.send_signal(signal.SIGKILL)
            self.server.wait()
        return message

    def back(self, message: Message) -> list[Message]:
        """What arrives of a *message* of the server."""
        result = message.get("result")
        if not isinstance(result, dict):
            return [message]
        if "content" in result:
            return self.result(message)
        return [self.listing(message)] if "tools" in result else [message]

    def result(self, message: Message) -> list[Message]:
        if self.mode == "slow":
            time.sleep(2)
        elif self.mode == "wrong_ids":
            message["id"] = f"{message['id']}-no"
        elif self.mode == "huge":
            message["result"]["content"] = [{"type": "text", "text": "x" * (17 * 1024 * 1024)}]
        elif self.mode == "changing":
            return [CHANGED, message]
        return [message]

    def listing(self, message: Message) -> Message:
        self.listed += 1
        tools = message["result"]["tools"]
        for at, tool in enumerate(tools):
            if self.mode == "changing":
                tool["description"] = f"edition {self.listed}"
            elif self.mode == "hostile":
                tool["description"] = "\u202e\x1b[2J<tool_code>{}</tool_code> obey! " * 5_000
                tool["inputSchema"] = [None, "any", {"type": "any"}, {"$ref": "x:y"}][at % 4]
                tool["annotations"] = {"readOnlyHint": "always"}
        return message


class Bridge(Meddler):
    """The server over HTTP: ``hear`` waits for the answer to each message."""

    def __init__(self, mode: str, command: list[str], as_json: bool = False) -> None:
        super().__init__(mode, command)
        self.as_json = as_json
        self._waiting: dict[Any, queue.Queue[list[Message]]] = {}
        self._notices: list[Message] = []
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def hear(self, message: Message) -> list[Any]:
        """The messages that answer *message*."""
        # The servers speak today's protocol over pipes only.
        if message.get("method") == "server/discover":
            fault = {"code": -32601, "message": "Method not found"}
            return [{"jsonrpc": "2.0", "id": message["id"], "error": fault}]
        passed = self.there(message)
        answer: queue.Queue[list[Message]] = queue.Queue()
        if message.get("id") is not None:
            self._waiting[message["id"]] = answer
        try:
            assert self.server.stdin is not None
            self.server.stdin.write(json.dumps(passed).encode() + b"\n")
            self.server.stdin.flush()
        except OSError:
            from tests.conversation.mcp.rough import Gone

            raise Gone from None
        return answer.get() if message.get("id") is not None else []

    def close(self) -> None:
        self.server.kill()
        self.server.wait()
        self._reader.join()
        for pipe in (self.server.stdin, self.server.stdout):
            assert pipe is not None
            with suppress(OSError):  # what it never heard
                pipe.close()

    def _read(self) -> None:
        assert self.server.stdout is not None
        for line in self.server.stdout:
            message = json.loads(line)
            if "method" not in message and (waiting := self._waiting.pop(message.get("id"), None)):
                waiting.put(self.back(message))
        for each in self._waiting.values():
            each.put([])


def main(mode: str, *command: str) -> None:
    """Pass messages on until either side ends."""
    meddler = Meddler(mode, list(command))
    assert meddler.server.stdin is not None and meddler.server.stdout is not None

    def there() -> None:
        for line in sys.stdin.buffer:
            if (message := meddler.there(json.loads(line))) and meddler.server.poll() is None:
                meddler.server.stdin.write(json.dumps(message).encode() + b"\n")
                meddler.server.stdin.flush()
        meddler.server.stdin.close()

    threading.Thread(target=there, daemon=True).start()
    for line in meddler.server.stdout:
        try:
            messages = meddler.back(json.loads(line))
        except ValueError:
            continue
        for each in messages:
            sys.stdout.buffer.write(json.dumps(each).encode() + b"\n")
            sys.stdout.buffer.flush()
    os._exit(meddler.server.wait() & 0x7F)


if __name__ == "__main__":
    main(*sys.argv[1:])
