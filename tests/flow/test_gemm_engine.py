"""Matrix products on the engine in the logic: its reference against definitions, the emulated engine against its reference."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aieloom.cli import main
from aieloom.emit.files import write_tree
from aieloom.errors import CannotFit
from aieloom.flow.gemm.engine import (
    EngineRequest,
    build_product,
    matrices_of,
    operands,
    plan_product,
    render_engine,
)
from aieloom.flow.gemm.run import run_on
from aieloom.matrix_engine.emit import SOURCE
from aieloom.matrix_engine.engine import plan_engine, product_cost, threshold
from aieloom.matrix_engine.reference import product
from aieloom.spec.device import load_board

BOARD = load_board("zynq-7020")
SMALL = (16, 16, 8)  # a block that a product of a few hundred elements has several of


def request_of(element: Any, **more: Any) -> EngineRequest:
    return EngineRequest(**{"m": 37, "k": 29, "n": 21, "element": element, "block": SMALL, **more})


@pytest.mark.parametrize(
    "request_",
    [
        request_of("float32", alpha=0.3, beta=-1.7, transpose_a=True, transpose_b=True),
        request_of("float16", alpha=2.0, beta=0.25, transpose_b=True),
        request_of("int8", alpha=-3, transpose_a=True),
    ],
    ids=lambda r: r.element,
)
def test_the_emulated_engine_equals_its_reference(request_: EngineRequest, tmp_path: Path) -> None:
    plan = plan_product(BOARD, request_)
    matrices = matrices_of(plan, 7)
    checked = run_on(matrices, lambda: build_product(plan, tmp_path), tmp_path)
    assert checked.different == 0
    a, b, c = (v.astype(np.float64) for v in operands(request_, 7))
    exact = request_.alpha * (a @ b) + request_.beta * c
    sums = np.abs(a) @ np.abs(b) * abs(request_.alpha) + np.abs(request_.beta * c)
    unit = {"float32": 2.0**-24, "float16": 2.0**-11, "int8": 0.0}[request_.element]
    assert (np.abs(checked.c - exact) <= unit * (request_.k + 4) * sums).all(), "what BLAS's gemm defines"


STREAM = (
    "namespace hls { template <typename T> struct stream { void write(T) {} T read() { return T(); } }; }\n"
)
PLACES = """
#include <cstdio>
static long long furthest[4];
static void reach(int port, long long end) { furthest[port] = end > furthest[port] ? end : furthest[port]; }
int main() {
  gemm_engine(nullptr, nullptr, nullptr, nullptr, %d, %d, %d, 1, 0);
  std::printf("%%lld %%lld %%lld %%lld\\n", furthest[0], furthest[1], furthest[2], furthest[3]);
}
"""


@pytest.mark.parametrize("sizes", [(65536, 16, 65536), (16, 65536, 65536), (65536, 65536, 32)])
def test_matrices_beyond_2_31_elements_are_read_where_they_lie(
    sizes: tuple[int, int, int], tmp_path: Path
) -> None:
    """The kernel's own loops, with what it reads and writes noted in place of it: blocks reach the end of each matrix."""
    m, n, k = sizes
    request = request_of("int8", m=m, k=k, n=n, block=(64, 64, 32))
    tree = render_engine(plan_product(load_board("vck190"), request))
    head, main = PLACES.split("int main", maxsplit=1)
    calls = {
        r"load<T>\((a \+ .*?), (b \+ .*?), a_block, b_block\);": r"reach(0, (\1) - a + T::kM * T::kK); reach(1, (\2) - b + T::kK * T::kN);",
        r"multiply<T>\(a_block.*?, (c \+ \w+), (r \+ \w+), .*?\);": r"reach(2, (\1) - c + T::kM * T::kN); reach(3, (\2) - r + T::kM * T::kN);",
    }
    header = "src/include/aieloom/pl/engine/matrix_engine.h"
    text = str(tree[header])
    for was, becomes in calls.items():
        text, count = re.subn(rf"^ +{was}", becomes, text, flags=re.MULTILINE)
        assert count == 1
    write_tree(tmp_path, {**tree, header: text}, owned=())
    (tmp_path / "hls_stream.h").write_text(STREAM)
    blocks = (-(-m // 64), -(-n // 64), -(-k // 32))
    program = tmp_path / "src" / "pl" / "places.cpp"
    program.write_text(f"{head}\n{tree[SOURCE]}\nint main{main % blocks}")
    made = tmp_path / "places"
    subprocess.run(
        ["g++", "-std=c++17", "-O1", "-fwrapv", "-w", f"-I{tmp_path}", "-o", made, program], check=True
    )
    ran = subprocess.run([made], check=True, capture_output=True, text=True)
    rows, columns, depth = blocks[0] * 64, blocks[1] * 64, blocks[2] * 32
    assert [int(v) for v in ran.stdout.split()] == [
        rows * depth,
        depth * columns,
        rows * columns,
        rows * columns,
    ]


@pytest.mark.parametrize(("beta", "results"), [(0.0, 1), (1.0, 2)])
def test_matrices_that_device_memory_does_not_hold_are_refused(beta: float, results: int) -> None:
    """Blocks of 16 x 16 x 8: 32,768 is a multiple, 17 columns are 32."""
    request = request_of("float32", m=32768, k=32768, n=17, beta=beta)
    wanted = 4 * (32768 * 32768 + 32768 * 32 + results * 32768 * 32)
    with pytest.raises(CannotFit) as error:
        plan_product(BOARD, request)
    (problem,) = error.value.problems
    assert problem.rule == "engine-1"
    assert f"take {wanted:,} bytes of device memory; zynq-7020 has 1,073,741,824" in problem.text
    assert plan_product(load_board("vck190"), request), "whose file does not say how much it has"


def test_without_beta_c_is_not_read() -> None:
    a, b, _ = operands(request_of("float32"), 1)
    assert np.isfinite(product(a, b, "float32", 8, c=np.full((37, 21), np.nan, np.float32))).all()


@given(st.integers(1, 5), st.integers(1, 7), st.integers(1, 5), st.integers(0, 99))
@settings(max_examples=30, deadline=None)
def test_floats_are_summed_one_after_another(m: int, k: int, n: int, seed: int) -> None:
    """Scalars of NumPy round each operation; the order is written out here."""
    random = np.random.default_rng(seed)
    for element, kind in (("float32", np.float32), ("float16", np.float16)):
        a, b = (random.normal(0, 3, s).astype(np.float32) for s in ((m, k), (k, n)))
        found = product(a, b, element, 4, alpha=0.7)  # type: ignore[arg-type]
        for i in range(m):
            for j in range(n):
                total = kind(0)
                for x in range(k):
                    total = kind(total + kind(kind(a[i, x]) * kind(b[x, j])))
                assert found[i, j] == np.float32(0.7) * np.float32(total)


@given(st.integers(-(1 << 31), (1 << 31) - 1), st.integers(-(1 << 31), (1 << 31) - 1), st.integers(0, 99))
@settings(max_examples=30, deadline=None)
def test_integers_are_exact_modulo_2_32(alpha: int, beta: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    a, b = (random.integers(-128, 128, (3, 3)).astype(np.int8) for _ in range(2))
    c = random.integers(-(1 << 31), 1 << 31, (3, 3)).astype(np.int32)
    found = product(a, b, "int8", 4, alpha=alpha, beta=beta, c=c)
    for i in range(3):
        for j in range(3):
            exact = alpha * sum(int(a[i, x]) * int(b[x, j]) for x in range(3)) + beta * int(c[i, j])
            assert int(found[i, j]) % (1 << 32) == exact % (1 << 32)


def test_the_published_convolution_is_worth_the_engine() -> None:
    """96 x 484 x 363: 1.7 s on the processor, less than half of it with the engine, as published."""
    engine = plan_engine(BOARD, "float32")
    cost = product_cost(engine, 96, 484, 363)
    assert cost.blocks == (2, 11, 8), "of 48 x 48 x 48, which the margin holds (tests/matrix_engine)"
    assert product_cost(plan_engine(BOARD, "float32", (64, 64, 56)), 96, 484, 363).blocks == (2, 8, 7)
    assert cost.on_engine
    side = threshold(engine)
    assert 0 < side <= 64, "the smallest product that the published design runs in the logic"
    assert not product_cost(engine, side - 1, side - 1, side - 1).on_engine


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("--engine pl --target zynq-7020 --dtype bfloat16", "[option] --dtype bfloat16"),
        ("--engine pl --target zynq-7020 --cores 3", "[option] --cores is an option of --engine aie"),
        ("--engine pl --target zynq-7020 --alpha nan", "[option] --alpha nan"),
        ("--engine pl --target zynq-7020 --dtype int8 --beta 0.5", "[option] --beta 0.5"),
        ("--engine pl --target zynq-7020 --block 64 64 60", "[engine-1] a block of 64 x 64 x 60"),
        ("--target zynq-7020", "[array-2] zynq-7020 has no AI Engine array"),
        ("--target vck190 --beta 1", "[option] --beta is an option of --engine pl"),
        ("--target vck190 --dtype float16", "[option] --dtype float16"),
    ],
)
def test_what_cannot_be_is_refused(
    words: str, text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["gemm", "8", "8", "8", *words.split(), "--out", str(tmp_path / "out")]) == 2
    assert text in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("block", "chain", "warned"),
    [("", (48, 186), 0), ("--block 64 64 56", (56, 220), 3)],
    ids=["solved within the margin", "as published"],
)
def test_a_written_design_says_how_the_chain_is_divided(
    block: str, chain: tuple[int, int], warned: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """At 143 MHz the margin is 85 % of DSP slices and block RAM, 80 % of LUTs; the published block takes more of each."""
    k, dsp = chain
    words = ["gemm", "96", "363", "484", "--engine", "pl", "--target", "zynq-7020", *block.split()]
    assert main([*words, "--out", str(tmp_path)]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert said.count("it may not close at 142.857 MHz") == warned
    kernel = (tmp_path / "src/pl/gemm_engine.cpp").read_text()
    assert f" kK = {k};" in kernel
    assert len(re.findall(r"product::Range<\d+, \d+, product::Fabric, ", kernel)) == 1
    plan = json.loads((tmp_path / "plan.json").read_text())["plan"]
    assert plan["units"][0]["body"]["block"]["dsp"] == dsp
    assert "freqHz=142857143:gemm_engine_1" in (tmp_path / "src/system.cfg").read_text()
