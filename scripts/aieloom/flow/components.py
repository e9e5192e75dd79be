"""`aieloom components`: each PL kernel of a design as an HLS component by itself, with a test bench of what it carried.

The design is emulated with one image, or one layer of it alone, and keeps what the ports of its kernels carry
(emulator/src/pl/kept_ports.cpp). The test bench gives a kernel the same, and compares what it gives: see pl_templates/bench.
"""

from __future__ import annotations

import os
import re
import tempfile
from pathlib import Path

import numpy as np

from aieloom.arrays import Floats
from aieloom.cpp_text import View
from aieloom.emit.files import write_tree
from aieloom.emit.library import template_folder
from aieloom.emit.printer import Printer
from aieloom.errors import SpecError
from aieloom.flow.designs import Design, design_of
from aieloom.flow.programs import Program
from aieloom.flow.samples import load_samples

FOLDER, CONFIGURATION, PORTS = "hls", "hls_config.cfg", "AIELOOM_PORTS"
# Serves others as they ask: what it is asked depends on what it answered, which words that were kept say nothing of.
SERVING = ("row_memory",)
CONFIG = """\
# {name} alone, with what it carried: vitis-run --mode hls --csim --config hls_config.cfg --work_dir work
part={part}

[hls]
flow_target=vitis
clock={ns:.3f}ns
syn.top={name}
syn.file=../{source}
tb.file=bench.cpp
tb.file={name}.ports
"""


def write_components(design: Design, layer: str | None) -> list[Path]:
    """Write a component for each kernel that has worked into build/.../hls; return their configuration files.

    The folder needs no other file. Where a `layer` is named, it is of this one alone, on inputs at random.

    Raises:
        SpecError: the project is wrong, there is no such layer, or it has no system of its own in the logic.
        ToolError: the C++ compiler fails.
        RunFailed: the emulator refuses the design.
    """
    top = design.project.build / FOLDER
    if layer:
        alone, random = design.alone(layer), np.random.default_rng(1)
        x = alone.system_input([random.normal(0, 1, (1, *t.shape)).astype(np.float32) for t in alone.xs])
        design, top = design_of(alone.project), top / layer
    else:
        x = load_samples(design.project).x[:1]
    program = Program.of(design)
    kept, printer = _kept(program, x), Printer(design.project.name, "aieloom components")
    tree = {n: t for n, t in program.sources.items() if n.startswith(("src/pl/", "src/include/aieloom/pl/"))}
    tree["bench.h"] = (template_folder("pl_templates") / "bench" / "bench.h").read_bytes()
    names = []
    for kernel in design.sources.kernels:
        unit = next((u for u in sorted(kept) if re.fullmatch(rf"{kernel.name}(_\d+)?", u)), "")
        if not unit or kernel.name in SERVING:
            continue  # a unit that a layer alone has no work for
        name, text = kernel.name, str(tree[kernel.source])
        (declared,) = re.findall(rf'extern "C" (void {name}\([^{{]*\)) {{', text)
        includes = re.findall(r'^#include "\.\./(include/[^"]+)"', text, re.MULTILINE)
        view = View(name=name, includes=includes, declared=declared)
        printer.print("pl_templates", "bench/bench.cpp.j2", f"{name}/bench.cpp", f"{name} alone", k=view)
        config = CONFIG.format(name=name, part=design.board.part, ns=1e9 / kernel.hz, source=kernel.source)
        tree |= {f"{name}/{CONFIGURATION}": config, f"{name}/{name}.ports": kept[unit]}
        names.append(name)
    if not names:
        text, remedy = (
            f"no kernel in the logic works for '{layer}' alone",
            "name a layer that is not the processor's",
        )
        raise SpecError(rule="layer", file=design.project.network.spec.source.name, text=text, remedy=remedy)
    write_tree(top, tree | printer.tree, owned=("src", *names))
    return [top / name / CONFIGURATION for name in names]


def _kept(program: Program, x: Floats) -> dict[str, bytes]:
    """Run a program; return what is kept of each compute unit."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ[PORTS] = folder
        try:
            program.run(x)
        finally:
            del os.environ[PORTS]
        return {f.stem: f.read_bytes() for f in Path(folder).glob("*.ports")}
