"""`doit build` with the stand-in tools: every stage once, in order, with reviewed command lines; then only what changed."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest

from aieloom.emit import library, printer
from aieloom.emit.files import write_tree
from aieloom.emit.project import render
from aieloom.flow import inputs
from aieloom.flow.designs import design_of
from aieloom.flow.opening import open_project
from aieloom.vitis.run import _quoted
from tests.toolchain import system
from tests.toolchain.files import write_text_archive, write_zip
from tests.toolchain.hls import read_ports, with_headers
from tests.toolchain.install import ROOT, Standin
from tests.vitis.conftest import Folder

GOLDEN = Path(__file__).parent / "golden"
RELEASES = ("2022.2", "2023.2", "2024.2", "2025.2", "2026.1")
CASES = [(r, "petalinux", b) for r in RELEASES for b in ("vck190", "vek280")]
CASES += [("2026.1", "edf", b) for b in ("vck190", "vek280")]

Use = Callable[..., Standin]


def calls(standin: Standin, folder: Folder, board: str = "vck190") -> list[str]:
    """Return the recorded calls as lines that are the same on every machine."""
    lines = []
    for call in standin.calls():
        argv = call["argv"]
        assert isinstance(argv, list)
        where = os.path.relpath(str(call["cwd"]), folder.build(board))
        lines.append(f"{where}: {call['tool']} {' '.join(argv)}".replace(str(standin.root), "$TOOLS"))
    return lines


def stages(standin: Standin, folder: Folder, board: str = "vck190") -> list[str]:
    """Return the stages' folders in the order of their calls."""
    return [line.partition(":")[0].removeprefix("vitis/") for line in calls(standin, folder, board)]


def agrees(name: str, text: str) -> None:
    """Compare with a golden file; AIELOOM_REGEN=1 writes it anew."""
    file = GOLDEN / name
    if os.environ.get("AIELOOM_REGEN"):
        file.parent.mkdir(exist_ok=True)
        file.write_text(text)
    assert file.is_file(), (
        f"{file.name} is missing: AIELOOM_REGEN=1 pytest {Path(__file__).name}, then review it"
    )
    assert file.read_text() == text, (
        f"differs from {file.name}: AIELOOM_REGEN=1 writes it anew, review the diff"
    )


@pytest.mark.parametrize(("release", "image", "board"), CASES, ids=["-".join(c) for c in CASES])
def test_build_runs_every_stage_once_with_the_reviewed_commands(
    use: Use, small: Folder, release: str, image: str, board: str
) -> None:
    standin = use(release, image)
    built = small.doit("run", "-n", "0", "build", f"target={board}")
    assert built.code == 0, built.text
    config = small.build(board) / "vitis/hls/mm2s/hls.cfg"
    text = "\n".join(calls(standin, small, board)) + "\n"
    agrees(f"{release}-{image}-{board}.txt", text + (f"\n{config.read_text()}" if config.is_file() else ""))
    assert ("sd_card.img" in built.text) == (image == "petalinux")
    standin.forget()
    again = small.doit("run", "build", f"target={board}")
    assert again.code == 0
    assert stages(standin, small, board) == []


