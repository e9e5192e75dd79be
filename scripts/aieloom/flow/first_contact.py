"""`aieloom doctor --try`: the first contact of aieloom's designs with the vendor's tools, told line by line.

Three networks are planned, generated, compiled for the array and as PL kernels, and simulated by aiesimulator. What the
tools say of each is set beside what the plan said: cores, programs and stacks, cycles of each kernel, LUTs and block RAM of
each PL kernel, images a second. All that is needed to judge a difference goes into one archive to send back: the comparison,
the plan and the tools' reports and logs, without sources, weights and samples, and with no path of this machine.
"""

from __future__ import annotations

import getpass
import json
import os
import platform
import re
import socket
import subprocess
import sys
import tarfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from io import BytesIO
from pathlib import Path

from aieloom import progress
from aieloom.errors import Problem, SpecError
from aieloom.flow.opening import open_project
from aieloom.flow.project import FILE, Project
from aieloom.pl.kernel import PlKernel
from aieloom.pl.movers import MoverPlan
from aieloom.plan.types import Plan
from aieloom.report.summary import performance
from aieloom.version import __version__
from aieloom.vitis import reports

PROJECTS = ("espcn", "resnet8", "jet")
STAGES = ("aiesim", "hls")
ARCHIVE = "aieloom-first-contact.tar.gz"
MODEL = "plan.json"
# What the tools leave that tells how they judged a design; nothing that holds sources, tensors or samples.
KEPT = (
    "report/aie.json",
    "vitis/aiecom/Work/reports/*.txt",
    "vitis/aiecom/Work/reports/*.json",
    "vitis/aiecom/Work/*.aiecompile_summary",
    "vitis/aiesim/**/profile_funct_*",
    "vitis/**/*csynth.xml",
    "vitis/**/*csynth.rpt",
    "vitis/**/*hls_compile.rpt",
    "vitis/**/log.txt",
    "vitis/**/*.log",
)
MOST_BYTES = 4_000_000  # of a file: longer ones are cut
_PATH = re.compile(r"(?<![\w.<])(?:~|/[\w.+@%~-]+)(?:/[\w.+@%~=-]+)+|[A-Z]:\\[^\s\"']+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A figure of the plan beside a tool's; None where one of both has none."""

    project: str
    what: str
    unit: str
    plan: float | None
    tool: float | None
    source: str  # of the tool's

    @property
    def ratio(self) -> float | None:
        """The tool's figure over the plan's."""
        return self.tool / self.plan if self.tool is not None and self.plan else None

    @property
    def text(self) -> str:
        """The line for people."""
        plan, tool = (f"{v:,.6g}" if v is not None else "none" for v in (self.plan, self.tool))
        ratio = f"{self.ratio:8.2f} x" if self.ratio is not None else " " * 10
        return f"{self.project:<9} {self.what:<44} {plan:>12} {tool:>12} {ratio}  {self.unit}, {self.source}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Contact:
    """What became of one project: how far its stages came, and the comparison."""

    project: str
    target: str
    folder: str  # below the one that everything is built in
    ended: Mapping[str, int]  # exit code of each stage
    said: Mapping[str, str]  # last words of a stage that failed
    lines: tuple[Line, ...]


def first_contact(
    root: Path, out: Path, settings: Sequence[str], names: Sequence[str]
) -> tuple[Contact, ...]:
    """Run the stages of each project below `root/projects`, into `out/build`; go on behind what fails.

    `settings` are doit's words about tools, as `vitis=/tools/Vitis/2024.2`.

    Raises:
        SpecError: a project is not there.
    """
    missing = [n for n in names if not (root / "projects" / n / FILE).is_file()]
    if missing:
        text = f"there is no projects/{missing[0]} in {root}"
        remedy = "run it in a clone of aieloom's repository, which has the networks that are tried"
        raise SpecError(Problem(rule="project", text=text, remedy=remedy))
    return tuple(_tried(root, out, name, settings) for name in names)


def _tried(root: Path, out: Path, name: str, settings: Sequence[str]) -> Contact:
    project = open_project(root / "projects" / name, build=out / "build")
    ended, said = {}, {}
    for stage in STAGES:
        words = [sys.executable, "-m", "aieloom.flow.run_tasks", str(root), "run", "-n", "0", stage]
        words += [f"project={name}", f"build={out / 'build'}", *settings]
        with progress.working(f"{name}: {stage}"):
            done = subprocess.run(words, capture_output=True, text=True, errors="replace", check=False)
        ended[stage] = done.returncode
        if done.returncode:
            said[stage] = (done.stdout + done.stderr).strip()[-2000:]
    return Contact(
        project=name,
        target=project.target,
        folder=project.build.relative_to(out).as_posix(),
        ended=ended,
        said=said,
        lines=tuple(compared(project)),
    )


def compared(project: Project) -> Iterator[Line]:
    """Yield the plan's figures beside those of the compiler, the simulator and the synthesis of each PL kernel."""
    build, plan = project.build, project.plan
    yield from _array_lines(plan, project.name, build / "vitis" / "aiecom" / "Work")
    yield from _simulated_lines(plan, project.name, build / "report" / "aie.json")
    yield from _kernel_lines(plan, project.name, build / "vitis")


def _array_lines(plan: Plan, name: str, work: Path) -> Iterator[Line]:
    found = reports.array_figures(work)
    programs = max((la.draft.program_bytes for la in plan.aie), default=None)
    for what, unit, mine, key in (
        ("cores", "cores", plan.cores, "aie_cores"),
        ("largest program (the plan: an estimate)", "bytes", programs, "largest_program_bytes"),
        ("largest stack", "bytes", None, "largest_stack_bytes"),
    ):
        yield Line(project=name, what=what, unit=unit, plan=mine, tool=found.get(key), source="AIE compiler")


def _simulated_lines(plan: Plan, name: str, file: Path) -> Iterator[Line]:
    try:
        told = json.loads(file.read_text(encoding="utf-8")).get("performance", {})
    except (OSError, ValueError):
        told = {}
    modelled = performance(plan)["rates"]["array"]["images_per_s"]
    source = "aiesimulator"
    rate = told.get("throughput_fps")
    yield Line(project=name, what="the array alone", unit="images/s", plan=modelled, tool=rate, source=source)
    places = {k.tile: la for la in plan.all_aie for k in la.kernels}
    cycles: dict[str, list[float]] = {}
    for core in (told.get("profile") or {}).get("cores", ()):
        layer = places.get((core["tile"][0], core["tile"][1]))
        if layer and core["cycles_per_call"]:
            cycles.setdefault(layer.name, []).append(core["cycles_per_call"])
    for layer in plan.aie:
        seen = cycles.get(layer.name)
        yield Line(
            project=name,
            what=f"{layer.name}: cycles of a call",
            unit="cycles",
            plan=layer.draft.kernel_cycles,
            tool=max(seen) if seen else None,
            source=source,
        )


def _kernel_lines(plan: Plan, name: str, folder: Path) -> Iterator[Line]:
    kernels: tuple[PlKernel | MoverPlan, ...] = (*plan.pl, *plan.movers)
    for kernel in kernels:
        found = reports.synthesis_figures(folder, kernel.name)
        for kind in ("lut", "ff", "bram36", "uram288", "dsp"):
            yield Line(
                project=name,
                what=f"{kernel.name}: {kind}",
                unit=kind,
                plan=getattr(kernel, kind, 0),
                tool=found.get(kind),
                source="csynth",
            )


def write_archive(contacts: Sequence[Contact], out: Path, tools: Mapping[str, object]) -> Path:
    """Write the archive; return it. Its texts have no path, user or host of this machine."""
    about = {
        "aieloom": __version__,
        "python": platform.python_version(),
        "tools": tools,
        "projects": [asdict(c) for c in contacts],
    }
    lines = "\n".join(line.text for c in contacts for line in c.lines) + "\n"
    file = out / ARCHIVE
    with tarfile.open(file, "w:gz") as archive:
        _add(archive, "comparison.json", json.dumps(about, indent=1, default=str))
        _add(archive, "comparison.txt", lines)
        for c in contacts:
            build = out / c.folder
            for path in sorted({p for pattern in (MODEL, *KEPT) for p in build.glob(pattern) if p.is_file()}):
                text = path.read_bytes()[:MOST_BYTES].decode("utf-8", "replace")
                _add(archive, f"{c.project}/{path.relative_to(build).as_posix()}", text)
    return file


def _add(archive: tarfile.TarFile, name: str, text: str) -> None:
    data = without_paths(text).encode()
    entry = tarfile.TarInfo(f"first-contact/{name}")
    entry.size = len(data)  # no owner and no date
    archive.addfile(entry, BytesIO(data))


def without_paths(text: str) -> str:
    """Return a text in which absolute paths are their last part alone, and this user and host are not named."""
    text = _PATH.sub(lambda m: "<path>/" + re.split(r"[/\\]", m[0])[-1], text)
    for word, instead in ((getpass.getuser(), "<user>"), (socket.gethostname(), "<host>")):
        if len(word) > 2:
            text = re.sub(rf"(?<!\w){re.escape(word)}(?!\w)", instead, text)
    licence = os.environ.get("XILINXD_LICENSE_FILE", "")
    return text.replace(licence, "<licence>") if licence else text
