"""Running a stage: checked before, watched while it runs, judged by what it made, and declared done at the very end."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import re
import shlex
import shutil
import signal
import zipfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from aieloom.emit.files import write_text
from aieloom.errors import AieloomError
from aieloom.vitis import process
from aieloom.vitis.commands import BUILD, Stage
from aieloom.vitis.discover import Installation, tool_environment
from aieloom.vitis.logs import Findings, read_log, step_of
from aieloom.vitis.missing import ToolMissing
from aieloom.vitis.settings import LIMIT_HOURS
from aieloom.vitis.stamps import is_done, remove_stamp, write_stamp

LOG, LOCK = "stage.log", ".lock"
_LOG_BYTES = 64 << 20  # of a log that is searched; its end has the error
_ZIP = {".xo", ".xsa"}  # both are zip archives
_XCLBIN_MAGIC = b"xclbin2"  # first bytes of an xclbin [xrt/detail/xclbin.h]

Say = Callable[[str], None]


class StageFailed(AieloomError):
    """A stage's tool failed, or claimed success wrongly; the message is complete."""

    exit_code = 1

    def __init__(self, text: str, *, known: str = "") -> None:
        self.known = known
        super().__init__(text)


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """Where stages run: the tools that were found, the build folder, and the environment."""

    found: Installation
    build: Path
    environment: Mapping[str, str]
    say: Say
    every: float = 30.0  # seconds between progress lines


def shown(stage: Stage, machine: Machine) -> str:
    """Return the stage as lines that can be pasted into a shell."""
    script = machine.found.settings_script
    lines = (
        [f"source {_quoted(str(script))}"] if script and stage.tool in {*machine.found.tools, "v++"} else []
    )
    lines.append(f"cd {_quoted(str(_where(stage, machine.build)))}")
    lines.append(" ".join(_quoted(w) for w in _expanded(stage, machine.build)))
    return "\n".join(f"    {line}" for line in lines)


def _quoted(word: str) -> str:
    """Return a word for a shell, which expands what stands as ${NAME} in it; one that is nothing else may be several words."""
    if re.fullmatch(r"\$\{\w+\}", word):
        return word
    if not re.search(r"\$\{\w+\}", word):
        return shlex.quote(word)
    plain = re.sub(r'([\\"`]|\$(?!\{\w+\}))', r"\\\1", word)
    return f'"{plain}"'


def _expanded(stage: Stage, build: Path) -> list[str]:
    return [word.replace(BUILD, str(build)) for word in stage.argv]


def _where(stage: Stage, build: Path) -> Path:
    return Path(os.path.normpath(build / stage.folder / stage.subfolder))


def version_of(stage: Stage, found: Installation) -> str:
    """Return what decides, beside files and command, whether a stage is out of date."""
    return f"Vitis {found.version}" if "release" in stage.needs else " ".join(found.compiler)


def stage_done(stage: Stage, machine: Machine) -> bool:
    """Return whether nothing needs to be done."""
    return is_done(stage, version_of(stage, machine.found), machine.build)


def run_stage(stage: Stage, machine: Machine, *, judge: Callable[[str], None] | None = None) -> bool:
    """Run a stage unless it is done; return whether its tool ran.

    `judge` gets the whole log and raises when the run is worth nothing; only then, and when everything that the
    stage makes is there, is the stage declared done.

    Raises:
        ToolMissing: a tool, or a file that it needs, is not on this machine.
        StageFailed: the tool failed, was ended, or claimed success wrongly.
    """
    if stage_done(stage, machine):
        return False
    lacking = machine.found.lacks(stage.needs)
    if lacking:
        _prepare(stage, machine.build)  # so that the command that is shown can be pasted
        raise ToolMissing(stage.name, lacking, shown(stage, machine))
    try:
        with _locked(stage, machine.build) as lock:
            if not stage_done(stage, machine):
                _run(stage, machine, lock, judge)
    except OSError as e:
        raise _os_failure(stage, machine, e) from e
    return True


