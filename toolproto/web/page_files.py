"""The page's own files, and what a browser may do with them.

The page runs scripts and styles of its own and nothing else: no inline script, nothing from
elsewhere. ``sandbox.html`` is the frame in which code of a model runs: it has no origin, so that it
can reach neither page nor cookies, and no network.
"""

from __future__ import annotations

import hashlib
import re
from base64 import b64encode
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

__all__ = ["PAGE_POLICY", "page_routes"]

_FOLDER = Path(__file__).parent / "page"
_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
}
_SANDBOX = "sandbox.html"
PAGE_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    "connect-src 'self'; frame-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
)
_COMMON = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    "cache-control": "no-cache",
}


def page_routes() -> list[BaseRoute]:
    """A route for each file of the page, and ``/`` for its beginning."""
    files = [path for path in sorted(_FOLDER.iterdir()) if path.suffix in _TYPES]
    routes: list[BaseRoute] = [_route(f"/page/{path.name}", path) for path in files]
    return [_route("/", _FOLDER / "index.html"), *routes]


def _route(address: str, path: Path) -> Route:
    content = path.read_bytes()
    tag = f'"{hashlib.sha256(content).hexdigest()[:32]}"'
    policy = _sandbox_policy(content) if path.name == _SANDBOX else PAGE_POLICY
    headers = {**_COMMON, "content-security-policy": policy, "etag": tag}
    if path.name == _SANDBOX:
        # A document without an origin is foreign to every page, also to ours.
        headers["cross-origin-resource-policy"] = "same-site"

    async def serve(request: Request) -> Response:
        if request.headers.get("if-none-match") == tag:
            return Response(status_code=304, headers=headers)
        return Response(content, headers=headers, media_type=_TYPES[path.suffix])

    return Route(address, serve)


def _sandbox_policy(content: bytes) -> str:
    scripts = re.findall(rb"<script>(.*?)</script>", content, re.DOTALL)
    hashes = " ".join(
        f"'sha256-{b64encode(hashlib.sha256(each).digest()).decode()}'" for each in scripts
    )
    return (
        f"default-src 'none'; script-src {hashes} 'unsafe-eval'; worker-src blob:; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'self'; sandbox allow-scripts"
    )
