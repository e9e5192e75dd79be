"""Generated kernels compile against AMD's public headers of the AIE API, and what those refuse is refused here too."""

from __future__ import annotations

import itertools
import re
import shutil
from pathlib import Path

import pytest

from aieloom.emit.files import write_tree
from aieloom.flow.gemm.run import write_design
from aieloom.hardware.mmul import Shape
from aieloom.sequential.emit import render
from aieloom.spec.device import load_device
from aieloom.strategies.array_gemm.whole import whole
from tests.oracles.api.stubs import Headers, inlined
from tests.oracles.checkouts import checkout
from tests.oracles.plans import BOARDS, PROJECTS, project_design, random_designs
from tests.sequential.networks import NETWORK, opened, quantised
from tests.strategies.array_gemm.plans import plan_of as gemm_plan

ARCHITECTURES = {"aie": 10, "aie-ml": 20}


@pytest.fixture(scope="session")
def headers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Headers]:
    """The headers for each architecture, with declarations of what they call."""
    if not shutil.which("clang++"):
        pytest.skip("needs clang 14 or newer: apt-get install clang")
    root = checkout("aie_api")
    folder = tmp_path_factory.mktemp("aie_api")
    return {name: Headers(root, macro, folder / name) for name, macro in ARCHITECTURES.items()}


def kernels_in(folder: Path) -> dict[str, str]:
    """Return the kernels that were generated below a folder."""
    return {f"{folder.name}/{f.name}": inlined(f) for f in sorted((folder / "src" / "aie").glob("*.cc"))}


def refused(headers: dict[str, Headers], kernels: dict[str, dict[str, str]]) -> list[str]:
    """Return what the headers refuse of kernels by architecture, each text compiled once."""
    found: list[str] = []
    for arch, texts in kernels.items():
        once = {text: name for name, text in texts.items()}
        print(f"{arch}: {len(texts)} kernels, {len(once)} texts")
        found += headers[arch].compile({name: text for text, name in once.items()}) if once else []
    return found


def test_every_project_s_kernels_compile(
    headers: dict[str, Headers], tmp_path_factory: pytest.TempPathFactory, tmp_path: Path
) -> None:
    kernels: dict[str, dict[str, str]] = {arch: {} for arch in ARCHITECTURES}
    for name, board in itertools.product(PROJECTS, BOARDS):
        design = project_design(name, board, tmp_path_factory.getbasetemp() / f"{name}-{board}")
        if design:
            folder = tmp_path / f"{name}-{board}"
            write_tree(folder, design.files(), owned=())
            kernels[design.plan.device.architecture.value] |= kernels_in(folder)
    assert {name.split("/")[0].rsplit("-", 1)[0] for texts in kernels.values() for name in texts} == set(
        PROJECTS
    )
    assert refused(headers, kernels) == []


def test_random_plans_kernels_compile(headers: dict[str, Headers], tmp_path: Path) -> None:
    kernels: dict[str, dict[str, str]] = {arch: {} for arch in ARCHITECTURES}
    for name, design in random_designs():
        folder = tmp_path / name.replace(" ", "_")
        write_tree(folder, design.files(), owned=())
        kernels[design.plan.device.architecture.value] |= kernels_in(folder)
    assert all(kernels.values())
    assert refused(headers, kernels) == []


@pytest.mark.parametrize(
    ("size", "kind", "grid"),
    [
        ((64, 64, 64), ("vck190", "float32"), (1, 1, 1)),
        ((64, 64, 64), ("vck190", "int8"), (2, 2, 2)),
        ((64, 128, 64), ("vek280", "bfloat16"), (1, 2, 2)),
    ],
)
def test_the_products_kernels_compile(
    headers: dict[str, Headers], size: Shape, kind: tuple[str, str], grid: Shape, tmp_path: Path
) -> None:
    plan = gemm_plan(*size, *kind, grid=grid)
    write_design(whole(plan), tmp_path)
    assert refused(headers, {plan.device.architecture.value: kernels_in(tmp_path)}) == []


