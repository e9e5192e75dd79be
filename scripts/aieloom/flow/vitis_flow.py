"""A project with the vendor's tools of this machine: its stages, ready to be run."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from aieloom import messages
from aieloom.errors import SpecError
from aieloom.flow.designs import Design
from aieloom.flow.project import Project
from aieloom.flow.timing import timed
from aieloom.spec.board import Board
from aieloom.spec.device import Device, array_names
from aieloom.vitis import commands
from aieloom.vitis.commands import Stage
from aieloom.vitis.discover import Installation, discover
from aieloom.vitis.settings import Settings, read_settings

if TYPE_CHECKING:
    from aieloom.vitis.design import VitisDesign
    from aieloom.vitis.run import Machine

TIMED_FILES = ("timed.html", "timed-trace.json")  # of a run of the array alone, with times


def no_platform(project: Project, board: Board) -> SpecError:
    """Return the refusal of a build for a board that aieloom knows no platform of."""
    text = f"{board.name} has no Vitis platform that aieloom knows, so it cannot be built for"
    *others, last = array_names()
    remedy = (
        f"use target={', '.join(others)} or {last}; or give {project.build.name}/src to v++ with a platform of yours: "
        "doit gen writes kernels, system.cfg and host program"
    )
    return SpecError(project.network.spec.source.problem("build-1", ("target",), text, remedy))


def buildable(design: Design) -> Device:
    """Return the device that the vendor's tools build a design for.

    Raises:
        SpecError: Vitis has no platform of the board that the catalogue knows.
    """
    if isinstance(design.board, Device):
        return design.board
    raise no_platform(design.project, design.board)


def tools_for(board: Device, folders: Iterable[Path], command_line: Mapping[str, str]) -> Installation:
    """Return what this machine has for a board."""
    settings = read_settings(folders, command_line=command_line, environment=os.environ)
    return discover(board, settings, os.environ)


def machine_of(found: Installation, build: Path) -> Machine:
    """Return where the tools run that were found, in a build folder; what they tell is a note."""
    from aieloom.vitis.run import Machine  # noqa: PLC0415 - of what runs a stage, or asks for one

    return Machine(
        found=found,
        build=build,
        environment=os.environ,
        say=lambda line: messages.note(f"    {line}"),
    )


@dataclass(frozen=True)
class Flow:
    """A design, and the tools of this machine for its board. `target` is hw or hw_emu."""

    made: Design
    root: Path
    target: str
    command_line: Mapping[str, str]

    @property
    def project(self) -> Project:
        """The project."""
        return self.made.project

    @cached_property
    def settings(self) -> Settings:
        """What the user said about tools."""
        folders = dict.fromkeys((self.project.folder, self.root))
        return read_settings(folders, command_line=self.command_line, environment=os.environ)

    def setting(self, key: str) -> str | None:
        """Return one setting."""
        return self.settings.get(key)

    @cached_property
    def found(self) -> Installation:
        """What this machine has."""
        return discover(buildable(self.made), self.settings, os.environ)

    @cached_property
    def design(self) -> VitisDesign:
        """The design as the tools see it."""
        return self.made.vitis_design()

    @cached_property
    def machine(self) -> Machine:
        """Where stages run."""
        return machine_of(self.found, self.project.build)

    def done(self, stage: Stage) -> bool:
        """Return whether a stage has nothing to do."""
        from aieloom.vitis.run import stage_done  # noqa: PLC0415

        return stage_done(stage, self.machine)

    def run(self, stage: Stage, judge: Callable[[str], None] | None = None) -> bool:
        """Run a stage unless it is done; return whether its tool ran."""
        from aieloom.vitis.run import run_stage  # noqa: PLC0415

        if not self.done(stage):
            self._tell_notes()
        with timed(self.project.build, f"vitis:{stage.name}"):
            return run_stage(stage, self.machine, judge=judge)

    @cached_property
    def _untold(self) -> list[str]:
        return list(self.found.notes)

    def _tell_notes(self) -> None:
        """Tell each note once, whichever stage is the first."""
        while self._untold:
            self.machine.say(f"note: {self._untold.pop(0)}")

    def _own(self, stage: Stage) -> Stage:
        return commands.with_options(stage, self.found)

    # The stages of the flow.

    def aie_compile(self, *, x86: bool) -> Stage:
        """The graph, for simulation or for the array."""
        return self._own(commands.aie_compile(self.design, self.found, x86=x86))

    def graph(self) -> tuple[Stage, ...]:
        """The graph for the array, where part of the design is on one."""
        return (self.aie_compile(x86=False),) if self.design.aie_sources else ()

    def kernels(self) -> tuple[Stage, ...]:
        """One stage for each PL kernel."""
        return tuple(self._own(commands.hls(k, self.found, self.target)) for k in self.design.kernels)

    def link(self) -> Stage:
        """The whole system."""
        return self._own(commands.link(self.design, self.found, self.target))

    def host(self) -> Stage:
        """The host program."""
        return self._own(commands.host(self.design, self.found))

    def package(self) -> Stage:
        """The card."""
        return self._own(commands.package(self.design, self.found, self.target))

    @property
    def card_folder(self) -> Path:
        """Where the files for the card are written."""
        return self.project.build / "vitis" / self.target / "data"

    @property
    def card_files(self) -> tuple[Path, ...]:
        """What is written there: see vitis_stages.write_card."""
        return tuple(self.card_folder / name for name in (commands.RUN_SCRIPT, "input.bin", "golden.bin"))

    def simulation(self, mode: str) -> Stage:
        """The array of a spatial design alone, functionally (x86) or in time (aie)."""
        inputs = tuple(f"vitis/plio/{p.data_file}" for p in self.project.array.plios if p.is_input)
        return self._own(commands.simulate(self.design, inputs, x86=mode == "x86"))
