"""The host program's table of the first layer's input, compiled and run, against the words of the layer's streams."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from tests.designs import design_of

HEAD = "name: order\ntarget: {target}\nweights: w.safetensors\ninput: {{name: x, shape: [{shape}]}}\nlayers:\n  - {layer}\n"
CONV = "{{name: c, op: conv2d, out_channels: 6, kernel: {kernel}, padding: {padding}{more}}}"
DESIGNS = {
    "tiles": ("vck190", "3, 9, 7", CONV.format(kernel=3, padding=1, more=", stride: 2"), "tile: [4, 16, 8], mmul: [4, 2, 4]"),
    "chains": ("vck190", "5, 6, 6", CONV.format(kernel=3, padding=1, more=""), "tile: [4, 16, 12], mmul: [4, 2, 4], cascade: 3"),
    "rows": ("vck190", "3, 8, 16", CONV.format(kernel=5, padding=2, more=""), "strategy: direct, tile: [2, 75, 32], groups: 2"),
    "lanes": ("vek280", "3, 9, 12", CONV.format(kernel=3, padding=1, more=", stride: 2"), "strategy: direct"),
    "dense": ("vck190", "21, 1, 1", "{name: c, op: dense, out_features: 9}", "{}"),
}  # fmt: skip


@pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++")
def test_the_host_s_table_is_the_order_on_the_streams(tmp_path: Path) -> None:
    text, calls, wanted = ["#include <cstdint>", "#include <cstdio>", "#include <vector>"], [], []
    for name, (target, shape, layer, mapping) in DESIGNS.items():
        yaml = HEAD.format(target=target, shape=shape, layer=layer)
        design = design_of(yaml + (f"mapping:\n  c: {{{mapping}}}\n" if mapping != "{}" else ""))
        (stretch,) = design.plan.stretches
        streams = stretch.host_im2col
        assert streams is not None, name
        host = design.files()["src/host/order_host.cpp"]
        table = host.split("std::vector<std::int32_t> sources() {")[1].split("\n}\n")[0]
        constants = [line for line in host.splitlines() if line.startswith("constexpr int k")]
        text += [
            f"namespace {name} {{",
            *constants,
            f"std::vector<std::int32_t> sources() {{{table}\n}}",
            "}",
        ]
        calls.append(f'for (int i : {name}::sources()) std::printf("%d\\n", i);')
        order, lanes = streams.grid.inputs(streams.window), streams.bits // (8 * stretch.x.dtype.bytes)
        each = np.stack(
            [order.at(stream=s).flat().reshape(-1, lanes) for s in range(streams.streams)], axis=1
        )
        assert each.size * stretch.x.dtype.bytes == stretch.mm2s.image_bytes
        wanted += each.ravel().tolist()
    (tmp_path / "order.cpp").write_text("\n".join([*text, f"int main() {{ {' '.join(calls)} }}"]))
    subprocess.run(["g++", "-std=c++17", "-o", tmp_path / "order", tmp_path / "order.cpp"], check=True)
    out = subprocess.run([tmp_path / "order"], check=True, capture_output=True, text=True).stdout
    assert [int(line) for line in out.split()] == wanted
