"""PL kernels run on their own: all of some designs in one program, which reads their streams and writes what comes out.

The data of each stream is laid out here from the grid's definition of the order; the hardware reference says what
each kernel must give.
"""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aieloom.emulator.build import compile_step, link_program, runtime_steps
from aieloom.emulator.compiler import Unit, compile_unit
from aieloom.model.bfloat16 import bfloat16_bits
from aieloom.model.elements import to_elements
from aieloom.model.tensor import TensorType
from aieloom.ops.forward import forward, step_name
from aieloom.plan.layout import PADDING
from aieloom.plan.types import AieLayerDraft, GapPlan, Plan, PlStep, RasterStream, Streams, TiledStreams
from aieloom.spec.types import DataType
from tests.designs import ROOT, Design

Values = NDArray[Any]  # float32, int8, or bfloat16's bits
INCLUDE = ROOT / "scripts" / "aieloom" / "emulator" / "include"

_HEAD = """\
#include <ap_axi_sdata.h>
#include <ap_int.h>
#include <hls_stream.h>
#include <hls_task.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace aieloom {
/// What the runtime of PL kernels has; the programs here are linked with that of the array alone.
std::size_t& tasks_started() {
  static std::size_t count = 0;
  return count;
}
}  // namespace aieloom

template <typename Word>
void feed(hls::stream<Word>& stream, int bits, int lanes, std::size_t words) {
  for (std::size_t i = 0; i < words; ++i) {
    Word word;
    for (int lane = 0; lane < lanes; ++lane) {
      std::uint32_t element = 0;
      if (std::fread(&element, bits / 8, 1, stdin) != 1) std::exit(2);
      word.data.range(bits * lane + bits - 1, bits * lane) = ap_uint<32>(element);
    }
    stream.write(word);
  }
}

template <typename Word>
void drain(hls::stream<Word>& stream, int bits, int lanes, std::size_t words) {
  for (std::size_t i = 0; i < words; ++i) {
    const Word word = stream.read();
    for (int lane = 0; lane < lanes; ++lane) {
      const std::uint32_t element = ap_uint<32>(word.data.range(bits * lane + bits - 1, bits * lane)).to_uint();
      std::fwrite(&element, bits / 8, 1, stdout);
    }
  }
  if (stream.size() != 0) {
    std::fprintf(stderr, "a stream holds %zu words more than %zu\\n", stream.size(), words);
    std::exit(3);
  }
}
"""


@dataclass(frozen=True, slots=True)
class Case:
    """A PL kernel with what goes in and what must come out, stream after stream; `counts` is false for don't-care."""

    gap: GapPlan
    given: Values
    wanted: Values
    counts: NDArray[np.bool_]


def _laid_out(
    streams: Streams, image: Values, *, into_array: bool, outside: int = 0
) -> tuple[Values, NDArray[np.bool_]]:
    """Return the values of all streams for one image, and which of them mean something; `outside` pads a window."""
    lanes = streams.bits // (8 * image.itemsize)
    if isinstance(streams, RasterStream):
        values = np.zeros(streams.words * lanes, image.dtype)
        values[: image.size] = image.ravel()
        return values, np.ones(values.shape, np.bool_)
    parts = [
        _stream(streams, image, s, into_array=into_array, outside=outside) for s in range(streams.streams)
    ]
    return np.concatenate([p[0] for p in parts]), np.concatenate([p[1] for p in parts])


def _stream(
    streams: TiledStreams, image: Values, s: int, *, into_array: bool, outside: int
) -> tuple[Values, NDArray[np.bool_]]:
    grid = streams.grid
    if into_array:
        place = grid.sources(streams.window, s)
        values = np.where(place == PADDING, image.dtype.type(outside), image.ravel()[np.maximum(place, 0)])
        return values, np.ones(place.shape, np.bool_)
    channel, pixel = grid.output_order(*divmod(s, grid.parts))
    inside = (channel < grid.m) & (pixel < grid.n)
    flat = image.reshape(grid.m, grid.n)
    garbage = image.dtype.type(77)  # padding of the tiles: must not reach anything
    values = np.where(inside, flat[np.minimum(channel, grid.m - 1), np.minimum(pixel, grid.n - 1)], garbage)
    return values, inside


def _stored(values: Values, tensor: TensorType) -> Values:
    """Return elements as streams carry them: bfloat16 as its bits."""
    return bfloat16_bits(values) if tensor.dtype is DataType.BFLOAT16 else values


