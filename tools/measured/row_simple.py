"""Rows about kernels with one loop over their elements: pools, copies, element-wise functions, softmax, reductions."""

from __future__ import annotations

import re
from collections.abc import Callable

from aieloom.cost.kernels import Kernel, Values
from aieloom.cost.loops import Issue, Ops
from tools.measured.kernels import flat
from tools.measured.rows import CannotModel, MeasuredRow, dims, number_in
from tools.measured.shapes import BYTES, peak_macs

Result = tuple[Kernel, str]
WORD = 4  # bytes of a stream word


def elements_of(text: str) -> int:
    """Return how many elements a shape has: `AxBxC`, `N inputs of AxB`, `N of AxB`, or one number."""
    many = re.match(r"\s*(\d+) (?:inputs )?of (\d+(?:x\d+)*)", text)
    count = int(many[1]) if many else 1
    found = dims(many[2] if many else text)
    if found:
        for n in found:
            count *= n
        return count
    alone = re.search(r"\d+", many[2] if many else text)
    if not alone:
        raise CannotModel("the row gives no shape")
    return count * int(alone[0])


def in_and_out(row: MeasuredRow) -> tuple[int, int]:
    """Return elements read and elements written."""
    before, _, after = row.shape.partition("->")
    return elements_of(before), elements_of(after) if after else elements_of(before)


def is_scalar(row: MeasuredRow) -> bool:
    """Whether the notes say that the code is scalar."""
    return bool(re.search(r"[Ss]calar", row.notes)) and "vector" not in row.notes


def size_of(row: MeasuredRow) -> int:
    """Return bytes of an element."""
    if row.dtype_in not in BYTES:
        raise CannotModel(f"no data type '{row.dtype_in}' in the model")
    return BYTES[row.dtype_in]


def pool(p: Values, row: MeasuredRow) -> Result:
    """A pool reads every input once; vector code is bound by loads and shuffles, scalar code by its comparisons."""
    read, written = in_and_out(row)
    if is_scalar(row):
        each = "scalar.average" if "avg" in row.op else "scalar.compare"
        return flat(p, trips=read, each=p[each]), each
    del written
    return flat(p, trips=read * size_of(row) / 32, each=p["pool.vector"]), "pool.vector"


def copy(p: Values, row: MeasuredRow) -> Result:
    """Concat, split, pad, transpose, identity: words moved, or elements one by one."""
    read, written = in_and_out(row)
    if row.op.startswith("transpose"):
        return flat(p, trips=written, each=p["scalar.move_window"]), "scalar.move_window"
    if "not pipelined" in row.notes:
        return flat(p, trips=read, each=p["copy.unpipelined_word"]), "copy.unpipelined_word"
    if is_scalar(row) and not re.search(r"scalar over streams|Pad2DWindow", row.notes):
        return flat(p, trips=written, each=p["scalar.move"]), "scalar.move"
    words = max(read, written) * size_of(row) / WORD
    each = "copy.word" if size_of(row) == WORD else "copy.packed_word"
    return flat(p, trips=words, each=p[each]), each


def elementwise(p: Values, row: MeasuredRow) -> Result:
    """Quantise, dequantise, add, scale: vectors of a load, or stream words where the data is streamed."""
    read, written = in_and_out(row)
    if is_scalar(row):
        if row.op.startswith("dequantize"):
            return flat(p, trips=max(read, written), each=p["scalar.average"]), "scalar.average"
        heavy = row.op.startswith("quantize") or "requant" in row.op or row.op.startswith("scale")
        each = "scalar.requant" if heavy else "scalar.move"
        return flat(p, trips=max(read, written), each=p[each]), each
    if "tream" in row.notes:
        return flat(
            p, trips=max(read, written) * size_of(row) / WORD, each=p["elementwise.word"]
        ), "elementwise.word"
    return flat(
        p, trips=max(read, written) * max(size_of(row), 2) / WORD, each=p["elementwise.window"]
    ), "elementwise.window"


