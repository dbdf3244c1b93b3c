"""Settings shared by all tests."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

# Time is not what these tests measure, and shared machines are slow now and then.
settings.register_profile(
    "toolproto", deadline=None, suppress_health_check=[HealthCheck.too_slow], max_examples=150
)
settings.load_profile("toolproto")
