"""Everything that can go wrong with a tool: a clear message, nothing half done is taken for done, the next run recovers."""

from __future__ import annotations

import contextlib
import errno
import io
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from aieloom.emit.files import write_tree
from aieloom.emit.names import SOURCE_FOLDERS
from aieloom.emit.project import render
from aieloom.errors import AieloomError
from aieloom.flow import vitis_stages
from aieloom.flow.designs import design_of
from aieloom.flow.opening import open_project
from aieloom.flow.project import write_plan
from aieloom.flow.vitis_flow import Flow
from aieloom.vitis import process
from aieloom.vitis.commands import Stage
from aieloom.vitis.run import Machine, StageFailed, run_stage, stage_done
from tests.toolchain.install import Standin, install
from tests.vitis.conftest import FOREIGN, Folder, make_project

SECOND = 1 / 3600  # in hours, as limits are


@dataclass(frozen=True)
class Built:
    """A project that went through the whole flow, whose stages a test runs again."""

    flow: Flow
    standin: Standin
    stages: dict[str, Stage]

    def again(self, name: str) -> Stage:
        """Return a stage that has to run again."""
        stage = self.stages[name]
        (self.flow.project.build / stage.stamp).unlink(missing_ok=True)
        return stage

    def act(self, name: str) -> None:
        """Run a stage as its task does."""
        with contextlib.redirect_stdout(io.StringIO()):
            if name in {"x86sim", "aiesim"}:
                vitis_stages.simulate(self.flow, name.removesuffix("sim"))
            elif name == "hw_emu":
                vitis_stages.emulate_hardware(self.flow)
            else:
                self.flow.run(self.stages[name])


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Built]:
    """Run every stage once, for hardware emulation."""
    with pytest.MonkeyPatch.context() as patch:
        for name in FOREIGN:
            patch.delenv(name, raising=False)
        standin = install(tmp_path_factory.mktemp("tools"), "2024.2")
        for name, value in standin.environment.items():
            patch.setenv(name, value)
        folder = make_project(tmp_path_factory.mktemp("project") / "small")
        project = open_project(folder.path, build=folder.path / "build")
        write_plan(project)
        write_tree(project.build, render(project.array, project.parameters), owned=SOURCE_FOLDERS)
        flow = Flow(
            made=design_of(project),
            root=folder.path,
            target="hw_emu",
            command_line={},
        )
        stages = {s.name: s for s in (flow.aie_compile(x86=True), flow.aie_compile(x86=False))}
        stages |= {s.name: s for s in (*flow.kernels(), flow.host(), flow.link(), flow.package())}
        stages |= {s.name: s for s in (flow.simulation("x86"), flow.simulation("aie"))}
        vitis_stages.write_plio(flow)
        vitis_stages.write_card(flow)
        ready = Built(flow, standin, stages)
        for name in stages:
            ready.act(name)
        ready.act("hw_emu")
        stages["hw_emu"] = vitis_stages.emulation_stage(flow)
        yield ready


