"""A counting build of the emulator counts on a run exactly what the loops of the generated kernel say."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from aieloom.emit.files import write_tree
from aieloom.emulator.program import emulate
from tests.cost.counted import COUNTING, counted, modelled
from tests.designs import Design, design_of

# Blocks of 2 x 2, 1 x 2, 2 x 1 and 1 x 1; one pass over K and several; tiles that do not divide the matrix.
TILINGS = {
    "a": "tile: [16, 36, 16], mmul: [4, 2, 4]",
    "b": "tile: [4, 48, 8], mmul: [4, 2, 4]",
    "c": "tile: [8, 12, 20], mmul: [4, 2, 4]",
    "d": "tile: [12, 16, 4], mmul: [4, 2, 2]",
    "e": "tile: [6, 36, 6], mmul: [2, 4, 2]",
    "f": "tile: [8, 20, 3], mmul: [4, 4, 1]",
    "g": "strategy: direct, tile: [6, 18, 16]",
    "h": "strategy: direct, tile: [5, 36, 8]",
}
CALLS = 3


def network(target: str) -> str:
    layers, mapping = [], []
    for name, tiling in TILINGS.items():
        layers += [f"{{name: {name}, op: conv2d, out_channels: 16, kernel: 3, padding: 1}}"]
        layers += [f"{{name: {name}_act, op: tanh}}"]
        mapping += [f"  {name}: {{{tiling}}}"]
    header = f"name: counted\ntarget: {target}\nweights: weights.pt\ninput: {{name: x, shape: [4, 6, 8]}}\nlayers:\n"
    return header + "".join(f"  - {line}\n" for line in layers) + "mapping:\n" + "\n".join(mapping) + "\n"


def graph(design: Design, folder: Path) -> str:
    """Return a graph with one core of each layer, between PLIOs of its own."""
    includes, members, body = [], [], []
    for layer in design.plan.aie:
        name, kind, grid = layer.name, f"{layer.draft.class_name}Kernel", layer.grid
        header = (folder / f"{name}_kernel.h").read_text(encoding="utf-8")
        weights, bias = re.findall(r"\(&(?:weights|bias)\)\[(\d+)\]", header)[:2]
        includes.append(f'#include "{name}_kernel.h"')
        members.append(f"  adf::input_plio {name}_in;\n  adf::output_plio {name}_out;\n  adf::kernel {name};")
        body.append(f"""
    {name}_in = adf::input_plio::create("{name}_in", adf::plio_128_bits, "{name}_in.txt");
    {name}_out = adf::output_plio::create("{name}_out", adf::plio_128_bits, "{name}_out.txt");
    {name} = adf::kernel::create_object<{kind}>(std::vector<float>({weights}), std::vector<float>({bias}));
    adf::source({name}) = "{name}.cc";
    adf::runtime<adf::ratio>({name}) = 0.9;
    adf::connect<>({name}_in.out[0], {name}.in[0]);
    adf::connect<>({name}.out[0], {name}_out.in[0]);
    adf::dimensions({name}.in[0]) = {{{grid.in_elements}}};
    adf::dimensions({name}.out[0]) = {{{grid.out_elements}}};""")
    lines = ["#include <adf.h>", *includes, "class Counted : public adf::graph {", " public:", *members]
    lines += ["  Counted() {", *body, "  }", "};", "Counted g;"]
    lines += [f"int main() {{ g.init(); g.run({CALLS}); g.end(); }}", ""]
    return "\n".join(lines)


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> tuple[Design, dict[str, tuple[int, ...]]]:
    """Return the design and what the emulator counted of each layer's kernel."""
    folder = tmp_path_factory.mktemp("counted")
    design = design_of(network("vck190"))
    write_tree(folder, design.files(), owned=())
    aie = folder / "src" / "aie"
    (aie / "counted.cpp").write_text(graph(design, aie), encoding="utf-8")
    inputs = {}
    for layer in design.plan.aie:
        size = CALLS * layer.grid.passes * layer.grid.in_elements
        inputs[f"{layer.name}_in"] = np.zeros(-(-size // 4) * 4, dtype=np.float32)
    done = emulate(
        aie / "counted.cpp", defines=COUNTING, inputs=inputs, folder=folder / "build", out=folder / "out"
    )
    assert done.code == 0, done.stderr
    return design, counted(done.stdout)


@pytest.mark.parametrize("name", TILINGS)
def test_a_counting_run_counts_what_the_model_says(
    name: str, said: tuple[Design, dict[str, tuple[int, ...]]]
) -> None:
    design, found = said
    layer = next(p for p in design.plan.aie if p.name == name)
    for kind, ops in modelled(layer, design.plan.device).items():
        assert found[kind] == (CALLS, *(CALLS * n for n in ops))