def _run(stage: Stage, machine: Machine, lock: int, judge: Callable[[str], None] | None) -> None:
    absent = [name for name in stage.reads if not (machine.build / name).is_file()]
    if absent:
        raise StageFailed(
            f"{stage.name} reads {absent[0]}, which is not there\n  fix: run the stage that makes it (doit list)"
        )
    folder = machine.build / stage.folder
    _clear(stage, machine.build)
    _prepare(stage, machine.build)
    machine.say(f"{stage.name}: {' '.join(stage.argv[:4])} ... (log: {_near(folder / LOG)})")
    limit = _limit(stage, machine.found)
    argv = _expanded(stage, machine.build)
    argv[0] = str(machine.found.tools.get(stage.tool, argv[0]))
    ended = process.run(
        argv,
        cwd=_where(stage, machine.build),
        log=folder / LOG,
        environment=tool_environment(machine.found, machine.environment),
        limit_seconds=limit * 3600,
        keep_open=lock,
        progress=lambda s, line: machine.say(f"{stage.name}  {_clock(s)}  {step_of(line) or line[:80]}"),
        every=machine.every,
    )
    text = _log_text(folder / LOG)
    findings = read_log(text)
    _judge_end(stage, machine, ended, findings, limit)
    _collect(stage, folder)
    problem = _short(stage, folder, text, findings)
    if problem:
        raise StageFailed(_failure(stage, machine, problem, findings), known="claimed")
    if judge:
        judge(text)
    warned = f", {findings.warnings} warnings" if findings.warnings else ""
    machine.say(f"{stage.name}: done in {_clock(ended.seconds)}{warned}")
    made = [str(p.relative_to(machine.build)) for p in _made(stage, folder)]
    write_stamp(stage, version_of(stage, machine.found), machine.build, made)


def _prepare(stage: Stage, build: Path) -> None:
    folder = build / stage.folder
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in stage.files.items():
        write_text(folder / name, text)


def _limit(stage: Stage, found: Installation) -> float:
    for key in (stage.name, stage.kind):
        if key in found.limits:
            return found.limits[key]
    return LIMIT_HOURS[stage.kind]


def _clear(stage: Stage, build: Path) -> None:
    """Empty the stage's folder: a tool never sees what a run before it left half done."""
    remove_stamp(stage, build)
    for entry in (build / stage.folder).iterdir():
        if entry.name == LOCK:
            continue
        if entry.is_dir() and not entry.is_symlink():
            shutil.rmtree(entry)
        else:
            entry.unlink()


@contextlib.contextmanager
def _locked(stage: Stage, build: Path) -> Iterator[int]:
    """Hold the stage's folder; the tool inherits the lock, so that it holds as long as the tool lives."""
    folder = build / stage.folder
    folder.mkdir(parents=True, exist_ok=True)
    handle = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            owner = os.read(handle, 64).decode(errors="replace").strip() or "unknown"
            raise StageFailed(
                f"{stage.name} is already running in {_near(folder)} (started by process {owner})\n"
                f"  fix: wait for it, or end it and what it started, then run the same command again",
                known="locked",
            ) from None
        os.ftruncate(handle, 0)
        os.pwrite(handle, f"{os.getpid()}\n".encode(), 0)
        yield handle
        fcntl.flock(handle, fcntl.LOCK_UN)
    finally:
        os.close(handle)


def _log_text(log: Path) -> str:
    with log.open("rb") as f:
        f.seek(max(0, log.stat().st_size - _LOG_BYTES))
        return f.read().decode("utf-8", errors="replace")


