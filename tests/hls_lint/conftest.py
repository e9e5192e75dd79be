"""The kernels of all small designs, once for the tests of the lint."""

from __future__ import annotations

import pytest

pytest.importorskip("clang.cindex", reason="libclang (dev dependency) is not installed")

from tests.hls_lint.kernels import Kernels


@pytest.fixture(scope="session")
def small(tmp_path_factory: pytest.TempPathFactory) -> Kernels:
    return Kernels(tmp_path_factory.mktemp("kernels"))
