"""What nobody has published of float kernels, and of which types too little is: lines in the plan of a layer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from aieloom.cost.parameters import model_name
from aieloom.spec.architecture import Architecture
from aieloom.spec.types import DataType

LOADS_A_CYCLE = 2  # units that load
SHORT_CYCLES = 200  # a kernel call shorter than this is mostly entry, locks and exit


@dataclass(frozen=True, slots=True, kw_only=True)
class Best:
    """The best share of a core's MACs that a published kernel reached."""

    share: float
    source: str


# Of calls that their authors simulated or measured; shares of the 8 MACs a cycle of float32 on AIE.
BEST = {
    (Architecture.AIE, DataType.FLOAT32, "product"): Best(
        share=0.95, source="CHARM's unrolled 32 x 32 x 32, FPGA 2023"
    ),
    (Architecture.AIE, DataType.FLOAT32, "convolution"): Best(
        share=0.674, source="onnx2versal's Conv5x5on8ReluBCHW"
    ),
}
# Types of which too few published kernels say how far the schedules are off.
UNCALIBRATED = {
    DataType.FLOAT32: "float32 on AIE-ML is made of bfloat16 products; published are two products by a vector",
    DataType.BFLOAT16: "bfloat16 on AIE-ML has the loops of int8 code; published is one convolution's inner loop",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A kernel call as the model has it; `loads` and `macs` are a trip's of the inner loop, `peak` MACs a cycle at best."""

    architecture: Architecture
    dtype: DataType
    kind: str  # product | convolution
    products: int  # MACs of the call
    cycles: int
    peak: float
    loads: float
    macs: float
    vectors: int  # registers that the loop keeps
    of_vectors: int


def doubts(call: Call) -> Iterator[str]:
    """Yield why a modelled product may be further from a real one than those that are published."""
    share = call.products / call.cycles / call.peak
    best = BEST.get((call.architecture, call.dtype, call.kind))
    if best and share > best.share:
        published = f"any published {call.dtype.value} {call.kind} ({best.share:.0%}, {best.source})"
        yield f"{share:.0%} of a core's MACs, beyond {published}: no compiler has been asked"
        yield (
            f"by the model MACs alone bound it: a trip of the inner loop has {call.loads:g} loads, {LOADS_A_CYCLE} a cycle, "
            f"for {call.macs:g} cycles of MACs, and keeps {call.vectors} of {call.of_vectors} vector registers"
        )
    yield from uncalibrated(call.architecture, call.dtype, call.cycles)


def uncalibrated(architecture: Architecture, dtype: DataType, cycles: int) -> Iterator[str]:
    """Yield what no published row says of a kernel call of so many cycles."""
    if architecture.costs is not architecture:
        yield f"no published figure judges this one: {architecture.facts.description} is modelled as {architecture.costs.value}"
    elif architecture is Architecture.AIE_ML and dtype in UNCALIBRATED:
        yield f"no published figure judges this one: {UNCALIBRATED[dtype]}"
    elif cycles < SHORT_CYCLES:
        yield f"a call of {cycles} cycles is largely entry, locks and exit: published are longer ones"


def modelled_by(architecture: Architecture, dtype: DataType) -> str:
    """Return what produced a design's figures; what is known of kernel calls' error stands in docs/evidence/timed.md."""
    name = f"{model_name()}, kernel calls by schedules of their code"
    if architecture.costs is not architecture:
        return f"{name}, of unknown error: {architecture.value} is modelled as {architecture.costs.value}"
    if architecture is Architecture.AIE_ML and dtype in UNCALIBRATED:
        return f"{name}, of unknown error: too little is published of {dtype.value} on AIE-ML"
    return name
