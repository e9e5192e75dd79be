"""PL kernels run on their own: all of some designs in one program, which reads their streams and writes what comes out.

The data of each stream is laid out here from the grid's definition of the order; the hardware reference says what
each kernel must give.
"""

from __future__ import annotations

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aieloom.emit.library import FOLDER, included, library_file
from aieloom.emulator.build import compile_step, runtime_steps
from aieloom.emulator.compiler import Unit, compile_unit, link
from aieloom.emulator.pl_dataflow import queues_source, stream_names
from aieloom.emulator.program import stalling
from aieloom.layout.nest import PADDING
from aieloom.network.elements import bfloat16_bits, to_elements
from aieloom.pl.kernel import PlKernel
from aieloom.pl.streams import RasterStream, Streams, TiledStreams
from aieloom.plan.types import ArrayPart
from aieloom.reference.forward import evaluate
from aieloom.spec.network import INPUT
from aieloom.spec.types import DataType
from tests.designs import ROOT, Design

Values = NDArray[Any]  # float32, int8, or bfloat16's bits
INCLUDE = ROOT / "scripts" / "aieloom" / "emulator" / "include"

_HEAD = """\
#define __HLS_CSIM__ 1  // what enters and leaves a kernel is no queue between its tasks
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
std::size_t& poll_progress() {
  static std::size_t count = 0;
  return count;
}
void StreamPort::polled_in_vain() const { rests_ = progress_seen_; }  // who looks in vain waits soon
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
void drain(hls::stream<Word>& stream, int bits, int lanes, std::size_t words, bool last) {
  for (std::size_t i = 0; i < words; ++i) {
    const Word word = stream.read();
    for (int lane = 0; lane < lanes; ++lane) {
      const std::uint32_t element = ap_uint<32>(word.data.range(bits * lane + bits - 1, bits * lane)).to_uint();
      std::fwrite(&element, bits / 8, 1, stdout);
    }
  }
  if (last && stream.size() != 0) {
    std::fprintf(stderr, "a stream holds %zu words more than %zu\\n", stream.size(), words);
    std::exit(3);
  }
}
"""


@dataclass(frozen=True, slots=True)
class Case:
    """A PL kernel with what goes into each inlet and must come out of each outlet, stream after stream.

    `counts` is false for don't-care.
    """

    kernel: PlKernel
    given: tuple[Values, ...]
    wanted: tuple[Values, ...]
    counts: tuple[NDArray[np.bool_], ...]


def _laid_out(
    streams: Streams, image: Values, *, into_array: bool, outside: int = 0
) -> tuple[Values, NDArray[np.bool_]]:
    """Return the values of all streams for one image, and which of them mean something; `outside` pads a window."""
    lanes = streams.bits // (8 * image.itemsize)
    if isinstance(streams, RasterStream):
        values = np.zeros(streams.words * lanes, image.dtype)
        values[: image.size] = (image.transpose(1, 0, 2) if streams.by_row else image).ravel()
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
        values = grid.inputs(streams.window).at(stream=s).gather(image, outside)
        return values, np.ones(values.shape, np.bool_)
    order = grid.output.at(stream=s)
    garbage = 77  # padding of the tiles: must not reach anything
    return order.gather(image.reshape(order.sizes), garbage), order.flat() != PADDING


def _stored(values: Values, dtype: DataType) -> Values:
    """Return elements as streams carry them: bfloat16 as its bits."""
    return bfloat16_bits(values) if dtype is DataType.BFLOAT16 else values


def images_of(kernel: PlKernel) -> int:
    """Return how many images a kernel gets: those whose tasks never stop several, so that their rings of rows turn."""
    return 5 if kernel.lines else 2


def cases_of(design: Design, image: Values) -> list[Case]:
    """Return every PL kernel of a design with its data for an input image `(channels, height, width)`, and others like it."""
    plan = design.plan
    others = [np.roll(image, turn, axis=(0, 2)) for turn in range(1, max(map(images_of, plan.pl)))]
    every = [_activations(plan, design.parameters, i) for i in (image, *others)]
    found = []
    for kernel in plan.pl:
        tensors, images = _tensors_in(plan, kernel), every[: images_of(kernel)]
        given = [
            _laid_out(i.streams, _stored(made[t], i.dtype), into_array=False)[0]
            for made in images
            for i, t in zip(kernel.inlets, tensors, strict=True)
        ]
        last = kernel.steps[-1].layer if kernel.steps else tensors[0]
        wanted = [
            _laid_out(o.streams, _stored(made[last], o.dtype), into_array=True, outside=kernel.y.zero)
            for made in images
            for o in kernel.outlets
        ]
        found.append(Case(kernel, tuple(given), tuple(w for w, _ in wanted), tuple(c for _, c in wanted)))
    return found


def _tensors_in(plan: ArrayPart, kernel: PlKernel) -> tuple[str, ...]:
    """Return the names of the tensors that a kernel reads, inlet by inlet."""
    if kernel.steps:
        return kernel.steps[0].inputs
    (inlet,) = kernel.inlets
    sends = next(s.sends for s in plan.subgraphs if kernel.name in s.kernels)
    return (sends if inlet.from_memory else inlet.producer,)