def cases_of(design: Design, image: Values) -> list[Case]:
    """Return every PL kernel of a design with its data for one input image `(channels, height, width)`."""
    made = {i: _stored(v, design.plan.x) for i, v in _activations(design.plan, design.parameters, image)}
    found = []
    for gap in design.plan.gaps:
        before = _index_before(design.plan, gap)
        last = gap.steps[-1].layer_index if gap.steps else before
        given, _ = _laid_out(gap.source, made[before], into_array=False)
        wanted, counts = _laid_out(gap.sink, made[last], into_array=True, outside=gap.y.zero)
        found.append(Case(gap, given, wanted, counts))
    return found


def _index_before(plan: Plan, gap: GapPlan) -> int:
    if isinstance(gap.source, TiledStreams):
        return next(la.draft.layer_index for la in plan.aie if la.name == gap.source.layer)
    return -1


def _activations(plan: Plan, parameters: dict[str, Any], image: Values) -> list[tuple[int, Values]]:
    """Return the hardware reference's result of each layer, by the layer's index; -1 is the input."""
    steps: list[AieLayerDraft | PlStep] = [la.draft for la in plan.aie]
    steps += [s for gap in plan.gaps for s in gap.steps]
    x = to_elements(image[None], plan.x)
    made = [(-1, x[0])]
    for step in sorted(steps, key=lambda s: s.layer_index):
        x = forward(step, parameters.get(step_name(step), {}), x)
        made.append((step.layer_index, x[0]))
    return made


def source_of(design: Design, gap: GapPlan, namespace: str) -> str:
    """Return a kernel's source in a namespace of its own; its interface is that of C++, so that names may repeat."""
    text = design.files()[gap.template.output]
    lines = [line for line in text.splitlines() if not line.startswith("#include")]
    body = "\n".join(lines).replace('extern "C" ', "")
    return f"namespace {namespace} {{\n{body}\n{_runner(gap)}}}  // namespace {namespace}\n"


def _runner(gap: GapPlan) -> str:
    bits = 8 * gap.x.dtype.bytes

    def argument(name: str, word: str, streams: Streams, call: str) -> tuple[str, str]:
        count = streams.streams
        declared = f"static hls::stream<{word}> {name}{f'[{count}]' if count > 1 else ''};"
        each = f"{name}[s]" if count > 1 else name
        loop = f"for (int s = 0; s < {count}; ++s) {call}({each}, {bits}, {streams.bits // bits}, {streams.words});"
        return declared, loop

    a, feed = argument("in", "InWord", gap.source, "feed")
    b, drain = argument("out", "OutWord", gap.sink, "drain")
    ends = [("in", gap.source.streams), ("out", gap.sink.streams)]
    apart = gap.streaming is not None  # one argument for each stream
    each = [
        f"{name}[{s}]" if apart and count > 1 else name
        for name, count in ends
        for s in range(count if apart else 1)
    ]
    call = f"{gap.name}({', '.join(each)})"
    return f"void run() {{\n  {a}\n  {b}\n  {feed}\n  {call};\n  {drain}\n}}\n"


def program_of(designs: list[tuple[Design, list[GapPlan]]]) -> str:
    """Return one program of all kernels, each in a namespace."""
    text, calls = [_HEAD], []
    for i, (design, gaps) in enumerate(designs):
        for j, gap in enumerate(gaps):
            text.append(source_of(design, gap, f"n{i}_{j}"))
            calls.append(f"  n{i}_{j}::run();")
    return "\n".join([*text, "int main() {", *calls, "}", ""])


def run_cases(designs: list[tuple[Design, list[Case]]], folder: Path) -> list[Values]:
    """Compile all kernels into one program and run it; return what each kernel gave."""
    source = folder / "kernels.cpp"
    source.write_text(program_of([(design, [c.gap for c in cases]) for design, cases in designs]))
    steps = runtime_steps(folder / "runtime", system=False)
    for step in steps:
        compile_step(step)
    target = folder / "kernels.o"
    compile_unit(Unit(source=source, includes=(INCLUDE,), options=("-O1", "-Werror")), target)
    link_program([*(s.target for s in steps), target], folder / "kernels")
    given = b"".join(c.given.tobytes() for _, cases in designs for c in cases)
    done = subprocess.run([folder / "kernels"], input=given, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    left, found = done.stdout, []
    for _, cases in designs:
        for case in cases:
            found.append(np.frombuffer(left[: case.wanted.nbytes], case.wanted.dtype))
            left = left[case.wanted.nbytes :]
    assert not left
    return found
