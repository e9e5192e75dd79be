"""Dataflow regions of the printed kernels: an array has one process that reads it, and one that writes it.

UG1448 214-169: in a dataflow region variables, except scalars, can have only one reading process and one writing process.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from safetensors.numpy import save_file

from aieloom.sequential.emit import render
from tests.designs import network_of, stored_of
from tests.sequential.networks import opened, plan_of, quantised
from tests.sequential.on_chip import staying

FLOATS = """\
name: floats
target: {target}
execution: sequential
weights: weights.safetensors
input: {{name: x, shape: [6, 32]}}
layers:
  - {{name: qkv, op: dense, out_features: 96}}
  - {{name: mix, op: attention, heads: 2, width: 16, first: [0, 32, 64], inputs: [qkv, qkv, qkv]}}
"""
FUNCTION = re.compile(r"^(?:static )?(?:void|\w+) (\w+)\(([^;{}]*)\) \{$(.*?)^\}", re.M | re.S)


def shared(source: str) -> Iterator[str]:
    """Yield 'function: array' of each array that two processes of a region read, or write."""
    aliases = set(re.findall(r"using (\w+) = [^;]*\];", source))
    functions = {name: parameters.split(", ") for name, parameters, _ in FUNCTION.findall(source)}
    for region, parameters, body in FUNCTION.findall(source):
        at = re.search(r"#pragma HLS dataflow\n(?:#pragma.*\n)*( +)", body)
        if not at:
            continue
        declared = rf"(?:const )?(?:{'|'.join(sorted(aliases)) or '-'}) ?&? ?(\w+)"
        arrays = set(re.findall(rf"{declared}(?=,|;|$)", parameters))
        arrays |= set(re.findall(rf"^\s*(?:static )?{declared};", body, re.M))
        arrays |= set(re.findall(r"(\w+)\[[^\]]*\](?=;|, |$)", parameters)) | set(
            re.findall(r"^\s*(?:static )?\w+ (\w+)(?:\[[^\]]*\])+;", body, re.M)
        )
        users: Counter[tuple[str, bool]] = Counter()
        for name, given in re.findall(rf"^{at[1]}(\w+)\((.*)\);$", body[at.end(1) :], re.M):
            for parameter, argument in zip(functions.get(name, []), given.split(", "), strict=False):
                if argument in arrays:
                    users[argument, parameter.startswith("const ")] += 1
        yield from (f"{region}: {array}" for (array, _), count in users.items() if count > 1)


def controlled(source: str) -> Iterator[str]:
    """Yield the lines of dataflow regions that decide or repeat: processes below them do not overlap [UG1399 Canonical Body]."""
    for _, body in re.findall(r"^( *)[^\n]*\{\n *#pragma HLS dataflow\n(.*?)^\1\}", source, re.M | re.S):
        yield from (
            line.strip()
            for line in body.splitlines()
            if re.match(r" *((if|else|for|while|do|switch)\b|\})", line)
        )


def test_a_process_in_a_branch_is_seen() -> None:
    text = """\
void both(int x) {
#pragma HLS dataflow
  int a[4];
  look(a);
%s}
void all(int x) {
  for (int i = 0; i < x; ++i) {
#pragma HLS dataflow
    int a[4];
    look(a);
%s  }
}
"""
    assert not [*controlled(text % ("", ""))]
    assert [*controlled(text % ("  if (x) {\n    hook(a);\n  }\n", ""))] == ["if (x) {", "}"]
    assert [*controlled(text % ("", "    for (;;) hook(a);\n"))] == ["for (;;) hook(a);"]


def test_an_array_of_two_readers_is_seen() -> None:
    text = """\
using Bits = int[4];
void look(const Bits& b, hls::stream<int>& y) {
}
void both(const Bits& bits, int x) {
#pragma HLS dataflow
  hls::stream<int> a;
  look(bits, a);
  %s(bits, a);
}
"""
    assert [*shared(text % "look")] == ["both: bits"]
    assert not [*shared(text % "hook")]


@pytest.mark.parametrize("design", ["floats", "bfloat16", "logic", "int8", "rows"])
def test_an_array_has_one_reader_and_one_writer(design: str, tmp_path: Path) -> None:
    if design == "int8":
        project = opened(tmp_path, quantised("multiplier") + "engine: aie\n")
    elif design == "rows":
        project = staying(tmp_path)
    else:
        target = {"floats": "vck190", "bfloat16": "vek280", "logic": "zcu104"}[design]
        text = FLOATS.format(target=target)
        text += "quantize: {activations: bfloat16, weights: bfloat16}\n" * (design == "bfloat16")
        (tmp_path / "network.yaml").write_text(text)
        save_file(stored_of(network_of(text)), tmp_path / "weights.safetensors")
        project = plan_of(tmp_path)
    sources = {
        path: str(text)
        for path, text in render(project.plan, project.parameters).items()
        if path.startswith("src/pl/")
    }
    regions = [path for path, text in sources.items() if "#pragma HLS dataflow" in text]
    assert len(regions) >= 2
    assert ("src/pl/row_unit.cpp" in regions) == (design in ("floats", "bfloat16", "logic"))
    assert {path: found for path, text in sources.items() if (found := [*shared(text)])} == {}
    assert {path: found for path, text in sources.items() if (found := [*controlled(text)])} == {}
