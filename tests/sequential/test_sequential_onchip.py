"""Networks whose tensors stay on the chip: where they lie, how layers are cut, the sequencer, and the whole design in the emulator."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import aieloom
from aieloom.emit.files import write_tree
from aieloom.emulator.hls.config import read_config
from aieloom.emulator.hls.csim import csim
from aieloom.flow.project import Project, write_plan
from aieloom.flow.sequential import design_of
from aieloom.flow.timed_system import run_timed
from aieloom.layout.channel_words import LANES
from aieloom.layout.grid import Window
from aieloom.network.tensor import TensorType
from aieloom.sequential import commands as c
from aieloom.sequential.onchip.emit import NUMBERS, kernels
from aieloom.sequential.onchip.engine import LINES
from aieloom.sequential.onchip.split import most_rows, row_splits, view_of
from aieloom.sequential.onchip.store import in_place, overwrites, store_places
from aieloom.sequential.packing import packed
from aieloom.sequential.plan import command_list, commands, engines_of
from aieloom.sequential.reference import reference
from aieloom.sequential.remarks import costed
from aieloom.sequential.steps import ConvStep, Mode
from aieloom.sequential.vector import Operation
from aieloom.spec.types import DataType
from aieloom.units.plan import resources
from aieloom.units.types import PROCESSOR
from tests.clang_14 import need_clang
from tests.designs import ROOT
from tests.emit.instances import written
from tests.sequential.command_reader import from_bytes
from tests.sequential.on_chip import engine_of, staying


def test_what_stays_what_is_copied_and_what_is_the_processors(tmp_path: Path) -> None:
    project = staying(tmp_path)
    plan = project.plan
    design = engines_of(plan)
    assert design.staying, design.reason
    assert "tensors stay on the chip" in design.reason
    folds = {name: form.operation for name, form in design.forms.items()}
    assert folds.pop("all") in (Operation.AVERAGE, Operation.MEAN)
    assert folds == {"pool": Operation.MAXIMUM, "apart": Operation.DEPTHWISE}
    use, logic = asdict(resources(plan)), design.staying.device.logic
    assert 0 < use["bram36"] == design.staying.bram <= logic.bram36
    assert 0 < use["uram288"] == design.staying.uram <= logic.uram288
    kinds = [type(command) for command in commands(plan)]
    assert kinds[:2] == [c.Input, c.Bring]
    assert kinds[-3:] == [c.Give, c.Call, c.Output], "softmax is behind what rows compute"
    weights = packed(plan, project.parameters)
    data = c.to_bytes(command_list(plan), weights)
    found = from_bytes(data, weights)
    assert c.to_bytes(found, weights) == data
    assert found.store_bytes == design.staying.store_words * LANES
    local = [command for command in found.commands if isinstance(command, c.Product | c.Vector)]
    assert all((x.conv.x if isinstance(x, c.Product) else x.a).local for x in local)
    write_plan(project)
    written = json.loads((project.build / "plan.json").read_text())
    assert sorted(design.staying.whole) == written["body"]["array"]["whole"]


def check_bands_of_folds_are_refused(project: Project, folder: Path) -> None:
    """The host program takes the bands of a layer that rows fold from its command, and none that rows have no room for."""
    plan, weights = project.plan, packed(project.plan, project.parameters)
    design = engines_of(plan)
    assert design.staying
    (folder / c.WEIGHTS_FILE).write_bytes(weights)
    np.zeros(plan.x.shape, "<f4").tofile(folder / "in.bin")
    at, pool = next((i, v) for i, v in enumerate(commands(plan)) if isinstance(v, c.Vector) and v.rows > 1)
    words = -(-pool.a.channels // LANES)
    apart = (
        design.staying.line_words,
        pool.stride[1],
    )  # two rows of the output see more than there is room for

    def done(made: c.Vector) -> subprocess.CompletedProcess[str]:
        others = (*commands(plan)[:at], made, *commands(plan)[at + 1 :])
        (folder / c.FILE).write_bytes(c.to_bytes(replace(command_list(plan), commands=others), weights))
        (host,) = folder.glob("*_host")
        words = [str(host), f"{host.name.removesuffix('_host')}.xclbin", "in.bin", "--output", "out.bin"]
        return subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=60, check=False)

    assert done(pool).returncode == 0
    for text, made in (
        ("has bands that none has", replace(pool, rows=0)),
        ("has bands that none has", replace(pool, rows=pool.y.height + 1)),
        ("has bands that none has", replace(pool, groups=0)),
        ("has bands that none has", replace(pool, groups=words + 1)),
        ("has a window for which a row has no room", replace(pool, stride=apart, rows=2)),
    ):
        told = done(made)
        assert (told.returncode, text in told.stderr) == (1, True), told.stderr


@pytest.mark.integration
@pytest.mark.parametrize(
    ("scales", "target"),
    [("multiplier", "vck190"), pytest.param("onnx", "vek280", marks=pytest.mark.slow)],
)
def test_rows_that_own_images_give_the_same_integers(scales: str, target: str, tmp_path: Path) -> None:
    """More images than rows, more than a batch has none of; then single layers on the same engine."""
    project = staying(tmp_path, scales, target)
    plan = project.plan
    in_turn = engines_of(plan)
    assert in_turn.staying, in_turn.reason
    design = design_of(project)
    design.emulated.make(design.render())
    x = np.random.default_rng(5).normal(0, 1, (in_turn.staying.rows + 1, 3, 46, 38)).astype(np.float32)
    quant = in_turn.steps[0].x.quant
    assert quant
    halves = ((np.arange(x[0].size) % 255 - 127 + 0.5) * np.float32(quant.scale)).astype(np.float32)
    aside = np.array([-np.inf, 0, np.inf], np.float32)[np.arange(x[0].size) % 3]  # by the smallest step
    x[0] = np.where(aside == 0, halves, np.nextafter(halves, aside)).reshape(x[0].shape)
    y = design.emulated.run(x).y
    assert y.tobytes() == reference(in_turn.steps, project.parameters, x).tobytes()
    assert len(np.unique(y)) > 3
    check_bands_of_folds_are_refused(project, design.emulated.folder)
    handle = aieloom.design(tmp_path)
    for name in ("stem", "apart", "narrow", "all"):
        layer, step = handle.layer(name), next(s for s in in_turn.steps if s.layer == name)
        kinds = (step.origin.x if isinstance(step, ConvStep) and step.origin else step.x, *step.others)
        given_ = [np.random.default_rng(2).normal(0, 1, (2, *t.shape)).astype(np.float32) for t in kinds]
        assert layer.emulate(*given_).tobytes() == layer.reference(*given_).tobytes()


def test_the_arrays_simulators_are_refused_and_what_runs_with_times_is_named(tmp_path: Path) -> None:
    """`doit sim mode=timed` is the simulation of an array alone, which such a design has none of; `doit emulate` has times."""
    staying(tmp_path)
    said = subprocess.run(
        [
            sys.executable,
            "-m",
            "doit",
            "run",
            "--db-file",
            str(tmp_path / "db"),
            "sim",
            "mode=timed",
            f"project={tmp_path}",
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert said.returncode == 2
    assert "[option] mode=timed is for designs whose layers have cores of their own" in said.stdout
    assert "doit emulate mode=timed runs it with times" in said.stdout


@pytest.mark.slow
def test_times_of_such_a_design_are_within_the_plans(tmp_path: Path) -> None:
    """Its sequencer's program takes what the plan says, within a tenth; results are the reference's."""
    need_clang()
    project = staying(tmp_path)
    plan, design = project.plan, design_of(project)
    in_turn = engines_of(plan)
    assert in_turn.staying
    write_tree(project.build, design.render(), owned=())
    x = np.random.default_rng(5).normal(0, 1, (in_turn.staying.rows, 3, 46, 38)).astype(np.float32)
    done = run_timed(design, x)
    assert done.y.tobytes() == design.reference(x).tobytes()
    program = next(u for u in done.cycles.times.units if u.name == f"{in_turn.staying.issuer}_1")
    planned = sum(c.total_us for c in costed(plan) if c.units != (PROCESSOR,)) * in_turn.staying.rows
    assert program.longest / done.cycles.times.mhz == pytest.approx(planned, rel=0.1)


def step_of(
    name: str, x: tuple[str, tuple[int, int, int]], *, outputs: int, kernel: int, stride: int
) -> ConvStep:
    channels, height, width = x[1]
    window = Window(
        channels=channels,
        height=height,
        width=width,
        kernel=(kernel, kernel),
        stride=(stride, stride),
        padding=(kernel // 2, kernel // 2),
    )
    int8 = DataType.INT8
    return ConvStep(
        layer=name, op="conv2d", inputs=(x[0],), gives=name, window=window, groups=1,
        mode=Mode.WHOLE, x=TensorType(x[1], int8),
        y=TensorType((outputs, window.out_height, window.out_width), int8), has_bias=True, requant=None, low=0.0, high=0.0,
    )  # fmt: skip


@given(st.data())
@settings(max_examples=150, deadline=None)
def test_what_a_layer_reads_was_not_written_over(data: st.DataObject) -> None:
    """Every byte of a store has the tensor that was written to it last; a layer reads bytes that are its inputs' own."""
    draw = data.draw
    made: dict[str, tuple[int, int, int]] = {"x": (draw(st.integers(1, 40)), 12, 12)}
    steps: list[ConvStep] = []
    for i in range(draw(st.integers(1, 9))):
        source = draw(st.sampled_from(list(made)[-3:]))
        size = made[source]
        stride = draw(st.sampled_from([1, 1, 2] if min(size[1:]) > 2 else [1]))
        outputs = draw(st.sampled_from([16, 64, 128]))
        steps.append(
            step_of(
                f"c{i}", (source, size), outputs=outputs, kernel=draw(st.sampled_from([1, 3])), stride=stride
            )
        )
        made[f"c{i}"] = steps[-1].y.shape
    places, held = store_places(tuple(steps), {})
    over = overwrites(tuple(steps), {})
    owner = np.full(held, -1)
    numbers = {name: i for i, name in enumerate(made)}

    def bytes_of(name: str) -> slice:
        channels, height, width = made[name]
        return slice(places[name], places[name] + height * width * -(-channels // LANES) * LANES)

    owner[bytes_of("x")] = numbers["x"]
    for step in steps:
        assert (owner[bytes_of(step.inputs[0])] == numbers[step.inputs[0]]).all(), step.layer
        kept = owner.copy()
        owner[bytes_of(step.layer)] = numbers[step.layer]
        if step.layer not in over:  # it is read while it is written
            apart = (owner != kept) & (kept == numbers[step.inputs[0]])
            assert not apart.any()
    assert in_place(tuple(steps)) == {}


@given(st.data())
@settings(max_examples=300, deadline=None)
def test_a_result_is_written_over_rows_that_were_read(data: st.DataObject) -> None:
    """Whatever rows a band has: what is written when it ends is no byte that a later band reads."""
    draw = data.draw
    size = draw(st.tuples(st.integers(1, 20), st.integers(1, 20)))
    channels, outputs = (draw(st.sampled_from([16, 32, 64])) for _ in range(2))
    kernel, stride, rows = (
        draw(st.sampled_from([1, 3, 5])),
        draw(st.integers(1, 3)),
        draw(st.integers(1, 20)),
    )
    step = step_of("c", ("x", (channels, *size)), outputs=outputs, kernel=kernel, stride=stride)
    before = step_of("x", ("image", (16, *size)), outputs=channels, kernel=1, stride=1)
    if "c" not in overwrites((before, step), {}):
        return
    _, height, width = step.y.shape
    padding = step.window.padding[0]
    for band in range(-(-height // rows) - 1):
        written = min(height, (band + 1) * rows) * width * outputs
        first = max(0, (band + 1) * rows * stride - padding)
        assert written <= first * size[1] * channels


@pytest.mark.parametrize("lines", LINES)
@pytest.mark.parametrize("channels", [64, 1024, 2048])
def test_rows_of_single_pixels_are_no_longer_than_a_band(lines: int, channels: int) -> None:
    """ResNet-50's 1024 channels at 14x14 had rows of 28 pixels, 1,792 words, where 1,536 are kept: the host refused its list."""
    step = step_of("c", ("x", (channels, 14, 14)), outputs=256, kernel=1, stride=1)
    view = view_of(step, lines)
    assert view.size[1] * view.words <= lines
    assert most_rows(view, lines) > 0


@given(
    channels=st.integers(1, 70),
    outputs=st.integers(1, 300),
    kernel=st.sampled_from([1, 3]),
    stride=st.sampled_from([1, 2]),
    side=st.integers(4, 30),
)
@settings(max_examples=60, deadline=None)
def test_bands_see_every_row_that_their_windows_touch(
    channels: int, outputs: int, kernel: int, stride: int, side: int
) -> None:
    step = step_of("c", ("x", (channels, side, side)), outputs=outputs, kernel=kernel, stride=stride)
    engine = engine_of()
    view = view_of(step, engine.line_words)
    for split in row_splits(step, engine):
        assert (len(split.blocks) - 1) * split.rows < view.out[0] <= len(split.blocks) * split.rows
        for band, (blocks, seen) in enumerate(zip(split.blocks, split.seen, strict=True)):
            made = [r for r in range(band * split.rows, (band + 1) * split.rows) if r < view.out[0]]
            touched = {r * view.stride[0] - view.padding[0] + k for r in made for k in range(view.kernel[0])}
            inside = [r for r in touched if 0 <= r < view.size[0]]
            # Rows between two windows that neither touches are sent all the same.
            between = range(min(inside), max(inside) + 1)
            assert seen == len(between) * view.size[1] * view.words
            assert (blocks - 1) * 32 < len(made) * view.out[1] <= blocks * 32
            assert len(made) * view.out[1] <= 1024
        assert split.together * split.passes * engine.weight_words <= engine.cache_words


# Runs programs on queues in which the rows' tokens lie already; prints status and layer, what each unit was sent (opcode and group),
# and the tokens that are left.
BENCH = """
#include <ap_axi_sdata.h>
#include <hls_stream.h>
#include <cstdio>
#include <vector>
using Control = ap_axiu<32, 0, 0, 0>;
extern "C" void sequencer(const int*, int*, int, int, int, hls::stream<Control>*, hls::stream<Control>*);
void run(const std::vector<int>& opcodes, int count, int groups, int last) {
  std::vector<int> program(opcodes.size() * NUMBERS + 1);
  for (std::size_t i = 0; i < opcodes.size(); ++i) program[i * NUMBERS] = opcodes[i];
  static hls::stream<Control> to[UNITS];
  static hls::stream<Control> done[ROWS];
  for (auto& d : done) for (int i = 0; i < 8; ++i) d.write(Control());
  int status[2] = {-1, -1};
  sequencer(program.data(), status, count, groups, last, to, done);
  std::printf("%d %d:", status[0], status[1]);
  for (auto& t : to) {
    std::printf(" ");
    while (!t.empty()) {
      std::printf("%d", t.read().data.to_int());
      for (int i = 1; i < NUMBERS; ++i) {
        const int number = t.read().data.to_int();
        if (i == 48) std::printf("/%d", number);
      }
      std::printf(",");
    }
  }
  std::printf(" left");
  for (auto& d : done) {
    std::printf(" %d", int(d.size()));
    while (!d.empty()) d.read();
  }
  std::printf("\\n");
}
int main() {
  run({3, 1, 2, 4}, 4, 2, 0);
  run({}, 0, 0, 1);
  run({1, 9, 1}, 3, 1, 1);
  run({1}, -1, 1, 0);
}
"""
# Two rows and four columns of chains: two units that load, four that bring weights, one that tells all rows, two that make results,
# two that keep them.
# What brings weights has each product while the one before is computed; behind the last one rest (5), or the end.
AHEAD = "1/0,1/1,5/0, 1/0,1/1,5/0, 1/0,1/1,5/0, 1/0,1/1,5/0,"
GROUPS = f"1/0,2/0,1/1,2/1, 1/0,2/0,1/1,2/1, {AHEAD} 1/0,2/0,1/1,2/1, 1/0,1/1, 1/0,1/1,"
REFUSED = " ".join(["1/0,0/0,"] * 2 + ["1/0,5/0,0/0,"] * 4 + ["1/0,0/0,"] * 5)
KEPT = "3/0,1/0,2/0,4/0,3/1,1/1,2/1,4/1,"
TOLD = f"""\
0 4: {GROUPS} {KEPT} {KEPT} left 0 0
0 0: {" ".join(["0/0,"] * 11)} left 8 8
2 1: {REFUSED} left 7 7
1 0: {" ".join([""] * 11)} left 8 8
"""


def test_a_program_is_sent_for_group_after_group_of_images(tmp_path: Path) -> None:
    engine = engine_of()
    *_, kernel = kernels(engine, finish="MultiplierFinish", sums="TfliteSum")
    source = written(kernel, tmp_path)
    (tmp_path / "bench.cpp").write_text(BENCH)
    (tmp_path / "hls_config.cfg").write_text(
        f"[hls]\nsyn.file={source}\nsyn.top=sequencer\ntb.file=bench.cpp\n"
        f"tb.cflags=-DNUMBERS={NUMBERS} -DUNITS={engine.units} -DROWS={engine.rows}\n"
    )
    done = csim(read_config(tmp_path / "hls_config.cfg"), out=tmp_path / "out")
    assert (done.code, done.stdout) == (0, TOLD), done.stderr
