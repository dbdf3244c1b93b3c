"""Requests to servers of this machine, as httpx makes them, but without TLS.

Nobody here speaks it, and httpx reads the certificates of the whole world for each client that
might: thirty milliseconds, several times what most tests take.
"""

from __future__ import annotations

from functools import partial

import httpx

delete = partial(httpx.delete, verify=False)
get = partial(httpx.get, verify=False)
post = partial(httpx.post, verify=False)
put = partial(httpx.put, verify=False)
request = partial(httpx.request, verify=False)
stream = partial(httpx.stream, verify=False)
Client = partial(httpx.Client, verify=False)
AsyncClient = partial(httpx.AsyncClient, verify=False)
