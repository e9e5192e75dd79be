"""Building and running a matrix product's whole system in the emulator: host program, movers and array."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from aieloom.arrays import Values
from aieloom.emit.files import FileTree, write_bytes, write_text, write_tree
from aieloom.emit.names import SOURCE_FOLDERS
from aieloom.errors import RunFailed
from aieloom.flow.emulated_system import EmulatedSystem
from aieloom.flow.gemm.files import command_of, render_gemm
from aieloom.flow.sources import Sources
from aieloom.flow.timing import timed
from aieloom.lock import held
from aieloom.report.floorplan import floorplan
from aieloom.spec.types import DataType
from aieloom.strategies.array_gemm.reference import STORED, operands, reference, stored
from aieloom.strategies.array_gemm.whole import product_of
from aieloom.units.plan import Plan
from aieloom.vitis.design import CompiledKernel


def write_design(plan: Plan, folder: Path) -> FileTree:
    """Write sources, plan.json and the floor plan below `folder`; return the sources."""
    tree = render_gemm(plan)
    write_tree(folder, tree, owned=SOURCE_FOLDERS)
    write_text(folder / "plan.json", json.dumps(summary(plan), indent=1) + "\n")
    write_text(folder / "report" / "floorplan.svg", floorplan(product_of(plan).array))
    return tree


def summary(plan: Plan) -> dict[str, object]:
    """Return what was decided, and the modelled figures with the model's name."""
    product = product_of(plan)
    cut, r, cost = product.cut, product.request, product.cost
    return {
        "made_by": command_of(plan),
        "target": plan.board.name,
        "size": {"m": r.m, "k": r.k, "n": r.n},
        "dtype": r.dtype.value,
        "out_dtype": r.out.value,
        "tile": cut.tile,
        "mmul": cut.mmul,
        "grid": {"rows": cut.grid[0], "cascade": cut.grid[1], "columns": cut.grid[2]},
        "blocks": {"m": cut.times[0], "k_passes": cut.times[1], "n": cut.times[2]},
        "cores": cut.cores,
        "streams": dict(zip(("a", "b", "c"), cut.port_streams, strict=True)),
        "movers": {u.name: {"streams": u.mover.streams, "bank": u.bank} for u in product.units},
        "plio_bits": product.plio_bits,
        "places": [{"x": c.x, "z": c.z, "link": c.link, "part_of_k": c.part, "tile": c.tile} for c in product.cores],
        "columns": {p.name: p.column for p in product.array.plios},
        "modelled": {
            "produced_by": cost.produced_by,
            "pass_cycles": cost.pass_cycles,
            "fill_cycles": cost.fill_cycles,
            "drain_cycles": cost.drain_cycles,
            "array_steady_tera_ops": cost.steady_tera_ops,
            **{
                name: {
                    "us": rate.interval_us,
                    "tera_ops": cut.operations / rate.interval_us / 1e6,
                    "bottleneck": rate.bottleneck,
                    "leaves_out": rate.leaves_out,
                }
                for name, rate in zip(("array", "memory", "system"), cost.rates, strict=True)
            },
        },
        "checks": [asdict(check) for check in product.checks],
    }  # fmt: skip


def sources_of(plan: Plan, names: Iterable[str]) -> Sources:
    """Return what is generated, in files of these names."""
    product = product_of(plan)
    return Sources(
        names=tuple(names),
        kernels=tuple(
            CompiledKernel(name=m.name, source=m.output, hz=round(m.clock_mhz * 1e6)) for m in product.movers
        ),
        device=product.device,
        cores=("src/aie/gemm.cc",),
        register_mhz=product.array.needed_register_mhz,
    )


def build(plan: Plan, folder: Path) -> EmulatedSystem:
    """Write, compile and link the emulated system.

    Raises:
        ToolError: the C++ compiler fails.
    """
    return compiled(plan, folder, sources_of(plan, write_design(plan, folder)))


def compiled(plan: Plan, folder: Path, sources: Sources) -> EmulatedSystem:
    """Return the emulated system of a product's sources in a folder, compiled and linked.

    Raises:
        ToolError: the C++ compiler fails.
    """
    system = EmulatedSystem("gemm", folder.absolute(), plan.y, sources)
    system.compile()
    return system


@dataclass(frozen=True, slots=True, kw_only=True)
class Matrices:
    """The files that a run reads, in the order of the host program's arguments, and what it shall give."""

    files: Mapping[str, bytes]
    wanted: Values
    bfloat16: bool = False  # what it shall give is bits of bfloat16


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """What a run gave against the reference."""

    c: Values
    different: int
    largest: float  # difference
    output: str


def run(plan: Plan, folder: Path, seed: int = 1) -> Checked:
    """Build and run the emulated system on seeded matrices and compare each element's bits with the reference.

    Raises:
        ToolError: the C++ compiler fails.
        RunFailed: the emulated system ends with an error.
    """
    product = product_of(plan)
    r = product.request
    a, b = operands(product, seed)
    c = np.frombuffer(stored(reference(product, a, b), r.out), STORED[r.out]).reshape(r.m, r.n)
    files = {"a.bin": stored(a, r.dtype), "b.bin": stored(b, r.dtype)}
    matrices = Matrices(files=files, wanted=c, bfloat16=r.out is DataType.BFLOAT16)
    return run_on(matrices, lambda: build(plan, folder), folder)


def run_on(matrices: Matrices, make: Callable[[], EmulatedSystem], folder: Path) -> Checked:
    """Build a product's emulated system by `make`, run it, and compare each element's bits.

    Raises:
        ToolError: the C++ compiler fails.
        RunFailed: the emulated system ends with an error.
    """
    wanted = matrices.wanted
    with ExitStack() as ending:
        with held(folder):
            with timed(folder, "compile:gemm"):
                system = make()
            emu = ending.enter_context(system.private_run())
        for name, data in {**matrices.files, "golden.bin": wanted.tobytes()}.items():
            write_bytes(emu / name, data)
        command = [str(emu / system.program.name), system.xclbin.name, *matrices.files, "--output", "c.bin"]
        with timed(folder, "run"):
            done = subprocess.run(
                [*command, "--golden", "golden.bin"], cwd=emu, capture_output=True, text=True, check=False
            )
        if done.returncode and "TEST FAILED" not in done.stdout:
            raise RunFailed(f"the emulated system ended with {done.returncode}:\n{done.stderr.strip()}")
        found = np.fromfile(emu / "c.bin", wanted.dtype).reshape(wanted.shape)
    bits = np.dtype(f"u{wanted.itemsize}")
    return Checked(
        c=found,
        different=int((found.view(bits) != wanted.view(bits)).sum()),
        largest=float(np.abs(_numbers(found, matrices) - _numbers(wanted, matrices)).max()),
        output=done.stdout,
    )


def _numbers(elements: Values, matrices: Matrices) -> Values:
    """Return elements as they lie in memory as numbers."""
    if matrices.bfloat16:
        elements = (elements.astype(np.uint32) << 16).view(np.float32)
    return elements.astype(np.float64)
