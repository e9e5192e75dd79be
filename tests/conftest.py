"""What all tests share: property tests are judged by what they find, never by how fast the machine is."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

settings.register_profile("aieloom", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("aieloom")
