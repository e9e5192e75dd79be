"""What every planned project gives, however it is planned: to tasks, commands, the Python binding and the vendor's flow."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, cast

from numpy.typing import NDArray

from aieloom.arrays import Values
from aieloom.flow.batch import Run
from aieloom.flow.project import AnyProject, Opened
from aieloom.network.tensor import TensorType
from aieloom.spec.board import Board

if TYPE_CHECKING:  # what builds takes time to import, and checking does without
    from aieloom.flow.vitis_system import System
    from aieloom.flow.work import Work


@dataclass(frozen=True, kw_only=True)
class Checked:
    """What `aieloom check` says of a design: values for programs, lines for people."""

    values: Mapping[str, object]
    lines: tuple[str, ...]


class Alone(Protocol):
    """A layer as the network has it, and the project of a system of that layer; `str` says what it is."""

    @property
    def project(self) -> AnyProject:
        """The system's."""
        ...

    @property
    def y(self) -> TensorType:
        """What the layer gives."""
        ...

    def system_input(self, xs: Sequence[NDArray[Any]]) -> Values:
        """Return the system's input of the layer's inputs; raise SpecError where they are none of its."""
        ...

    def reference(self, xs: Sequence[NDArray[Any]]) -> Values:
        """Return what the hardware computes of the layer's inputs by definition."""
        ...


class Program(Protocol):
    """A design's program in a folder of its own, built when it is first run."""

    @property
    def project(self) -> AnyProject:
        """The project whose build folder is the program's."""
        ...

    def run(self, x: Values) -> Run:
        """Build the program unless it is there, and run it on `x` `(n, channels, height, width)`."""
        ...


class Design(Protocol):
    """A planned project; `str` is a line about it."""

    @property
    def how(self) -> str:
        """How the network runs on the board, for the user."""
        ...

    @property
    def board(self) -> Board:
        """What it is planned for."""
        ...

    @property
    def page_files(self) -> tuple[str, ...]:
        """The report's files beside summary.json; none of a design without a page."""
        ...

    def reference(self, x: Values, /) -> Values:
        """Return what the hardware computes by definition of `(n, channels, height, width)`."""
        ...

    def program(self) -> Program:
        """Return its program, which is not doit's."""
        ...

    def alone(self, layer: str) -> Alone:
        """Return a layer's own system; raise SpecError where it has none."""
        ...

    def simulate(self, run_on: Callable[[Values], Run] | None = None) -> None:
        """Run the project's samples, by default on doit's program; compare them, write summary.json."""
        ...

    def write_report(self, compare: Path | None = None) -> None:
        """Write summary.json and the pages of the last run, beside another design's where there is one."""
        ...

    def drawing(self) -> str:
        """Return a picture of it for notebooks, as HTML; empty where there is none."""
        ...

    def checked(self) -> Checked:
        """Return what it takes of the board, its rates, its rules."""
        ...

    def work(self) -> Work:
        """Return what the tasks of the project do."""
        ...

    def system(self) -> System:
        """Return what the vendor's tools build; raise SpecError where they have no platform of the board."""
        ...


def design_of(project: Opened) -> Design:
    """Return a project's design; the module that makes it is imported when it is asked for."""
    return cast(Design, import_module(f"aieloom.flow.{project.home}").design_of(project))
