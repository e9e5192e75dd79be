"""What nobody has published of float kernels, and what no published row calibrates: lines in the plan of a layer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from aieloom.cost.parameters import model_name, produced_by
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
# Types of which published kernels say too little for a fit: there is no error of the model for them.
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
    """Yield why a modelled product may be further from a real one than the model's error says."""
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
        yield f"no row calibrates this figure: {architecture.facts.description} is modelled as {architecture.costs.value}"
    elif architecture is Architecture.AIE_ML and dtype in UNCALIBRATED:
        yield f"no row calibrates this figure: {UNCALIBRATED[dtype]}"
    elif cycles < SHORT_CYCLES:
        yield f"a call of {cycles} cycles is largely entry, locks and exit: the model's error is that of longer ones"


def modelled_by(architecture: Architecture, dtype: DataType, cycles: Mapping[str, int]) -> str:
    """Return what produced a design's figures, with the model's error only where rows tell it.

    `cycles` are those of each layer's kernel calls.
    """
    if architecture.costs is not architecture:
        return f"{model_name()}, of unknown error: {architecture.value} is modelled as {architecture.costs.value}"
    if architecture is Architecture.AIE_ML and dtype in UNCALIBRATED:
        return f"{model_name()}, of unknown error: no row calibrates {dtype.value} on AIE-ML"
    short = [name for name, count in cycles.items() if count < SHORT_CYCLES]
    return produced_by() + (
        f"; not of {', '.join(short)}, whose calls are below {SHORT_CYCLES} cycles" if short else ""
    )
