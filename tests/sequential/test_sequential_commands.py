"""The command list: what is written is read again, and what nobody wrote is refused, by Python and by the host program."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from aieloom.flow.project import Project
from aieloom.flow.sequential import design_of
from aieloom.sequential import commands as c
from aieloom.sequential.emit import COMMANDS, WEIGHTS
from aieloom.sequential.packing import packed
from aieloom.sequential.plan import command_list, engines_of
from aieloom.sequential.reference import reference
from tests.sequential.command_reader import Refused, from_bytes
from tests.sequential.lists import changed, signed
from tests.sequential.networks import NETWORK, inputs, opened

TINY = """\
name: tiny
target: zcu104
weights: weights.safetensors
execution: sequential
input: {name: x, shape: [3, 13, 11]}
layers:
  - {name: conv, op: conv2d, out_channels: 40, kernel: [3, 2], stride: [2, 1], padding: [1, 0]}
  - {name: pool, op: max_pool, kernel: 2}
"""


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[Project, bytes, bytes]:
    project = opened(tmp_path_factory.mktemp("whole"), NETWORK)
    weights = packed(project.plan, project.parameters)
    return project, c.to_bytes(command_list(project.plan), weights), weights


def test_a_list_is_read_as_it_was_written(whole: tuple[Project, bytes, bytes]) -> None:
    project, data, weights = whole
    found = from_bytes(data, weights)
    shown, wanted = c.to_json(found), c.to_json(command_list(project.plan))
    for command in (*shown["commands"], *wanted["commands"]):
        command.pop("name", None)  # in the readable form alone
    assert shown == wanted
    assert c.to_bytes(found, weights) == data


def test_what_is_cut_short_or_damaged_is_refused(whole: tuple[Project, bytes, bytes]) -> None:
    _, data, weights = whole
    for size in range(0, len(data), 7):
        with pytest.raises(Refused):
            from_bytes(data[:size], weights)
    with pytest.raises(Refused, match="its weights are damaged"):
        from_bytes(data, bytes([weights[0] ^ 1]) + weights[1:])


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_a_forged_list_is_refused_or_stays_within_its_memory(
    whole: tuple[Project, bytes, bytes], data: st.DataObject
) -> None:
    _, good, weights = whole
    forged = signed(changed(good, data), weights)
    try:
        found = from_bytes(forged, weights)
    except Refused:
        return
    for command in found.commands:
        for tensor in tensors_of(command):
            assert tensor.offset + found.batch * tensor.image_bytes <= found.memory_bytes
        for span in [*getattr(command, "weights", ())] if isinstance(command, c.Call) else []:
            assert span.offset + span.size <= len(weights)


def tensors_of(command: c.Command) -> list[c.Tensor]:
    values = [getattr(command, name) for name in command.__slots__]
    flat = [v for value in values for v in (value if isinstance(value, tuple) else (value,))]
    return [v for v in flat if isinstance(v, c.Tensor)]


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, bytes, bytes]:
    """A folder with a linked program and its files, the right results, and the list and weights that belong to it."""
    project = opened(tmp_path_factory.mktemp("tiny"), TINY)
    design = design_of(project)
    design.emulated.make(design.render())
    system = design.emulated
    folder = system.folder
    list_, weights = ((project.build / name).read_bytes() for name in (COMMANDS, WEIGHTS))
    (folder / c.WEIGHTS_FILE).write_bytes(weights)
    (folder / "in.bin").write_bytes(np.ascontiguousarray(inputs(1), "<f4").tobytes())
    right = reference(engines_of(project.plan).steps, project.parameters, inputs(1))
    (folder / "right.bin").write_bytes(np.ascontiguousarray(right, "<f4").tobytes())
    return folder, list_, weights


def run(folder: Path, commands: bytes) -> subprocess.CompletedProcess[str]:
    (folder / c.FILE).write_bytes(commands)
    command = [str(folder / "tiny_host"), "tiny.xclbin", "in.bin", "--output", "out.bin"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60, check=False)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_the_host_program_refuses_it_too(program: tuple[Path, bytes, bytes], data: st.DataObject) -> None:
    folder, good, weights = program
    forged = signed(changed(good, data), weights)
    done = run(folder, forged)
    assert done.returncode in (0, 1), done.stderr  # never a signal, never for ever
    if done.returncode:
        assert done.stderr.startswith("error: ")
    try:
        from_bytes(forged, weights)
    except Refused:
        assert done.returncode == 1


def test_the_host_program_runs_its_own_list_alone(program: tuple[Path, bytes, bytes]) -> None:
    folder, good, _ = program
    assert run(folder, good).returncode == 0
    assert (folder / "out.bin").read_bytes() == (folder / "right.bin").read_bytes()
    done = run(folder, good[:-1])
    assert (done.returncode, "does not have the length" in done.stderr) == (1, True)
    done = run(folder, good[:100] + bytes([good[100] ^ 4]) + good[101:])
    assert (done.returncode, "does not have its digest" in done.stderr) == (1, True)
