"""`aieloom doctor --try`: the first contact of aieloom's designs with the vendor's tools, told line by line.

Designs of different kinds are planned, generated and given to every tool that is here, each stage whatever became of the
others: host program, AIE compiler, aiesimulator, each PL kernel, link, package. What the tools say stands beside what the plan
said (first_contact_lines.py), and all that is needed to judge a difference goes into one archive (first_contact_archive.py).
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from aieloom import progress
from aieloom.emit.files import write_tree
from aieloom.emit.names import SOURCE_FOLDERS
from aieloom.errors import AieloomError, SpecError
from aieloom.flow import vitis_stages
from aieloom.flow.designs import design_of
from aieloom.flow.first_contact_lines import Line, lines_of
from aieloom.flow.gemm.run import write_design
from aieloom.flow.gemm.vitis import NAME as GEMM
from aieloom.flow.gemm.vitis import lines_of_tried, product_design, tried
from aieloom.flow.opening import open_any
from aieloom.flow.project import FILE, write_plan
from aieloom.flow.vitis_flow import Flow, machine_of, tools_for
from aieloom.spec.device import array_names, load_device
from aieloom.vitis import commands
from aieloom.vitis.commands import Stage
from aieloom.vitis.design import VitisDesign
from aieloom.vitis.discover import Installation
from aieloom.vitis.missing import ToolMissing
from aieloom.vitis.native_host import check_host, native_headers
from aieloom.vitis.releases import AieForm
from aieloom.vitis.run import Machine, run_stage

# Cores of their own in integers and in float32, a chain through memory tiles, one product, layers in their turn.
NAMES = ("resnet8", "espcn", "jet", "mnist", GEMM, "ds_cnn")
# These kernels of resnet8's have what no document says of the PL library, and are compiled before all else: arrays of ports of
# a kernel with tasks, `dependence distance=` by a trait, the width of a struct's FIFO, the depth of an endless loop.
SETTLING = ("pl_sum4", "pl_sum6_pool", "pl_conv3_to_conv4", "pl_conv5_to_conv6")
STAGES = ("host", "aiecom", "aiesim", "hls", "link", "package")
ZOO = "projects/zoo"
_SAID = 2000  # characters of a stage's message that are kept


@dataclass(frozen=True, kw_only=True)
class Contact:
    """What became of one design: how far its stages came, and the comparison."""

    project: str
    target: str
    folder: str  # below the one that everything is built in
    ended: dict[str, int] = field(default_factory=dict)  # 0 or 1 of each stage that ran, hls by kernel
    said: dict[str, str] = field(default_factory=dict)  # of those that failed
    not_run: dict[str, str] = field(default_factory=dict)  # and why
    lines: list[Line] = field(default_factory=list)

    def run(self, name: str, act: Callable[[], object]) -> None:
        """Run a stage and note how it ended; nothing that a design can do ends the others."""
        with progress.working(f"{self.project}: {name}"):
            try:
                act()
                self.ended[name] = 0
            except ToolMissing as e:
                self.not_run[name] = "lacks " + ", ".join(m.what for m in e.missing)
            except AieloomError as e:
                self.ended[name], self.said[name] = 1, str(e)[-_SAID:]


@dataclass(frozen=True, kw_only=True)
class Tried:
    """A design for the tools of this machine."""

    design: VitisDesign
    machine: Machine
    write: Callable[[], object]  # its sources, and what the host program reads
    lines: Callable[[], Iterator[Line]]
    simulate: Callable[[], None] | None = None  # where its array alone is simulated
    packaged: bool = True

    @property
    def found(self) -> Installation:
        """The tools."""
        return self.machine.found

    def steps(self) -> Iterator[tuple[str, Callable[[], object], tuple[str, ...]]]:
        """Yield each stage's name, what it does, and the files that it reads."""
        kernels = {k.name: self._step(commands.hls(k, self.found, "hw")) for k in self.design.kernels}
        yield from (kernels.pop(name) for name in SETTLING if name in kernels)
        yield "host", self._host, ()
        if self.design.aie_sources:
            yield self._step(_told(commands.aie_compile(self.design, self.found, x86=False), self.found))
        if self.simulate:
            yield "aiesim", self.simulate, (f"vitis/aiecom/{commands.STAMP}",)
        yield from kernels.values()
        yield self._step(commands.link(self.design, self.found, "hw"))
        if self.packaged:
            yield self._step(commands.package(self.design, self.found, "hw"))

    def _step(self, stage: Stage) -> tuple[str, Callable[[], object], tuple[str, ...]]:
        stage = commands.with_options(stage, self.found)
        return stage.name, lambda: run_stage(stage, self.machine), stage.reads

    def _host(self) -> None:
        stage = commands.with_options(commands.host(self.design, self.found), self.found)
        headers = native_headers(self.machine.environment)
        if self.found.lacks(stage.needs) and headers:
            check_host(self.design, self.machine.build, headers)
        else:
            run_stage(stage, self.machine)