def softmax(p: Values, row: MeasuredRow) -> Result:
    """An exponential for every element, then a sum and a division of each row."""
    elements, _ = in_and_out(row)
    if is_scalar(row):
        fast = {"Schraudolph": "softmax.exp_bits", "256": "softmax.exp_power"}
        each = next((v for k, v in fast.items() if k in row.notes), "softmax.exp_libm")
    elif "floatmul" in row.notes.lower():
        each = "softmax.vector_int8"
    else:
        each = "softmax.vector" if row.arch == "aie" else "softmax.vector_bf16"
    kernel = flat(p, trips=elements, each=p[each])
    if (
        "interval" in row.op and row.arch != "aie"
    ):  # values come and go one to a stream word, outside the loops
        words = Ops(stream_words=2 * elements)
        return Kernel(nodes=(*kernel.nodes, words), issue=kernel.issue, call=kernel.call), f"{each}, streamed"
    return kernel, each


def reduction(p: Values, row: MeasuredRow) -> Result:
    """Mean, deviation, normalisation over vectors of 16; a fused kernel does all three."""
    if "last of" in row.op:
        raise CannotModel("the last of a cascade: its time is mostly waiting for the others' partial sums")
    elements = number_in(r"of (\d+) elements", row.op)
    if not elements:
        found = dims(row.shape.partition("blocks of")[2])
        if not found:
            raise CannotModel("the row gives no number of elements")
        elements = float(found[0] * found[1])
    parts = [("mean", "reduce.mean"), ("deviation", "reduce.pass"), ("normali", "reduce.pass")]
    each = sum(p[name] for word, name in parts if word in row.op)
    if not each:
        raise CannotModel(f"no reduction '{row.op}' in the model")
    if "default optimisation" in row.notes:
        each *= p["reduce.optimised"]
    return flat(p, trips=elements / 16, each=each), "reduction"


def argmax(p: Values, row: MeasuredRow) -> Result:
    """A scalar comparison of every element."""
    return flat(p, trips=elements_of(row.shape), each=p["scalar.move"]), "scalar.move"


def global_pool(p: Values, row: MeasuredRow) -> Result:
    """Every input added once, streamed."""
    read, _ = in_and_out(row)
    return flat(p, trips=read, each=p["scalar.accumulate"]), "scalar.accumulate"


def fir(p: Values, row: MeasuredRow) -> Result:
    """A filter slides over samples in registers: every MAC slot full, as the vendor's tutorials show; not calibrated."""
    text = f"{row.op} {row.shape} {row.notes}"
    taps, samples = number_in(r"(\d+)[ -]taps?\b", text), number_in(r"(\d+)[ -]samples?\b", text)
    peak = peak_macs(row.arch, row.dtype_in, row.dtype_w or row.dtype_in)
    if taps is None or samples is None:
        raise CannotModel("the row gives no number of taps and samples")
    if peak is None:
        raise CannotModel(f"the vector unit of {row.arch} multiplies no {row.dtype_in} by {row.dtype_w}")
    return Kernel(nodes=(Ops(macs=taps * samples / peak),), issue=Issue(), call=p["call"]), "fir at peak"


SIMPLE: dict[str, Callable[[Values, MeasuredRow], Result]] = {
    "maxpool": pool,
    "avgpool": pool,
    "global_avgpool": global_pool,
    "softmax": softmax,
    "quantize": elementwise,
    "dequantize": elementwise,
    "add": elementwise,
    "scale_add": elementwise,
    "pad2d": copy,
    "concat": copy,
    "split": copy,
    "transpose": copy,
    "identity": copy,
    "copy": copy,
    "argmax": argmax,
    "fir": fir,
    "mean": reduction,
    "deviation": reduction,
    "normali[sz]": reduction,
    "fused mean": reduction,
}
