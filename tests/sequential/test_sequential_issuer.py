"""`sequencer: host`: the host program issues layers one at a time; the same results, what it costs, where it means nothing."""

from __future__ import annotations

import re
import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from aieloom.cli import main
from aieloom.emulator.hls.config import read_config
from aieloom.emulator.hls.csim import csim
from aieloom.errors import SpecError
from aieloom.flow.project import Project
from aieloom.flow.sequential import design_of
from aieloom.sequential import commands as c
from aieloom.sequential import emit_array
from aieloom.sequential.array import ArrayEngine
from aieloom.sequential.cost import ISSUES, STARTS
from aieloom.sequential.emit import render
from aieloom.sequential.onchip import emit as on_rows
from aieloom.sequential.onchip.engine import RowEngine
from aieloom.sequential.plan import commands, engines_of
from aieloom.sequential.reference import reference
from aieloom.sequential.remarks import costed, issued_by, on
from aieloom.spec.device import Device, load_board
from aieloom.units.plan import interval_us
from tests.emit.instances import written
from tests.sequential.networks import inputs, opened, plan_of, quantised
from tests.sequential.on_chip import engine_of as rows_engine
from tests.sequential.on_chip import staying

HOST = "sequencer: host\n"

# Has single layers issued; the units' tokens lie in their queues already. Prints what each unit was sent, and the tokens that are left.
BENCH = """
#include <ap_axi_sdata.h>
#include <hls_stream.h>
#include <cstdio>
using Control = ap_axiu<32, 0, 0, 0>;
extern "C" void issuer(PARAMETERS hls::stream<Control>*, hls::stream<Control>*);
void run(int opcode) {
  static hls::stream<Control> to[UNITS];
  static hls::stream<Control> done[DONE];
  for (auto& d : done) for (int i = 0; i < 4; ++i) d.write(Control());
  issuer(opcode, ARGUMENTS to, done);
  for (auto& t : to) {
    while (!t.empty()) {
      std::printf("%d", t.read().data.to_int());
      int right = 1;
      for (int i = 1; i < NUMBERS; ++i) right += t.read().data.to_int() == 100 + i;
      if (right != NUMBERS) std::printf("(%d)", right);
    }
    std::printf(",");
  }
  for (auto& d : done) {
    std::printf(" %d", int(d.size()));
    while (!d.empty()) d.read();
  }
  std::printf("\\n");
}
int main() {
  for (int opcode : {1, 2, 3, 4, 9, 0}) run(opcode);
}
"""
# Two rows and two columns of chains have six movers; rows, the vector unit and both row units tell when they are done.
ARRAY_TOLD = """\
1,1,1,1,1,1,,,, 3 3 4 4 4
,,,,,,2,,, 4 4 3 4 4
,,,,,,,3,3, 4 4 4 3 3
,,,,,,,,, 4 4 4 4 4
,,,,,,,,, 4 4 4 4 4
0,0,0,0,0,0,0,0,0, 4 4 4 4 4
"""
# Two rows and four columns: what brings weights rests behind a product (5), and is told no group of images.
ROWS_TOLD = """\
1,1,1(51)5(51),1(51)5(51),1(51)5(51),1(51)5(51),1,1,1,1,1, 3 3
2,2,,,,,2,,,2,2, 3 3
,,,,,,,,,3,3, 3 3
,,,,,,,,,4,4, 3 3
,,,,,,,,,,, 4 4
0,0,0(51),0(51),0(51),0(51),0,0,0,0,0, 4 4
"""


def engine_of(kind: str) -> ArrayEngine:
    device = load_board("vck190")
    assert isinstance(device, Device)
    if kind == "array":
        return ArrayEngine(
            element="int8", device=device, grid=(2, 2, 2), depth=64, line_words=64, cache_words=64,
            mmul=(2, 8, 8), sequencer="host",
        )  # fmt: skip
    return replace(rows_engine(), sequencer="host")


@pytest.mark.parametrize(("kind", "told"), [("array", ARRAY_TOLD), ("rows", ROWS_TOLD)])
def test_a_layer_is_sent_to_its_units_and_what_is_none_is_not(kind: str, told: str, tmp_path: Path) -> None:
    engine = engine_of(kind)
    if isinstance(engine, RowEngine):
        numbers, done, beside = on_rows.NUMBERS, engine.rows, 0
        *_, kernel = on_rows.kernels(engine, finish="MultiplierFinish", sums="TfliteSum")
    else:
        numbers, done, beside = emit_array.NUMBERS, engine.rows + 3, 3
        kernel = emit_array.sequencer(engine, row_units=2, vectors=1)
    source = written(kernel, tmp_path)
    assert "m_axi" not in (tmp_path / source).read_text()
    bench = BENCH.replace("PARAMETERS", "int, " * numbers)
    bench = bench.replace("ARGUMENTS", "".join(f"{100 + i}, " for i in range(1, numbers)))
    (tmp_path / "bench.cpp").write_text(bench)
    (tmp_path / "hls_config.cfg").write_text(
        f"[hls]\nsyn.file={source}\nsyn.top=issuer\ntb.file=bench.cpp\n"
        f"tb.cflags=-DNUMBERS={numbers} -DUNITS={engine.units + beside} -DDONE={done}\n"
    )
    ran = csim(read_config(tmp_path / "hls_config.cfg"), out=tmp_path / "out")
    assert (ran.code, ran.stdout) == (0, told), ran.stderr


def issued(project: Project) -> float:
    """Return the microseconds of a batch in which layers are issued."""
    (cost,) = (cost for cost in costed(project.plan) if cost.name == ISSUES)
    return project.plan.schedule.batch * cost.us[STARTS]