# Where, what goes wrong, and what the message has to say: the tool's own line, its meaning, the remedy.
FAULTS: list[tuple[str, str, tuple[str, ...]]] = [
    ("x86com", "fail", ("x86com failed: ERROR: [v++ 60-702]", "| WARNING", "log:", "command:", "fix:")),
    ("x86com", "static-assert", ("conv1_kernel.h:99:15: error: static assertion failed", "another `mmul`")),
    ("aiecom", "aie-licence", ("[licence]", "XILINXD_LICENSE_FILE")),
    ("aiecom", "program-memory", ("[aie-program-memory]", "smaller mmul shape or tile")),
    ("aiecom", "data-memory", ("[aie-data-memory]", "`buffers: single`")),
    ("aiecom", "descriptors", ("[aie-descriptors]",)),
    ("aiecom", "shim", ("[aie-shim]", "`plio: 128`")),
    ("aiecom", "placer", ("[aie-placement]", "larger `tile`")),
    ("aiecom", "router", ("[aie-routing]",)),
    ("aiecom", "bad-alloc", ("[host-memory]", "doit -n 1")),
    ("aiecom", "platform", ("[platform]", "aieloom doctor")),
    ("aiecom", "mute", ("exit code 3 without an error message",)),
    ("aiecom", "silent", ("exit code 0, but did not write libadf.a",)),
    ("hls:mm2s", "hls-refused", ("[hls]", "report it")),
    ("hls:mm2s", "part", ("[board-files]", "Vitis installer")),
    ("hls:mm2s", "empty", ("mm2s.xo is empty or cut short",)),
    ("hls:s2mm", "short", ("s2mm.xo is empty or cut short",)),
    ("hls:s2mm", "silent", ("did not write s2mm.xo",)),
    ("link", "licence", ("[licence]",)),
    ("link", "congestion", ("[pl-routing]", "clock_mhz")),
    ("link", "timing", ("[timing]", "lower `clock_mhz`")),
    ("link", "place", ("[pl-placement]", "`lut` entries")),
    ("link", "full", ("[disk-full]", "free space")),
    ("link", "full-late", ("[disk-full]",)),
    ("link", "kill", ("signal 9 (SIGKILL)", "out of memory")),
    ("link", "crash", ("signal 11 (SIGSEGV)",)),
    ("link", "short", ("small.xsa is empty or cut short",)),
    ("package", "fail", ("package failed",)),
    ("package", "kill", ("signal 9 (SIGKILL)",)),
    ("package", "short", ("small.xclbin is empty or cut short",)),
    ("package", "silent", ("did not write small.xclbin",)),
    ("host", "fail", ("host failed",)),
    ("host", "silent", ("did not write small_host",)),
    ("x86sim", "fail", ("x86sim failed",)),
    ("x86sim", "short", ("do not agree with the reference", "values, not")),
    ("x86sim", "wrong", ("largest error 0.5", "of 2304 values")),
    ("x86sim", "garbage", ("is neither a time nor numbers",)),
    ("x86sim", "silent", ("No such file",)),
    ("x86sim", "deadlock", ("exit code 0, but deadlocked", "kernel k0 waits")),
    ("x86sim", "kill", ("signal 9",)),
    ("aiesim", "short", ("values, not",)),
    ("aiesim", "wrong", ("largest error 0.5",)),
    ("aiesim", "deadlock", ("deadlocked",)),
    ("hw_emu", "fail", ("hw_emu failed",)),
    ("hw_emu", "silent", ("never said 'TEST PASSED'",)),
    ("hw_emu", "wrong", ("Embedded host run failed, RC=1",)),
]


@pytest.mark.parametrize(("name", "kind", "said"), FAULTS, ids=[f"{n}-{k}" for n, k, _ in FAULTS])
def test_a_fault_is_told_and_the_next_run_recovers(
    built: Built, monkeypatch: pytest.MonkeyPatch, name: str, kind: str, said: tuple[str, ...]
) -> None:
    stage = built.again(name)
    monkeypatch.setenv("AIELOOM_STANDIN_FAULT", f"{name.replace(':', '.')}:{kind}")
    with pytest.raises(StageFailed) as failed:
        built.act(name)
    for text in said:
        assert text in str(failed.value)
    assert failed.value.exit_code == 1
    assert not stage_done(stage, built.flow.machine)
    monkeypatch.delenv("AIELOOM_STANDIN_FAULT")
    if name == "hw_emu" and kind == "wrong":
        again = built.again("package")  # the fault changed a file on the card
        assert run_stage(again, built.flow.machine)
    built.act(name)
    assert stage_done(stage, built.flow.machine)


