"""The design of a project that is emulated as kernels in the logic and a host program, whatever plans it."""

from __future__ import annotations

from aieloom.flow import circuit, matrix_engine, sequential
from aieloom.flow.emulated import EmulatedDesign, EmulatedProject
from aieloom.flow.project import CircuitProject, SequentialProject


def design_of(project: EmulatedProject) -> EmulatedDesign:
    """Return the project's design."""
    if isinstance(project, SequentialProject):
        return sequential.design_of(project)
    if isinstance(project, CircuitProject):
        return circuit.design_of(project)
    return matrix_engine.design_of(project)
