"""The array alone: what its PLIO streams carry for some images, as the simulators' text files, and what came out.

Each AIE layer gets the input that the reference computes for it, and its outputs are compared with the reference's,
value by value; a file that is too short, or missing, is a difference too. Text format [UG1076]: one stream word a
line, decimal numbers; simulators with time put `T <time> <unit>` before each word, TLAST before the last of a frame.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from aieloom.arrays import Values
from aieloom.emit.files import write_text
from aieloom.emit.tables import sent_tables
from aieloom.layout.nest import PADDING
from aieloom.network.elements import to_elements
from aieloom.network.layers import Parameters
from aieloom.plan.types import AieLayerPlan, ArrayPart, PlioPlan
from aieloom.reference.forward import evaluate
from aieloom.vitis.timestamps import Arrivals, Timing, timing_of

_TIME = re.compile(r"^T\s+([\d.]+)\s*(ps|ns|us|ms|s)\b")
_NANOSECONDS: Mapping[str, float] = {"ps": 1e-3, "ns": 1.0, "us": 1e3, "ms": 1e6, "s": 1e9}


@dataclass(frozen=True, slots=True, kw_only=True)
class Stream:
    """What one PLIO carries, image after image; `counts` says which values mean something (padding does not)."""

    plio: PlioPlan
    values: Values
    counts: NDArray[np.bool_]
    per_line: int
    images: int = 1
    layer: str = ""  # whose it is; of a copy of the design, the layer that it is a copy of
    subgraph: str = ""  # the part of the network that runs as a pipeline with it

    @property
    def words_per_image(self) -> int:
        """Stream words, so lines of its file, for one image."""
        return -(-len(self.values) // self.per_line) // self.images


def streams(plan: ArrayPart, parameters: Mapping[str, Parameters], images: Values) -> tuple[Stream, ...]:
    """Return every PLIO's data for images `(images, channels, height, width)`, or a single one without the first."""
    # every copy of the design gets what the first one gets
    layers = {copy.name: plan.aie[i % len(plan.aie)] for i, copy in enumerate(plan.all_aie)}
    batch = images if images.ndim > len(plan.x.shape) else images[None]
    if plan.frame:
        batch = plan.frame.cut(batch)[: len(batch)]  # the array works on tiles: as many as images
    elements = to_elements(batch.astype(np.float32), plan.x)
    data = {
        step.name: (x, y)
        for step, x, y in evaluate(plan.tile_steps, parameters, elements)
        if step.name in layers and not isinstance(x, tuple)  # joins are not on the array
    }
    subgraphs = {layer: s.name for s in plan.subgraphs for layer in s.layers}
    return tuple(
        _weights(plio, layers[plio.layer], parameters[layers[plio.layer].name])
        if plio.weights
        else replace(
            _stream(plio, layers[plio.layer], *data[layers[plio.layer].name]),
            subgraph=subgraphs[layers[plio.layer].name],
        )
        for plio in plan.plios
    )


