"""A residual network of integers whose kernels keep lines, and a test bench for any kernel of streams."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from aieloom.emit.files import FileTree, write_tree
from aieloom.emit.project import render
from aieloom.emulator.hls.component import Component, File
from aieloom.emulator.hls.csim import csim
from aieloom.pl.ends import Inlet, Outlet
from aieloom.pl.kernel import PlKernel
from tests.designs import Design
from tests.quantize.kernels import integer_design

# Several readers and one; writers with rows of their own and with all; rows, lanes and a vector; skewed banks and plain ones.
LANES = """\
name: lanes
target: vck190
weights: w.safetensors
input: {name: x, shape: [3, 16, 16]}
layers:
  - {name: c0, op: conv2d, out_channels: 16, kernel: 3, padding: 1}
  - {name: a0, op: relu}
  - {name: c1, op: conv2d, out_channels: 16, kernel: 3, padding: 1}
  - {name: a1, op: relu}
  - {name: c2, op: conv2d, out_channels: 16, kernel: 3, padding: 1}
  - {name: s2, op: add, inputs: [c2, a0]}
  - {name: a2, op: relu}
  - {name: c3, op: conv2d, out_channels: 8, kernel: 3, stride: 2, padding: 1}
  - {name: k3, op: conv2d, out_channels: 8, kernel: 1, stride: 2, inputs: [a2]}
  - {name: s3, op: sub, inputs: [c3, k3]}
  - {name: mean, op: global_avg_pool}
  - {name: fc, op: dense, out_features: 10}
mapping:
  c0: {strategy: direct, tile: [8, 72, 32], mmul: [4, 8, 4], groups: 2, plio: 128, pl: streaming}
  c1: {strategy: direct, tile: [8, 144, 48], mmul: [4, 8, 4], groups: 3, plio: 128, pl: streaming}
  c2: {strategy: direct, tile: [16, 144, 32], mmul: [4, 8, 4], groups: 8, plio: 128}
  c3: {strategy: direct, tile: [8, 144, 16], mmul: [4, 8, 4], groups: 2, plio: 128}
  k3: {strategy: direct, tile: [8, 16, 8], mmul: [4, 8, 4], groups: 1, plio: 128}
  s2: {strategy: streaming}
  s3: {strategy: streaming}
  mean: {strategy: streaming}
"""
KERNELS = ("pl_input_to_c0", "pl_c0_to_c1_and_s2", "pl_c1_to_c2", "pl_s2", "pl_s3_mean")
IMAGES = 5


@cache
def design() -> Design:
    return integer_design(LANES)


@cache
def kernel_of(name: str) -> PlKernel:
    return next(k for k in design().plan.pl if k.name == name)


@cache
def sources() -> FileTree:
    """Print the design."""
    return render(design().plan, design().parameters)


def bench(kernel: PlKernel) -> str:
    """Return a test bench that feeds a kernel's inlets with random words and prints every word that leaves."""
    parameters, arguments, feeds, prints = [], [], [], []
    ends: tuple[Inlet | Outlet, ...] = (*kernel.inlets, *kernel.outlets)
    for end in ends:
        name, count, bits, words = end.port, end.streams.streams, end.streams.bits, end.streams.words
        kind, ranges = f"hls::stream<ap_axiu<{bits}, 0, 0, 0>>", range(bits // 32)
        parameters.append(f"{kind} {name}[{count}]" if count > 1 else f"{kind}& {name}")
        arguments.append(name if count > 1 else f"{name}[0]")
        feeds.append(f"  static {kind} {name}[{count}];")
        loop = f"  for (auto& s : {name}) for (int i = 0; i < {IMAGES * words}; ++i) {{"
        if end in kernel.inlets:
            parts = " ".join(f"w.data.range({32 * j + 31}, {32 * j}) = next();" for j in ranges)
            feeds.append(
                f"{loop} ap_axiu<{bits}, 0, 0, 0> w; {parts} w.keep = -1; w.last = 0; s.write(w); }}"
            )
        else:
            shown = ", ".join(f"w.data.range({32 * j + 31}, {32 * j}).to_uint()" for j in ranges)
            form = " ".join(["%08x"] * len(ranges))
            prints.append(
                f'{loop} const auto w = s.read(); std::printf("{name} {form} %d %d\\n", {shown}, '
                "static_cast<int>(w.last), static_cast<int>(w.keep.to_uint())); }"
            )
            prints.append(f"  for (auto& s : {name}) if (!s.empty()) return 1;")
    random = "seed ^= seed << 13; seed ^= seed >> 7; seed ^= seed << 17; return static_cast<unsigned>(seed);"
    return "\n".join(
        [
            "#include <ap_axi_sdata.h>\n#include <ap_int.h>\n#include <hls_stream.h>\n#include <cstdint>\n#include <cstdio>",
            f'extern "C" void {kernel.name}({", ".join(parameters)});',
            "int main() {",
            "  std::uint64_t seed = 88172645463325252ULL;",
            f"  auto next = [&seed] {{ {random} }};",
            *feeds,
            f"  {kernel.name}({', '.join(arguments)});",
            *prints,
            "}\n",
        ]
    )


def run(folder: Path, tree: FileTree, kernel: PlKernel, stalls: int | None = None) -> str:
    """Build and run a kernel's test bench; return all words that leave."""
    write_tree(folder, tree, owned=())
    file = folder / "bench.cpp"
    file.write_text(bench(kernel))
    return simulated(folder / kernel.output, file, stalls=stalls)


def simulated(source: Path, file: Path, stalls: int | None = None) -> str:
    """Build and run a test bench, which tells by 0 that all is well; return what it prints."""
    component = Component(name=source.stem, folder=source.parent, design=(File(source),), bench=(File(file),))
    done = csim(component, out=file.parent / "run", stalls=stalls, timeout=120)
    assert done.code == 0, done.stdout + done.stderr
    return done.stdout
