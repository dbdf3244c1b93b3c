"""Settings shared by all tests."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

# Time is not what these tests measure, and shared machines are slow now and then. A usual run draws
# the same cases every time; what is new is looked for by `make soak`.
settings.register_profile(
    "toolproto",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    max_examples=72,
    derandomize=True,
)
settings.register_profile(
    "soak", settings.get_profile("toolproto"), max_examples=5_000, derandomize=False
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "toolproto"))