@pytest.mark.parametrize("name", ["aiecom", "link", "x86sim"])
def test_a_tool_that_hangs_is_ended_with_all_it_started(
    built: Built, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    stage = built.again(name)
    monkeypatch.setenv("AIELOOM_STANDIN_FAULT", f"{name}:hang")
    found = replace(built.flow.found, limits={stage.kind: 1.5 * SECOND})
    machine = replace(built.flow.machine, found=found)
    with pytest.raises(StageFailed, match=r"still running after .* h and was ended[\s\S]*\[limits\]"):
        run_stage(stage, machine)
    assert not process._running
    monkeypatch.delenv("AIELOOM_STANDIN_FAULT")
    built.act(name)


def test_what_a_tool_leaves_in_the_background_is_ended(tmp_path: Path) -> None:
    script = "sleep 300 & echo $! > pid; echo started"
    ended = process.run(
        ["sh", "-c", script], cwd=tmp_path, log=tmp_path / "log", environment=os.environ, limit_seconds=30
    )
    assert ended.code == 0
    child = int((tmp_path / "pid").read_text())
    for _ in range(100):
        state = Path(f"/proc/{child}/stat")
        if not state.exists() or state.read_text().split()[2] == "Z":
            return
        time.sleep(0.05)
    pytest.fail("the background process still runs")


def test_a_missing_input_names_the_file(built: Built) -> None:
    stage = built.again("link")
    missing = replace(stage, reads=(*stage.reads, "vitis/nothing.xo"))
    with pytest.raises(StageFailed, match=r"link reads vitis/nothing\.xo, which is not there"):
        run_stage(missing, built.flow.machine)
    built.act("link")


def test_a_full_disk_under_our_own_log_is_told(built: Built, monkeypatch: pytest.MonkeyPatch) -> None:
    stage = built.again("host")

    def full(*_args: object, **_named: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(
        process._Tail, "_write", lambda self, _line: setattr(self, "problem", OSError(errno.ENOSPC, ""))
    )
    monkeypatch.setattr(process, "run", full)
    with pytest.raises(StageFailed, match="the disk is full"):
        run_stage(stage, built.flow.machine)
    monkeypatch.undo()
    assert not (built.flow.project.build / stage.stamp).exists()


def test_a_log_that_cannot_be_written_ends_the_run(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="No space"):
        process.run(
            ["echo", "word"], cwd=tmp_path, log=Path("/dev/full"), environment=os.environ, limit_seconds=30
        )


def test_a_program_that_cannot_start_is_told(built: Built) -> None:
    stage = replace(built.again("host"), argv=("no-such-compiler",), reads=())
    with pytest.raises(StageFailed, match="host cannot run"):
        run_stage(stage, built.flow.machine)
    built.act("host")


@pytest.mark.parametrize("damage", ["", "{", "[]", '{"made": 3}', "null"])
def test_a_damaged_stamp_means_not_done(built: Built, damage: str) -> None:
    stage = built.stages["hls:mm2s"]
    (built.flow.project.build / stage.stamp).write_text(damage)
    assert not stage_done(stage, built.flow.machine)
    built.act("hls:mm2s")
    assert stage_done(stage, built.flow.machine)


def test_an_output_that_was_changed_afterwards_is_made_again(built: Built) -> None:
    stage = built.stages["hls:mm2s"]
    xo = built.flow.project.build / stage.folder / "mm2s.xo"
    whole = xo.read_bytes()
    xo.write_bytes(whole[: len(whole) // 2])
    assert not stage_done(stage, built.flow.machine)
    built.act("hls:mm2s")
    assert xo.read_bytes() == whole


def test_two_runs_of_a_stage_exclude_each_other(built: Built, monkeypatch: pytest.MonkeyPatch) -> None:
    stage = built.again("link")
    monkeypatch.setenv("AIELOOM_STANDIN_FAULT", "link:hang")
    first = subprocess.Popen(
        [sys.executable, "-c", OTHER, str(built.flow.root)],
        stdout=subprocess.PIPE,
        env={**os.environ, **built.standin.environment},
    )
    assert first.stdout is not None
    try:
        assert b"running" in first.stdout.readline()
        _until(lambda: b"forever" in _log(built, stage))
        monkeypatch.delenv("AIELOOM_STANDIN_FAULT")
        with pytest.raises(StageFailed, match=f"link is already running .*process {first.pid}"):
            run_stage(stage, built.flow.machine)
        first.send_signal(signal.SIGTERM)  # ends its tool too, so the lock is free
        first.wait(timeout=20)
    finally:
        first.kill()
        first.stdout.close()
    _until(lambda: _runs(stage, built.flow.machine))


OTHER = """
import sys
from pathlib import Path
from aieloom.flow.opening import open_project
from aieloom.flow.vitis_flow import Flow
from aieloom.flow.designs import design_of
root = Path(sys.argv[1])
project = open_project(root, build=root / "build")
flow = Flow(made=design_of(project), root=root, target="hw_emu", command_line={})
print("running", flush=True)
flow.run(flow.link())
"""


def _log(built: Built, stage: Stage) -> bytes:
    log = built.flow.project.build / stage.folder / "stage.log"
    return log.read_bytes() if log.is_file() else b""


def _runs(stage: Stage, machine: Machine) -> bool:
    try:
        return run_stage(stage, machine) or stage_done(stage, machine)
    except StageFailed as e:
        assert e.known == "locked"
        return False


def _until(true: Callable[[], bool], seconds: float = 30) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "it never came to be"
        time.sleep(0.05)


def test_a_killed_doit_leaves_its_tool_the_folder(built: Built, monkeypatch: pytest.MonkeyPatch) -> None:
    """The tool of a doit that was killed -9 goes on; nobody works beside it, and when it ends all is as before."""
    stage = built.again("link")
    monkeypatch.setenv("AIELOOM_STANDIN_FAULT", "link:hang")
    first = subprocess.Popen(
        [sys.executable, "-c", OTHER, str(built.flow.root)],
        stdout=subprocess.PIPE,
        env={**os.environ, **built.standin.environment},
    )
    assert first.stdout is not None
    with first.stdout:
        _until(lambda: b"forever" in _log(built, stage))
        tools = _children(first.pid)
        first.kill()
        first.wait()
    monkeypatch.delenv("AIELOOM_STANDIN_FAULT")
    assert len(tools) == 1
    with pytest.raises(StageFailed, match="link is already running"):
        run_stage(stage, built.flow.machine)
    os.kill(tools[0], signal.SIGKILL)
    _until(lambda: _runs(stage, built.flow.machine))


def _children(pid: int) -> list[int]:
    tasks = Path(f"/proc/{pid}/task").iterdir()
    return [int(child) for task in tasks for child in (task / "children").read_text().split()]


def test_a_long_run_says_how_far_it_is(built: Built, monkeypatch: pytest.MonkeyPatch) -> None:
    stage = built.again("link")
    monkeypatch.setenv("AIELOOM_STANDIN_FAULT", "link:hang")
    said: list[str] = []
    found = replace(built.flow.found, limits={"link": 2 * SECOND})
    machine = replace(built.flow.machine, found=found, say=said.append, every=0.2)
    with pytest.raises(StageFailed):
        run_stage(stage, machine)
    assert any(re.fullmatch(r"link  0:00:0\d  Running step forever", line) for line in said)
    monkeypatch.delenv("AIELOOM_STANDIN_FAULT")
    built.act("link")


def test_two_doits_at_once_give_one_build(use: Callable[..., Standin], small: Folder) -> None:
    standin = use("2024.2")
    (small.path / "dodo.py").write_text(DODO)
    words = [sys.executable, "-m", "doit", "hls"]
    both = [
        subprocess.Popen(words, cwd=small.path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        for _ in range(2)
    ]
    told = [process_.communicate(timeout=120)[0] for process_ in both]
    for process_, text in zip(both, told, strict=True):
        assert process_.returncode == 0 or "is already running in" in text or "database is locked" in text, (
            text
        )
        assert "Traceback" not in text
    assert small.doit("run", "hls").code == 0
    standin.forget()
    assert small.doit("run", "hls").code == 0
    assert standin.calls() == []


DODO = """
from pathlib import Path
from aieloom.flow.tasks import define_tasks
globals().update(define_tasks(Path(__file__).parent))
"""


@pytest.mark.parametrize("is_folder", [False, True])
def test_no_database_of_an_earlier_run_is_read(
    use: Callable[..., Standin], small: Folder, is_folder: bool
) -> None:
    """doit's usual place for one may hold anything: what lies in the build folder decides."""
    database = small.path / ".doit.db"
    if is_folder:
        database.mkdir()
    else:
        database.write_bytes(b"SQLite format 3\0" + os.urandom(2000))
    standin = use("2024.2")
    assert small.doit("run", "hls").code == 0
    standin.forget()
    assert small.doit("run", "hls").code == 0
    assert standin.calls() == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[vitis]\nvitus = 1\n", "knows no 'vitus'"),
        ("[tools]\n", "has no table [tools]"),
        ("vitis = 3\n", "'vitis' is no table"),
        ("[limits]\nlink = -1\n", "is no time"),
        ("[limits]\nlinking = 1\n", "knows no stage 'linking'"),
        ("[options]\nlink = 'word'\n", "is no list of words"),
        ("[vitis\n", "cannot be read"),
        ("[vitis]\nimage = 'windows'\n", "image=windows is unknown"),
    ],
)
def test_a_wrong_settings_file_is_told(small: Folder, text: str, said: str) -> None:
    (small.path / "aieloom.toml").write_text(text)
    project = open_project(small.path, build=small.path / "build")
    with pytest.raises(AieloomError) as refused:
        _ = Flow(made=design_of(project), root=small.path, target="hw", command_line={}).found
    assert said in str(refused.value)
