"""Text mutants of the programs that the vendor's compiler refuses: so does ours, with the rule in words."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from aieloom.emulator.program import emulate
from aieloom.errors import SpecError, ToolError

HERE = Path(__file__).parent

MUTANTS = {
    "matmul shape": (
        "matmul",
        "multiply.cc",
        "aie::mmul<4, 2, 4, float, float>",
        "aie::mmul<4, 4, 4, float, float>",
    ),
    "matmul type": (
        "matmul",
        "multiply.cc",
        "aie::mmul<4, 2, 4, float, float>",
        "aie::mmul<4, 2, 4, float, int16>",
    ),
    "vector size": ("matmul", "add.cc", "aie::load_v<8>(a.data() + i)", "aie::load_v<6>(a.data() + i)"),
    "sizes of operands": (
        "matmul",
        "add.cc",
        "aie::load_v<8>(b.data() + i)",
        "aie::load_v<16>(b.data() + i)",
    ),
    "int8 shape": ("lenet", "conv.cc", "aie::mmul<2, 8, 8, int8, int8>", "aie::mmul<2, 4, 8, int8, int8>"),
    "signature": ("lenet", "maxpool.cc", "void maxpool(", "void max_pool("),
}
DEFAULT = ("matmul shape", "sizes of operands", "signature")


@pytest.mark.parametrize(
    "name", [n if n in DEFAULT else pytest.param(n, marks=pytest.mark.slow) for n in MUTANTS]
)
def test_illegal_code_is_refused(name: str, tmp_path: Path) -> None:
    program, file, good, bad = MUTANTS[name]
    folder = tmp_path / program
    shutil.copytree(HERE / program, folder)
    text = (folder / file).read_text()
    assert text.count(good) == 1
    (folder / file).write_text(text.replace(good, bad))
    try:
        done = emulate(
            folder / "graph.cpp", data=tmp_path, out=tmp_path / "out", folder=tmp_path / "build", timeout=120
        )
    except ToolError as e:
        assert e.log is not None
        assert file in e.log.read_text()
    except SpecError as e:
        assert "[kernel-source] maxpool[0]: maxpool.cc does not define maxpool" in str(e)
    else:
        pytest.fail(f"the mutant runs, with code {done.code}")