@pytest.mark.integration
def test_only_what_changed_runs_again(
    use: Use, small: Folder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    standin = use("2024.2")
    templates = copied_templates(tmp_path, monkeypatch)

    def build() -> list[str]:
        standin.forget()
        done = small.doit("run", "-n", "0", "build")
        assert done.code == 0, done.text
        return stages(standin, small)

    assert len(build()) == 8
    small.edit("entries: 256", "entries: 128")  # one PL kernel: its table
    assert build() == ["hls/pl_squash", "hw/link", "hw/package"]
    small.weights(4)
    assert build() == ["aiecom", "hw/link", "hw/package"]
    # Of a remark in a header the same program comes: packaging it again would change nothing.
    for name, stages_run in (("host.cpp.j2", ["host", "hw/package"]), ("lib/aieloom/host/files.h", ["host"])):
        host = templates / "host_templates" / name
        host.write_text(host.read_text() + "// a remark\n")
        assert build() == stages_run
    header = templates / "pl_templates" / "lib" / "aieloom" / "pl" / "movers.h"
    header.write_text(header.read_text() + "// a remark\n")
    assert {"hls/mm2s", "hls/s2mm"} <= set(build())
    assert build() == []
    (small.build() / "src/pl/mm2s.cpp").touch()  # a new date, the same content
    assert build() == []
    (small.build() / "vitis/hw/link/small.xsa").unlink()
    assert build() == ["hw/link"]  # the same .xsa again: packaging it again would change nothing


def copied_templates(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Let the project be printed from a copy of the templates, which a test may edit."""
    copy = tmp_path / "templates"
    for name in ("aie_templates", "pl_templates", "host_templates"):
        shutil.copytree(library.template_folder(name), copy / name)
    printer.environment_of.cache_clear()
    for module in (library, printer, inputs):
        monkeypatch.setattr(module, "template_folder", lambda name: copy / name)
    return copy


@pytest.fixture(autouse=True)
def forget_templates() -> object:
    yield
    printer.environment_of.cache_clear()


def test_another_tool_version_builds_again(use: Use, small: Folder) -> None:
    use("2024.2")
    assert small.doit("run", "aiecom").code == 0
    newer = use("2025.2")
    assert small.doit("run", "aiecom").code == 0
    assert stages(newer, small) == ["aiecom"]


def test_options_of_the_settings_file_reach_their_stage(use: Use, small: Folder) -> None:
    standin = use("2024.2")
    assert small.doit("run", "aiecom").code == 0
    (small.path / "aieloom.toml").write_text('[options]\naiecom = ["--aie.Xmapper=BufferOptLevel9"]\n')
    standin.forget()
    assert small.doit("run", "aiecom").code == 0
    assert calls(standin, small)[0].endswith("graph.cpp --aie.Xmapper=BufferOptLevel9")
    (small.path / "aieloom.toml").write_text('[options]\naiecom = ["--Xmapper=1"]\n')
    refused = small.doit("run", "aiecom")
    assert refused.code == 1 and "unrecognised option '--Xmapper=1'" in refused.text


def test_a_newer_release_says_what_it_is_driven_like(use: Use, small: Folder) -> None:
    standin = use("2027.1")
    built = small.doit("run", "-n", "0", "hls")
    assert built.code == 0, built.text
    assert built.text.count("note: Vitis 2027.1 is not in the table; it is driven like 2026.1") == 1
    assert len(standin.calls()) == 4


def test_every_stage_can_be_cleaned_and_listed(use: Use, small: Folder) -> None:
    standin = use()
    assert small.doit("run", "build").code == 0
    assert "U xsa" in small.doit("list", "--all", "--status").text
    assert small.doit("clean", "xsa").code == 0
    assert not (small.build() / "vitis/hw/link").exists()
    assert "R xsa" in small.doit("list", "--all", "--status").text
    standin.forget()
    assert small.doit("run", "-n", "0", "build").code == 0
    assert stages(standin, small) == ["hw/link"]


def test_the_figures_of_a_build_stand_in_the_report(use: Use, small: Folder) -> None:
    use()
    assert small.doit("run", "build").code == 0
    told = json.loads((small.build() / "report/hw.json").read_text())
    assert told["timing"]["wns_ns"] == 0.05
    assert told["timing"]["clocks_mhz"] == {"clk_pl_0": 312.5, "clkout2_primitive": 260.01}
    assert told["pl"]["lut"] == {"used": 58504, "percent": 6.57}
    assert told["array"] == {"aie_cores": 2, "largest_program_bytes": 4100, "largest_stack_bytes": 320}
    assert told["produced_by"] == "Vitis 2024.2"
    assert told["warnings"]["link"] == 1


@pytest.mark.integration
def test_simulators_are_compared_and_their_figures_labelled(use: Use, small: Folder) -> None:
    use()
    ran = small.doit("run", "sim")  # the most faithful simulator that is installed
    assert ran.code == 0, ran.text
    assert "PASS aiesimulator, Vitis 2024.2: 3 streams, 2304 values, bit for bit equal" in ran.text
    assert small.doit("run", "sim", "mode=x86").code == 0
    runs = json.loads((small.build() / "report/summary.json").read_text())["runs"]
    assert runs["x86"]["golden"]["bit_exact"] and runs["aie"]["golden"]["bit_exact"]
    assert runs["aie"]["produced_by"] == "aiesimulator, Vitis 2024.2"
    assert runs["aie"]["performance"]["profile"]["slowest"]["cycles_per_call"] == 1000
    told = runs["aie"]["performance"]
    assert told["bound_fps"] == pytest.approx(3 * 1250e6 / 4000, rel=1e-6)
    # The stand-in sends a word a PL cycle without a pause: an image's words at that clock are the interval.
    folder = small.build() / "vitis/aiesim/aiesimulator_output/data"
    spans = {}
    for file in folder.glob("*_out_*.txt"):
        words = sum(not line.startswith("T ") for line in file.read_text().splitlines())
        spans[file.stem.partition("_out_")[0]] = words / 3 / 312.5
    assert told["interval_us"] == pytest.approx(max(spans.values()), abs=1e-4)
    assert told["throughput_fps"] == pytest.approx(1e6 / max(spans.values()), rel=1e-3)
    assert told["slowest_layer"] == max(spans, key=lambda name: spans[name])
    assert f"an image every {told['interval_us']:.2f} us" in ran.text
    assert "performance" not in runs["x86"]  # it knows no time
    page = (small.build() / "report/index.html").read_text()
    assert "x86simulator, Vitis 2024.2: 3 streams, 2304 values, bit for bit equal" in page
    assert small.doit("run", "sim", "mode=both").code == 2


@pytest.mark.slow
def test_a_design_of_subgraphs_is_built_and_simulated(use: Use, small: Folder) -> None:
    """A layer on the processor lies between the two on the array: the link checks every stream, the simulators every file."""
    use()
    small.edit("squash: {lut: {entries: 256, range: [-4, 4]}}", "squash: {engine: ps}")
    built = small.doit("run", "build")
    assert built.code == 0, built.text
    config = (small.build() / "src/system.cfg").read_text()
    assert "nk=mm2s_last:1:mm2s_last_1" in config and "sp=s2mm_last_1.memory:DDR" in config
    ran = small.doit("run", "sim")
    assert ran.code == 0, ran.text
    assert "PASS aiesimulator, Vitis 2024.2: 3 streams, 2304 values, bit for bit equal" in ran.text
    told = json.loads((small.build() / "report/summary.json").read_text())["runs"]["aie"]["performance"]
    assert told["interval_us"] == pytest.approx(sum(la["interval_us"] for la in told["layers"]))
    assert told["throughput_of"].endswith("at the outputs of first, and then of last")
    emulated = small.doit("run", "emulate", "stage=hw_emu")
    assert "PASS v++ hw_emu, Vitis 2024.2" in emulated.text


@pytest.mark.integration
def test_hardware_emulation_and_a_board_run_the_host_program(
    use: Use, small: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    standin = use()
    emulated = small.doit("run", "emulate", "stage=hw_emu")
    assert emulated.code == 0, emulated.text
    assert "PASS v++ hw_emu, Vitis 2024.2" in emulated.text
    ran = small.doit("run", "board", "host=192.168.0.7")
    assert ran.code == 0, ran.text
    assert "12.50 W" in ran.text and "16 images" in ran.text
    assert (small.build() / "vitis/hw/board_output.bin").stat().st_size == 16 * 256 * 4
    assert (standin.root / "board/tmp/aieloom/small/small.xclbin").is_file()
    summary = json.loads((small.build() / "report/summary.json").read_text())
    assert "12.50 W" in (small.build() / "report/index.html").read_text()
    assert summary["runs"]["hw"]["run"]["passed"] and summary["runs"]["hw_emu"]["run"]["passed"]
    assert small.doit("run", "board").code == 2  # no address
    lost = small.doit("run", "board", "host=unreachable")
    assert lost.code == 1 and "No route to host" in lost.text
    monkeypatch.setenv("AIELOOM_STANDIN_FAULT", "ssh:wrong")
    wrong = small.doit("run", "board", "host=192.168.0.7")
    assert wrong.code == 1 and "the host program did not pass" in wrong.text
    summary = json.loads((small.build() / "report/summary.json").read_text())
    assert not summary["runs"]["hw"]["run"]["passed"], "the report has it although the task failed"


@pytest.mark.slow
def test_hardware_emulation_boots_an_edf_disk_with_the_design_when_it_could_be_written(
    use: Use, small: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    standin, board = use("2026.1", "edf"), "vek280"
    for kind, said in (("full", "[disk-full]"), ("fail", "disk failed: ERROR: [v++ 60-702]")):
        monkeypatch.setenv("AIELOOM_STANDIN_FAULT", f"disk:{kind}")
        failed = small.doit("run", "emulate", "stage=hw_emu", f"target={board}")
        assert failed.code == 1 and said in failed.text
        assert not (small.build(board) / "vitis/hw_emu/disk/done.json").exists()
    monkeypatch.delenv("AIELOOM_STANDIN_FAULT")
    standin.forget()
    emulated = small.doit("run", "emulate", "stage=hw_emu", f"target={board}")
    assert emulated.code == 0, emulated.text
    assert "PASS v++ hw_emu, Vitis 2026.1" in emulated.text
    made = [line for line in calls(standin, small, board) if line.startswith("vitis/hw_emu/disk")]
    assert "emconfigutil --platform ../link/small.xsa --od . --nd 1" in made[0]
    written = [line.split()[-2].rpartition("/")[2] for line in made if ": wic " in line]
    assert set(written) == {
        *("boot.bin", "small_host", "run_app.sh", "input.bin", "golden.bin", "xrt.ini", "small.xclbin"),
        *("emconfig.json", "design.dtbo", "session.h"),
    }
    standin.forget()
    assert small.doit("run", "emulate", "stage=hw_emu", f"target={board}").code == 0
    assert calls(standin, small, board) == [], "nothing runs again"


def test_edf_is_refused_where_the_boards_have_no_such_platform(use: Use, small: Folder) -> None:
    use("2025.2")
    refused = small.doit("run", "build", "image=edf")
    assert refused.code != 0
    assert "image=edf: Vitis 2025.2 has no vck190_base platform" in refused.text
    assert "use Vitis 2026.1 or newer" in refused.text


def test_without_any_tool_the_flow_stops_where_the_vendor_begins(
    small: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    stopped = small.doit("run", "-n", "0", "build")
    assert stopped.code == 4
    build = small.build()
    said = stopped.text.index
    assert said("Vitis is not on this machine: it lacks v++, ") < said("aiecom needs v++")
    for line in (
        "aiecom needs v++",
        f"cd {build}/vitis/aiecom",
        "v++ -c --mode aie --target=hw",
        "install Vitis 2022.2",
    ):
        assert line in stopped.text
    assert (build / "vitis/hw/data/golden.bin").stat().st_size == 16 * 256 * 4
    assert (build / "src/system.cfg").is_file()
    checked = small.doit("run", "ci")
    assert checked.code == 0, checked.text
    assert "left out, their tools are not installed: x86sim, aiesim" in checked.text
    assert small.doit("run", "sim", "mode=x86").code == 4
    assert small.doit("run", "build", "stage=sw_emu").code == 2


@pytest.mark.parametrize(
    ("word", "becomes"),
    [
        ("-I${ROOT}/usr/include", "-I/a b/usr/include"),
        ("--platform=${ROOT}/x.xpfm", "--platform=/a b/x.xpfm"),
        ('${ROOT}/"q`$HOME$\\', '/a b/"q`$HOME$\\'),
        ("it's $HOME", "it's $HOME"),
    ],
)
def test_a_word_that_is_shown_can_be_pasted(word: str, becomes: str) -> None:
    """The shell itself says what it makes of it: variables are expanded, everything else stays."""
    said = subprocess.run(
        ["bash", "-c", f"printf %s {_quoted(word)}"],
        env={"ROOT": "/a b"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert said.stdout == becomes


def test_ci_runs_the_simulators_where_they_are(use: Use, small: Folder) -> None:
    standin = use("2025.2")
    checked = small.doit("run", "-n", "0", "ci")
    assert checked.code == 0, checked.text
    assert set(stages(standin, small)) == {"x86com", "x86sim", "aiecom", "aiesim"}
    assert "left out" not in checked.text


def test_the_published_designs_system_agrees_end_to_end(
    use: Use, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """ESPCN: 212 connections between kernels as HLS sees them, PLIOs as the plan names them, clocks, memory."""
    standin = use("2024.2")
    project = open_project(ROOT / "projects" / "espcn", build=tmp_path)
    random = np.random.default_rng(1)
    shapes = {"conv1": (64, 1, 5, 5), "conv2": (32, 64, 3, 3), "conv3": (4, 32, 3, 3)}
    parameters = {
        n: {"weight": random.normal(size=s).astype(np.float32), "bias": np.zeros(s[0], np.float32)}
        for n, s in shapes.items()
    }
    write_tree(tmp_path, render(project.array, parameters), owned=())
    design = design_of(project).vitis_design()
    monkeypatch.chdir(tmp_path)
    for kernel in design.kernels:
        ports = read_ports(with_headers(tmp_path / kernel.source), kernel.name, default_axi=False)
        what = {"kind": "xo", "kernel": kernel.name, "ports": [asdict(p) for p in ports], "hz": kernel.hz}
        write_zip(tmp_path / f"{kernel.name}.xo", what)
    plios = [{"name": p.name, "bits": p.bits, "is_input": p.is_input} for p in project.array.plios]
    write_text_archive(tmp_path / "libadf.a", {"kind": "libadf", "target": "hw", "plios": plios})
    platform = next(standin.root.glob("platforms/*vck190*/*.xpfm"))
    objects = [f"{k.name}.xo" for k in design.kernels]
    system.link(
        [
            "-l",
            "-t",
            "hw",
            "--platform",
            str(platform),
            "--config",
            "src/system.cfg",
            "-o",
            "a.xsa",
            *objects,
            "libadf.a",
        ]
    )
    assert (tmp_path / "a.xsa").is_file()
    assert len(plios) == 212