@pytest.mark.parametrize(
    ("target", "kind"),
    [("vck190", "multiplier"), ("vek280", "multiplier"), ("vck190", "float32"), ("vek280", "bfloat16")],
)
def test_engines_for_layers_in_turn_compile(
    headers: dict[str, Headers], target: str, kind: str, tmp_path: Path
) -> None:
    """The cores of an engine on the array, in integers and floats."""
    text = quantised(kind) if kind == "multiplier" else NETWORK.rpartition("  - {name: shares")[0]
    text += "quantize: {activations: bfloat16, weights: bfloat16}\n" if kind == "bfloat16" else ""
    project = opened(tmp_path, text.replace("zcu104", target).replace("vck190", target) + "engine: aie\n")
    write_tree(tmp_path / "made", render(project.plan, project.parameters), owned=())
    kernels = kernels_in(tmp_path / "made")
    assert kernels
    assert refused(headers, {load_device(target).architecture.value: kernels}) == []


MMUL = """
#include <aie_api/aie.hpp>
using M = aie::mmul<{shape}, {a}, {b}>;
void f({a}* __restrict p, {b}* __restrict q, {c}* __restrict r) {{
  M m(aie::load_v<M::size_C>(r));
  m.mac(aie::load_v<{of_a}>(p), aie::load_v<{of_b}>(q));
  aie::store_v(r, m.template to_vector<{c}>());
}}
"""
# what is wrong: architecture, types of A, B and C; a legal shape with its operands' lanes, and another
REFUSED = {
    "a shape that AIE lacks": ("aie", ("float", "float", "float"), ("4, 2, 4", 8, 8), ("4, 8, 8", 32, 64)),
    "a shape of other types": (
        "aie-ml",
        ("bfloat16", "bfloat16", "float"),
        ("4, 8, 4", 32, 32),
        ("4, 16, 8", 64, 128),
    ),
    "other lanes": ("aie", ("int8", "int8", "int16"), ("4, 8, 4", 32, 32), ("4, 8, 4", 32, 64)),
    "other lanes on AIE-ML": ("aie-ml", ("int8", "int8", "int16"), ("4, 8, 8", 32, 64), ("4, 8, 8", 64, 64)),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_the_headers_refuse_is_refused(headers: dict[str, Headers], case: str) -> None:
    arch, (a, b, c), *both = REFUSED[case]
    for (shape, of_a, of_b), legal in zip(both, (True, False), strict=True):
        text = MMUL.format(shape=shape, a=a, b=b, c=c, of_a=of_a, of_b=of_b)
        assert (headers[arch].compile({"kernel": text}) == []) == legal


@pytest.mark.parametrize("arch", ARCHITECTURES)
def test_a_fault_in_a_generated_kernel_is_caught(
    headers: dict[str, Headers], arch: str, tmp_path: Path
) -> None:
    """Another shape, another type, another lane count, an undeclared name: each in a kernel that compiles as it is."""
    board = "vck190" if arch == "aie" else "vek280"
    plan = gemm_plan(64, 64, 64, board, "int8")
    write_design(whole(plan), tmp_path)
    name, text = next(iter(kernels_in(tmp_path).items()))
    assert headers[arch].compile({name: text}) == []
    shape = re.search(r"aie::mmul<(\d+), (\d+), (\d+), int8, int8", text)
    assert shape
    faults = {
        shape[0]: shape[0].replace(f"<{shape[1]},", "<5,"),
        "int8, int8": "int8, int24",
        "aie::load_v<Mmul::size_A>": "aie::load_v<Mmul::size_A * 3>",
        "aie::store_v(": "aie::store_vector(",
    }
    for old, new in faults.items():
        assert old in text, old
        assert headers[arch].compile({name: text.replace(old, new)}) != [], f"{old} -> {new}"


def test_typed_intrinsics_refuse_other_lanes(headers: dict[str, Headers]) -> None:
    """The declarations are of use: a product by the intrinsic itself with operands of another shape is refused."""
    call = "#include <aie_api/aie.hpp>\nvoid f({a} x, {b} y) {{ v32acc32 z = ::mul_4x8_8x8(x, true, y, true); }}\n"
    half = "#include <aie_api/aie.hpp>\n{r} f({a} x) {{ return ::{name}(x, 0); }}\n"
    for text, legal in (
        (call.format(a="v64int8", b="v64int8"), True),
        (call.format(a="v16int8", b="v64int8"), False),
        (call.format(a="v64int8", b="v32int8"), False),
        (half.format(r="v32int8", a="v64int8", name="extract_v32int8"), True),
        (half.format(r="v64int8", a="v32int8", name="extract_v64int8"), False),
    ):
        assert (headers["aie-ml"].compile({"call": text}) == []) == legal, text
