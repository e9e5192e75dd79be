"""Run one case of a program in programs/ and cut its output into arrays."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import DTypeLike

from tests.conformance import native
from tests.conformance.aie_api.lane_values import Array

HERE = Path(__file__).resolve().parent


def call(program: str, arch: str, case: str, *operands: Array, defines: tuple[str, ...] = ()) -> bytes:
    """Return what a case writes for the given operands."""
    outcome = attempt(program, arch, case, *operands, defines=defines)
    assert outcome.code == 0, f"{case}: exit code {outcome.code}: {outcome.errors}"
    return outcome.output


def attempt(
    program: str, arch: str, case: str, *operands: Array, defines: tuple[str, ...] = ()
) -> native.Outcome:
    """Run a case that may be refused."""
    text = (HERE / "programs" / f"{program}.cpp").read_text(encoding="utf-8")
    data = b"".join(np.ascontiguousarray(x).tobytes() for x in operands)
    return native.execute(text, arch, data, (case,), defines=defines)


def compare(output: bytes, expected: list[tuple[str, Array]], dtype: DTypeLike) -> None:
    """Check that the output is the expected arrays one after another; each has a name for the message."""
    at = 0
    for name, values in expected:
        want = np.atleast_1d(np.asarray(values))
        kind = want.dtype if want.dtype != object else np.dtype(dtype)
        size = want.size * kind.itemsize
        got = np.frombuffer(output[at : at + size], dtype=kind)
        np.testing.assert_array_equal(got, want.ravel().astype(kind), err_msg=name)
        at += size
    assert at == len(output), f"{len(output) - at} bytes more than expected"
