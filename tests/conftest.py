"""What all tests share: they are judged by what they find, never by how fast the machine is.

So property tests have no deadline, and the signs of life that a slow command gives do not mix with what is compared.
Hundreds of commands are started: whoever set PYTHONDONTWRITEBYTECODE would wait for each to compile its modules again.
"""

from __future__ import annotations

import os
import sys
import tempfile

import pytest
from hypothesis import HealthCheck, settings

pytest.register_assert_rewrite("tests")  # of the modules that tests share, too: a failure says what differs

settings.register_profile("aieloom", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("aieloom")

os.environ["AIELOOM_PROGRESS"] = "0"
# One thread for each of the two workers: PyTorch's would wait for each other on two cores.
os.environ.setdefault("OMP_NUM_THREADS", "1")

# Nobody's own list of trusted folders is read or written.
_settings = tempfile.TemporaryDirectory()
os.environ["XDG_CONFIG_HOME"] = _settings.name
os.environ.pop("AIELOOM_TRUSTED", None)

os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the quickest proofs first; scripts/test keeps xdist from sorting files by the number of their tests."""
    from tests.order import place  # noqa: PLC0415 - behind the line that has asserts of `tests` rewritten

    items.sort(key=lambda item: place(item.nodeid))


def pytest_collection_finish() -> None:
    """Import the operators' test files before a test draws layers from them: in a test, hypothesis takes their properties for nested."""
    networks = sys.modules.get("tests.ops.networks")
    if networks:
        for op in (*networks.MAKERS, *networks.PS_MAKERS):
            networks.own_tests(op)