def _weights(plio: PlioPlan, layer: AieLayerPlan, params: Parameters) -> Stream:
    """Return what brings weights: the words of a buffer of int32."""
    values = sent_tables(layer, params)[plio.stream].view("<i4")
    counts = np.ones(values.shape, np.bool_)
    return Stream(plio=plio, values=values, counts=counts, per_line=plio.bits // 32, layer=layer.name)


def _stream(plio: PlioPlan, layer: AieLayerPlan, x: Values, y: Values) -> Stream:
    grid, draft = layer.grid, layer.draft
    dtype = draft.x.dtype if plio.is_input else draft.y.dtype
    if plio.is_input:
        values = (
            grid.inputs(draft.window)
            .at(stream=plio.stream)
            .gather(x.reshape(len(x), *draft.x.shape), draft.x.zero)
        )
        counts = np.ones(values.shape, np.bool_)
    else:
        order = grid.output.at(stream=plio.stream)
        values = order.gather(y.reshape(len(y), *order.sizes))
        counts = np.broadcast_to(order.flat() != PADDING, values.shape)
    return Stream(
        plio=plio,
        values=values.ravel(),
        counts=counts.ravel(),
        per_line=plio.bits // (8 * dtype.bytes),
        images=len(x),
        layer=layer.name,
    )


def write_inputs(folder: Path, all_streams: tuple[Stream, ...]) -> None:
    """Write the input files of a simulation below `folder`; equal files are left alone."""
    for stream in all_streams:
        if stream.plio.is_input:
            write_text(folder / stream.plio.data_file, text_of(stream.values, stream.per_line))


def text_of(values: Values, per_line: int) -> str:
    """Return values as a PLIO text file; the last word is filled up with zeros."""
    numbers = [_number(v) for v in values.tolist()] + ["0"] * (-len(values) % per_line)
    return "".join(" ".join(numbers[i : i + per_line]) + "\n" for i in range(0, len(numbers), per_line))


def _number(value: float) -> str:
    return str(value) if isinstance(value, int) else f"{value:.9g}"  # nine digits give every float32 back


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    """What a simulator wrote for one PLIO: values, and the time of each word in nanoseconds where it tells."""

    values: NDArray[np.float64]
    times_ns: NDArray[np.float64]


def read_output(path: Path) -> Output:
    """Parse a simulator's output file.

    Raises:
        ValueError: a line is neither a time nor numbers; its number is in the message.
    """
    values: list[float] = []
    times: list[float] = []
    for number, raw in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), 1):
        line = raw.strip()
        time = _TIME.match(line)
        if time:
            times.append(float(time[1]) * _NANOSECONDS[time[2]])
        elif line and line != "TLAST":
            try:
                values.extend(map(float, line.split()))
            except ValueError:
                raise ValueError(
                    f"{path.name}:{number}: '{line[:60]}' is neither a time nor numbers"
                ) from None
    return Output(values=np.array(values), times_ns=np.array(times))


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """How a simulation's outputs compare with the reference."""

    streams: int
    expected: int  # values that count
    received: int
    differing: int
    max_abs_err: float
    problems: tuple[str, ...]  # files that are missing, short, long or not numbers
    images: int
    timing: Timing | None  # None where the simulator tells no times

    @property
    def bit_exact(self) -> bool:
        """True when everything arrived and nothing differs."""
        return not self.problems and self.differing == 0

    def passed(self, tolerance: float) -> bool:
        """Return whether everything arrived and no value is farther off than `tolerance`."""
        return not self.problems and self.max_abs_err <= tolerance


def compare(folder: Path, all_streams: tuple[Stream, ...]) -> Agreement:
    """Compare the output files below `folder` with what the streams should carry."""
    problems: list[str] = []
    expected = received = differing = 0
    worst = 0.0
    arrivals: list[Arrivals] = []
    outputs = [s for s in all_streams if not s.plio.is_input]
    for stream in outputs:
        expected += int(stream.counts.sum())
        try:
            found = read_output(folder / stream.plio.data_file)
        except (OSError, ValueError) as e:
            problems.append(f"{stream.plio.data_file}: {e.strerror if isinstance(e, OSError) else e}")
            continue
        received += len(found.values)
        wanted = len(stream.values) + -len(stream.values) % stream.per_line
        if len(found.values) != wanted:
            problems.append(f"{stream.plio.data_file}: {len(found.values)} values, not {wanted}")
        error = _errors(found.values, stream)
        differing += int((error != 0).sum())
        worst = max(worst, float(error.max(initial=0.0)))
        arrivals.append(
            Arrivals(
                stream=stream.plio.name,
                layer=stream.layer or stream.plio.layer,
                subgraph=stream.subgraph,
                words=stream.words_per_image,
                times_ns=found.times_ns,
            )
        )
    return Agreement(
        streams=len(outputs),
        expected=expected,
        received=received,
        differing=differing,
        max_abs_err=worst,
        problems=tuple(problems),
        images=max((s.images for s in outputs), default=1),
        timing=timing_of(arrivals),
    )


def _errors(found: NDArray[np.float64], stream: Stream) -> NDArray[np.float64]:
    """Return the absolute errors of the values that count and that arrived; NaN counts as infinite."""
    common = min(len(found), len(stream.values))
    wanted = stream.values[:common].astype(np.float64)
    error = np.abs(found[:common].astype(stream.values.dtype).astype(np.float64) - wanted)
    return np.asarray(np.nan_to_num(error, nan=np.inf)[stream.counts[:common]])
