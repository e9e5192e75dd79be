"""In which order test files run: the quickest proofs first, so that most faults are told in the first minute.

Files go to two workers whole, since a file's tests share what they compile (`--dist loadfile`). Rooms stand in the order of
what a test of theirs takes on average, from arithmetic to whole programs. Among the rooms that compile, files that take long
begin before short ones: else one core would wait for the other's last file. `bash scripts/test --durations=50` tells what to
put into LONG; a file that is in neither table is in the middle, and no test depends on the order.
"""

from __future__ import annotations

from pathlib import PurePosixPath

ARITHMETIC = ("spec", "layout", "plan", "pl", "cost", "network", "plugins", "quantize", "strategies", "tiles", "report", "explain", "matrix_engine")  # fmt: skip
MODELS = ("onnx", "lite", "qonnx", "api", "keras")  # they import PyTorch or onnxruntime, and compile little
# Of rooms that compile: files of 10 s of processor or more, in the default suite or in CI's second run, the longest first.
LONG = (
    "espcn/test_espcn.py",
    "conformance/adf/test_doors.py",
    "conformance/aie_api/test_mmul.py",
    "conformance/adf/test_refusals.py",
    "conformance/aie_api/test_strict.py",
    "emit/test_compiles.py",
    "ops/test_ops_matmul.py",
    "ops/test_ops_subgraphs.py",
    "circuit/test_circuit.py",
    "flow/test_first_steps.py",
    "conformance/adf/test_templates.py",
    "conformance/adf/test_forms.py",
    "conformance/adf/test_half_words.py",
    "flow/test_tensor_project.py",
)


def place(nodeid: str) -> tuple[int, int]:
    """Return where a test's file stands: its class, and its place in it."""
    path = PurePosixPath(nodeid.partition("::")[0])
    if path.parts[:1] != ("tests",) or len(path.parts) == 2:  # what the documents and messages say
        return 2, 0
    room, name = path.parts[1], path.relative_to("tests").as_posix()
    for rank, rooms in enumerate((ARITHMETIC, MODELS)):
        if room in rooms and name not in LONG:
            return rank, rooms.index(room)
    return 3, LONG.index(name) if name in LONG else len(LONG)
