"""One row of measurements to one figure of the model: which model takes it, or why none does."""

from __future__ import annotations

import re

from aieloom.cost.kernels import Kernel, Values
from tools.measured import row_gemms, row_graphs, row_systems
from tools.measured.products import gemm_dims
from tools.measured.row_convs import conv_kernel, conv_shape
from tools.measured.row_simple import SIMPLE
from tools.measured.rows import CannotModel, MeasuredRow, Modelled, NotModelled, from_cycles, number_in

ARCHITECTURES = ("aie", "aie-ml")


def model_row(p: Values, row: MeasuredRow) -> Modelled | NotModelled:
    """Return the model's figure for a row, or the reason why there is none."""
    try:
        if "treat with caution" in row.notes:
            raise CannotModel("the file itself says to treat this figure with caution")
        if row.metric == "power_w":
            raise CannotModel("power is not modelled")
        if row.arch not in ARCHITECTURES:
            raise CannotModel(_foreign(row.arch))
        models = {"kernel": _kernel, "graph": row_graphs.graph, "system": row_systems.system}
        if row.what not in models:
            raise CannotModel(f"no model for what = '{row.what}' (known: {', '.join(models)})")
        value, how = models[row.what](p, row)
        return Modelled(value, how)
    except CannotModel as e:
        return NotModelled(str(e))
    except (KeyError, ZeroDivisionError) as e:
        return NotModelled(f"no parameter or type {e} in the model")


def _foreign(arch: str) -> str:
    if arch == "pl":
        return "PL design of another tool: the row does not say how far its loops are unrolled or pipelined"
    return f"'{arch}' is no AI Engine that the model knows (known: {', '.join(ARCHITECTURES)})"


def _kernel(p: Values, row: MeasuredRow) -> tuple[float, str]:
    if row.metric == "efficiency_pct" and not row.shape:
        raise CannotModel("an average over kernels whose shapes the row does not give")
    special = _special(p, row)
    if special:
        cycles, how = special
        return from_cycles(row, cycles), how
    kernel, how = _vector_kernel(p, row)
    macs = _macs(row)
    cycles = kernel.cycles
    if row.earlier and (factor := _earlier(p, how)) is not None:
        cycles *= factor
        how += ", earlier code"
    ideal = macs / peak if macs and (peak := row_gemms.peak(row)) else None
    return from_cycles(row, cycles, operations=2 * macs if macs else None, ideal=ideal), how


def _earlier(p: Values, how: str) -> float | None:
    """Return what an earlier version of the code costs more, for code styles that were improved."""
    if how == "scalar.conv_stream":
        return p["earlier.scalar_stream"]
    if how.startswith("scalar."):
        return p["earlier.scalar"]
    if how.startswith("conv.int8"):
        return p["earlier.int8"] if how == "conv.int8.stream" else None
    return p["earlier.fp32"] if how.startswith("conv.fp32") else None


def _special(p: Values, row: MeasuredRow) -> tuple[float, str] | None:
    """Return cycles of rows that are no kernel of their own: loop bodies, overheads of main, bursts."""
    if "inner loop" in row.op:
        return row_gemms.loop_body(p, row)
    if "per-iteration overhead" in row.op:
        return p["iteration"], "iteration"
    if row.op.startswith("main()"):
        calls = number_in(r"(\d+) calls", row.shape) or 1.0
        return p["main"] + calls * p["main.call"], "main"
    if "matrix x vector" in row.op:
        return row_gemms.bursts(p, row)
    return None


def _vector_kernel(p: Values, row: MeasuredRow) -> tuple[Kernel, str]:
    if row.op.startswith("conv"):
        return conv_kernel(p, row)
    if row.op.startswith("dense"):
        return row_gemms.dense_kernel(p, row)
    if row.op.startswith("matmul"):
        return row_gemms.mmul_kernel(p, row)
    for name, model in SIMPLE.items():
        if re.match(name, row.op):
            return model(p, row)
    raise CannotModel(f"no kernel model for the operation '{row.op}'")


def _macs(row: MeasuredRow) -> float | None:
    if row.op.startswith("conv"):
        shape = conv_shape(row)
        return float(shape.outputs * shape.taps)
    if row.op.startswith(("matmul", "dense")):
        m, k, n = gemm_dims(row)
        return float(m * k * n)
    return None