def _told(stage: Stage, found: Installation) -> Stage:
    """Return the AIE compilation with its report of every loop [UG1079]."""
    more = "--aie.verbose" if found.release.aie is AieForm.VPP else "--verbose"
    return replace(stage, argv=(*stage.argv[:-1], more, stage.argv[-1]))


def first_contact(
    root: Path, out: Path, told: Mapping[str, str], names: Sequence[str]
) -> tuple[Contact, ...]:
    """Give each design to the tools, building in `out/build`; go on behind what fails.

    `told` is what the command line says of tools, as `{"vitis": "/tools/Vitis/2024.2"}`.

    Raises:
        SpecError: a project is not there.
    """
    missing = [n for n in names if n != GEMM and not (_folder(root, n) / FILE).is_file()]
    if missing:
        text = f"there is no projects/{missing[0]} in {root}"
        remedy = "run it in a clone of aieloom's repository, which has the networks that are tried"
        raise SpecError(rule="project", text=text, remedy=remedy)
    return tuple(_contact(root, out, name, told) for name in names)


def _folder(root: Path, name: str) -> Path:
    zoo = root / ZOO / name
    return zoo if (zoo / FILE).is_file() else root / "projects" / name


def _contact(root: Path, out: Path, name: str, told: Mapping[str, str]) -> Contact:
    made: list[Tried] = []
    contact = Contact(project=name, target="", folder="")
    for target in _targets(root, name, told):
        contact = Contact(project=name, target=target, folder=f"build/{name}/{target}")
        contact.run("plan", lambda target=target: made.append(_tried(root, out, name, target, told)))  # type: ignore[misc]
        if made:
            break
    if not made:
        return contact
    tried = made[0]
    contact = replace(contact, folder=tried.machine.build.relative_to(out).as_posix())
    contact.run("gen", tried.write)
    for stage, act, reads in tried.steps() if not contact.said else ():
        absent = [r for r in reads if not (tried.machine.build / r).is_file()]
        if absent:
            contact.not_run[stage] = f"needs {absent[0]}, which a stage before it makes"
        else:
            contact.run(stage, act)
    contact.lines.extend(tried.lines())
    return contact


def _targets(root: Path, name: str, told: Mapping[str, str]) -> tuple[str, ...]:
    """Return the boards to plan for, in turn: those whose platform is here, the design's own before others; else its own."""
    own = "vck190" if name == GEMM else _own_target(_folder(root, name))
    boards = tuple(dict.fromkeys((own, *array_names())))
    here = tuple(b for b in boards if b in array_names() and tools_for(load_device(b), [root], told).platform)
    return (*here, *(() if own in here else (own,)))


def _own_target(folder: Path) -> str:
    for line in (folder / FILE).read_text(encoding="utf-8").splitlines():
        if line.startswith("target:"):
            return line.partition(":")[2].split("#")[0].strip()
    return "vck190"


def _tried(root: Path, out: Path, name: str, target: str, told: Mapping[str, str]) -> Tried:
    if name == GEMM:
        return _product(root, out, target, told)
    folder = _folder(root, name)
    if folder.parent == root / ZOO:
        _make(root, folder)
    project = open_any(folder, target=target, build=out / "build")
    made = design_of(project)
    flow = Flow(made=made, root=root, target="hw", command_line=told)

    def write() -> None:
        write_plan(project)
        write_tree(project.build, made.render(), owned=SOURCE_FOLDERS)
        vitis_stages.write_card(flow)
        if project.on_array:
            vitis_stages.write_plio(flow)

    return Tried(
        design=flow.design,
        machine=flow.machine,
        write=write,
        lines=lambda: lines_of(project, flow.design),
        simulate=(lambda: vitis_stages.simulate(flow, "aie")) if project.on_array else None,
    )


def _make(root: Path, folder: Path) -> None:
    """Make the files of a network of the zoo, which are in no repository.

    Raises:
        SpecError: they cannot be made here.
    """
    if (folder / "model.onnx").is_file():
        return
    command = [sys.executable, str(root / ZOO / "make.py"), folder.name]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, errors="replace", check=False)
    if done.returncode:
        text = f"{ZOO}/make.py {folder.name} failed: {(done.stdout + done.stderr).strip()[-300:]}"
        raise SpecError(
            rule="project", text=text, remedy="pip install 'aieloom[torch]': PyTorch makes its model"
        )


def _product(root: Path, out: Path, target: str, told: Mapping[str, str]) -> Tried:
    """Return one product over a part of the array; its host program multiplies files, so that there is no card."""
    plan = tried(target)
    build = out / "build" / GEMM / target
    design = product_design(plan)
    return Tried(
        design=design,
        machine=machine_of(tools_for(load_device(target), [root], told), build),
        write=lambda: write_design(plan, build),
        lines=lambda: lines_of_tried(plan, design, build),
        packaged=False,
    )