def _activations(plan: ArrayPart, parameters: dict[str, Any], image: Values) -> dict[str, Values]:
    """Return the hardware reference's result of each layer, and the input."""
    x = to_elements(image[None], plan.x)
    return {INPUT: x[0]} | {s.name: y[0] for s, _, y in evaluate(plan.steps, parameters, x)}


def source_of(design: Design, kernel: PlKernel, namespace: str) -> str:
    """Return a kernel's source in a namespace of its own; its interface is that of C++, so that names may repeat."""
    text = design.files()[kernel.output]
    lines = [line for line in text.splitlines() if not line.startswith("#include")]
    body = "\n".join(lines).replace('extern "C" ', "")
    return f"namespace {namespace} {{\n{body}\n{_runner(kernel)}}}  // namespace {namespace}\n"


def _runner(kernel: PlKernel) -> str:
    lines, feeds, drains = list[str](), list[str](), list[str]()
    names = [] if kernel.lines else [str(images_of(kernel))]
    last = f", image == {images_of(kernel)} - 1"
    for ports, call, more, loops in (
        (kernel.inlets, "feed", "", feeds),
        (kernel.outlets, "drain", last, drains),
    ):
        for port in ports:
            names.append(port.port)
            declared, loop = _end(port.port, port.streams, 8 * port.dtype.bytes, call, more)
            lines.append(declared)
            loops.append(loop)
    every = f"for (int image = 0; image < {images_of(kernel)}; ++image) {{"
    feeds, drains = [every, *feeds, "}"], [every, *drains, "}"]
    body = "\n  ".join([*lines, *feeds, f"{kernel.name}({', '.join(names)});", *drains])
    return f"void run() {{\n  {body}\n}}\n"


def _end(name: str, streams: Streams, bits: int, call: str, more: str) -> tuple[str, str]:
    count = streams.streams
    declared = (
        f"static hls::stream<ap_axiu<{streams.bits}, 0, 0, 0>> {name}{f'[{count}]' if count > 1 else ''};"
    )
    each = f"{name}[s]" if count > 1 else name
    values = f"{each}, {bits}, {streams.bits // bits}, {streams.words}{more}"
    return declared, f"for (int s = 0; s < {count}; ++s) {call}({values});"


def program_of(designs: list[tuple[Design, list[PlKernel]]]) -> str:
    """Return one program of all kernels, each in a namespace."""
    sources = [design.files()[kernel.output] for design, kernels in designs for kernel in kernels]
    library = [library_file(copy.removeprefix(f"{FOLDER}/")) for copy in included(sources)]
    text, calls = [_HEAD, *(f'#include "{header}"' for header in library)], []
    for i, (design, kernels) in enumerate(designs):
        for j, kernel in enumerate(kernels):
            text.append(source_of(design, kernel, f"n{i}_{j}"))
            calls.append(f"  n{i}_{j}::run();")
    program = "\n".join([*text, "int main() {", *calls, "}", ""])
    return queues_source(program, stream_names([program]), dataflow=True)


def built(text: str, folder: Path) -> Path:
    """Compile a program of kernels; return it."""
    source = folder / "kernels.cpp"
    source.write_text(text)
    steps = runtime_steps(folder / "runtime", system=False)
    for step in steps:
        compile_step(step)
    target = folder / "kernels.o"
    compile_unit(Unit(source=source, includes=(INCLUDE,), options=("-O1", "-Werror")), target)
    link([*(s.target for s in steps), target], folder / "kernels")
    return folder / "kernels"


def given_of(designs: list[tuple[Design, list[Case]]]) -> bytes:
    """Return what goes into a program of these cases."""
    return b"".join(v.tobytes() for _, cases in designs for c in cases for v in c.given)


def outcome(program: Path, given: bytes, stalls: int | None = None) -> subprocess.CompletedProcess[bytes]:
    """Run a program of kernels, whose streams may stall by a seed."""
    environment = os.environ | stalling(stalls)
    return subprocess.run(
        [program], input=given, env=environment, capture_output=True, check=False, timeout=600
    )


def run_cases(designs: list[tuple[Design, list[Case]]], folder: Path) -> list[Values]:
    """Compile all kernels into one program and run it; return what each outlet gave, one after another.

    With streams that stall it gives the same.
    """
    program = built(program_of([(design, [c.kernel for c in cases]) for design, cases in designs]), folder)
    given = given_of(designs)
    done = outcome(program, given)
    assert done.returncode == 0, done.stderr.decode()
    stalled = outcome(program, given, stalls=1)
    assert stalled.returncode == 0, stalled.stderr.decode()
    assert stalled.stdout == done.stdout, "with streams that stall other values come out"
    left, found = done.stdout, []
    for _, cases in designs:
        for case in cases:
            for wanted in case.wanted:
                found.append(np.frombuffer(left[: wanted.nbytes], wanted.dtype))
                left = left[wanted.nbytes :]
    assert not left
    return found