def _judge_end(
    stage: Stage, machine: Machine, ended: process.Ended, findings: Findings, limit: float
) -> None:
    if ended.timed_out:
        text = f"it was still running after {limit:g} h and was ended"
        remedy = f"if it needs longer: {stage.kind} = {2 * limit:g} under [limits] in aieloom.toml (hours)"
        raise StageFailed(_failure(stage, machine, text, findings, remedy=remedy), known="timeout")
    if ended.code < 0:
        name = signal.Signals(-ended.code).name
        text = f"it was ended by signal {-ended.code} ({name})"
        remedy = (
            "SIGKILL usually is the machine out of memory: run fewer stages at a time (doit -n 1). "
            "Run the same command again"
        )
        raise StageFailed(_failure(stage, machine, text, findings, remedy=remedy), known="killed")
    if ended.code:
        text = findings.first_error or f"exit code {ended.code} without an error message"
        raise StageFailed(
            _failure(stage, machine, text, findings), known=findings.known.name if findings.known else ""
        )


def _failure(stage: Stage, machine: Machine, text: str, findings: Findings, *, remedy: str = "") -> str:
    """Return the whole message: what, its surroundings, what it means, how to run it by hand."""
    lines = [f"{stage.name} failed: {text}"]
    if len(findings.context) > 1:
        lines += [f"  | {line[:160]}" for line in findings.context]
    known = findings.known
    if known:
        lines.append(f"  meaning [{known.name}]: {known.meaning}")
    lines += [f"  log: {_near(machine.build / stage.folder / LOG)}", "  command:", shown(stage, machine)]
    fix = remedy or (
        known.remedy if known else "see the log; after mending, the same command goes on from here"
    )
    return "\n".join([*lines, f"  fix: {fix}"])


def _collect(stage: Stage, folder: Path) -> None:
    """Fetch a result that the tool put into a folder of its own; releases differ in where an .xo lands."""
    for name in stage.makes:
        if "*" in name or (folder / name).exists():
            continue
        elsewhere = [p for p in folder.rglob(Path(name).name) if p.is_file()]
        if len(elsewhere) == 1:
            shutil.copyfile(elsewhere[0], folder / name)


def _made(stage: Stage, folder: Path) -> list[Path]:
    return [p for name in stage.makes for p in sorted(folder.glob(name)) if p.is_file()]


def _short(stage: Stage, folder: Path, text: str, findings: Findings) -> str:
    """Return what a run that ended with exit code 0 still lacks; empty when nothing."""
    if findings.deadlock:
        return f"it ended with exit code 0, but deadlocked: {findings.deadlock}"
    if stage.says and stage.says not in text:
        return f"it ended with exit code 0, but never said '{stage.says}'"
    for name in stage.makes:
        found = [p for p in folder.glob(name) if p.is_file()]
        if not found:
            return f"it ended with exit code 0, but did not write {name}"
        broken = next((p for p in found if not _whole(p)), None)
        if broken:
            return f"it ended with exit code 0, but {broken.name} is empty or cut short"
    return ""


def _whole(path: Path) -> bool:
    if path.stat().st_size == 0:
        return False
    if path.suffix in _ZIP:
        return zipfile.is_zipfile(path)
    if path.suffix == ".xclbin":
        with path.open("rb") as f:
            return f.read(len(_XCLBIN_MAGIC)) == _XCLBIN_MAGIC
    return True


def _os_failure(stage: Stage, machine: Machine, e: OSError) -> StageFailed:
    where = _near(machine.build / stage.folder)
    if e.errno in {errno.ENOSPC, errno.EDQUOT}:
        text = f"{stage.name} failed: the disk is full ({where})"
        return StageFailed(f"{text}\n  fix: free space, then run the same command again", known="disk-full")
    text = f"{stage.name} cannot run in {where}: {e.strerror or e}"
    return StageFailed(f"{text}\n  fix: make the folder and the tool ({stage.tool}) usable", known="os")


def _near(path: Path) -> str:
    try:
        return str(path.relative_to(Path.cwd()))
    except ValueError:
        return str(path)


def _clock(seconds: float) -> str:
    whole = int(seconds)
    return f"{whole // 3600}:{whole // 60 % 60:02}:{whole % 60:02}"