def both(make: object, folder: Path) -> tuple[Project, Project]:
    """Return a project with a sequencer in the logic, and with commands that the host program issues."""
    assert callable(make)
    by_logic = make(folder)
    (folder / "network.yaml").write_text((folder / "network.yaml").read_text() + HOST)
    return by_logic, plan_of(folder)


def test_each_layer_is_a_start_and_the_command_list_is_the_same(tmp_path: Path) -> None:
    """Device memory: a start of a kernel for each layer, none of the sequencer's memory; plan.json's engine is another by a word."""
    by_logic, by_host = both(lambda f: opened(f, quantised("multiplier") + "engine: aie\n"), tmp_path)
    design = engines_of(by_host.plan)
    cpu = design.engine.board.processor
    counts = re.findall(r"(\d+) start", f"{issued_by(by_logic.plan)} {issued_by(by_host.plan)}")
    programs, layers = map(int, counts)
    assert (
        1 <= programs < layers == sum(on(cost) in ("array", "vector unit") for cost in costed(by_host.plan))
    )
    assert issued(by_logic) == programs * (cpu.kernel_start_us + 2 * cpu.sync_us)
    assert issued(by_host) == layers * cpu.kernel_start_us
    assert design.array
    assert engines_of(by_logic.plan).array == replace(design.array, sequencer="logic")
    first, second = (render(p.plan, p.parameters) for p in (by_logic, by_host))
    assert first["src/host/commands.bin"] == second["src/host/commands.bin"]
    assert set(first) - set(second) == {"src/pl/sequencer.cpp"}
    assert set(second) - set(first) == {"src/pl/issuer.cpp"}
    system = second["src/system.cfg"]
    assert isinstance(system, str)
    assert "sequencer" not in system
    assert "issuer_1.to_0" in system
    assert "sp=issuer" not in system


def test_weights_are_not_loaded_ahead_of_a_layer_that_nobody_told_of(tmp_path: Path) -> None:
    by_logic, by_host = both(staying, tmp_path)
    rows = engines_of(by_host.plan).staying
    assert rows
    assert engines_of(by_logic.plan).staying
    groups = by_host.plan.schedule.batch // rows.rows
    layers = sum(on(cost) in ("array", "array's rows") for cost in costed(by_host.plan))
    assert issued(by_host) == layers * groups * rows.device.processor.kernel_start_us
    assert interval_us(by_host.plan) > interval_us(by_logic.plan)


@pytest.mark.parametrize("more", ["engine: pl\n", "engine: pl\nsequencer: host\n"])
def test_an_engine_in_the_logic_is_the_hosts_either_way(more: str, tmp_path: Path) -> None:
    plan = opened(tmp_path, quantised("multiplier") + more).plan
    assert issued_by(plan) == "the host program's, one at a time"
    assert any("commands: the host program's" in line for line in plan.remarks)


def test_a_spatial_design_has_no_commands_to_issue(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match=r"network.yaml:\d+.*sequencer: host is of commands") as refused:
        opened(
            tmp_path, quantised("multiplier").replace("execution: sequential", "execution: spatial") + HOST
        )
    assert "execution: sequential" in str(refused.value)


def test_explain_says_who_issues_a_layers_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    opened(tmp_path, quantised("multiplier") + "engine: aie\n" + HOST)
    assert main(["explain", "conv", "--project", str(tmp_path)]) == 0
    assert "commands are the host program's, one at a time" in capsys.readouterr().out


@pytest.mark.integration
@pytest.mark.parametrize("target", ["vck190", pytest.param("vek280", marks=pytest.mark.slow)])
def test_tensors_in_device_memory_give_the_same_integers(target: str, tmp_path: Path) -> None:
    """More images than a batch. The environment asks to be told of each layer."""
    text = quantised("multiplier").replace("vck190", target)
    project = opened(tmp_path, f"{text}engine: {{where: aie, tensors: memory, batch: 3}}\n{HOST}")
    plan = project.plan
    in_turn = engines_of(plan)
    assert in_turn.array
    assert in_turn.array.sequencer == "host"
    x = inputs(plan.schedule.batch + 1)
    design = design_of(project)
    design.emulated.make(design.render())
    y = design.emulated.run(x).y
    assert y.tobytes() == reference(in_turn.steps, project.parameters, x).tobytes()
    assert len(np.unique(y)) > 3
    folder = design.emulated.folder
    (folder / "in.bin").write_bytes(np.ascontiguousarray(x, "<f4").tobytes())
    command = [str(folder / "small_host"), "small.xclbin", "in.bin"]
    told = subprocess.run(
        command,
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
        env={"AIELOOM_LAYERS": "1"},
    )
    layers = sum(isinstance(command, c.Sequenced) for command in commands(plan))
    lines = re.findall(r"^layer \d+ of \d+, group of images 0: [\d.]+ us$", told.stderr, re.M)
    assert len(lines) == 2 * layers, "two batches"


@pytest.mark.integration
@pytest.mark.parametrize("target", ["vck190", pytest.param("vek280", marks=pytest.mark.slow)])
def test_tensors_on_the_chip_give_the_same_integers(target: str, tmp_path: Path) -> None:
    _, project = both(lambda f: staying(f, target=target), tmp_path)
    plan = project.plan
    in_turn = engines_of(plan)
    assert in_turn.staying
    x = np.random.default_rng(5).normal(0, 1, (in_turn.staying.rows + 1, 3, 46, 38)).astype(np.float32)
    design = design_of(project)
    design.emulated.make(design.render())
    y = design.emulated.run(x).y
    assert y.tobytes() == reference(in_turn.steps, project.parameters, x).tobytes()
    assert len(np.unique(y)) > 3
