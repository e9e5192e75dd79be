"""Every command that README and docs/ show is run: here, or by the test that is named for it.

Blocks below `<!-- run -->` are test_snippets', README's commands test_journeys' where they compile. The rest runs
one by one in a copy of the projects.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.journeys import instead, readme_lines
from tests.documents import PAGES, ROOT, RUN, commands_of, place

pytestmark = pytest.mark.documents

__all__ = ["place"]  # the fixture

# What needs an answer, a board, a cluster or the vendor's tools, for which there are stand-ins.
ELSEWHERE = {
    r"aieloom new$": "flow/test_scaffold.py::test_questions_lead_to_a_project",
    r"aieloom emulate ": "programs/test_programs.py::test_a_program_in_its_own_words",
    r"aieloom doctor --try$": "vitis/test_first_contact.py::test_what_the_tools_say_stands_beside_the_plan",
    r"aieloom trust ": "plugins/test_trust.py::test_it_runs_once_the_folder_is_trusted_and_its_owner_may_edit_it",
    r"aieloom (sim|check|explain \w+ --project) mynet": "plugins/test_unit.py::test_the_document_s_unit_runs_by_sim_with_a_report",
    r"aieloom components": "flow/test_components.py::test_a_kernel_alone_gives_what_it_gave_in_the_system",
    r"aieloom csim ": "emulator/test_csim.py::test_a_configuration_file",
    r"doit dse dask=": "search/test_cluster.py::test_a_cluster_finds_the_same_to_the_byte",
    r"doit sim mode=": "vitis/test_vitis_build.py::test_ci_runs_the_simulators_where_they_are",
    r"doit build ": "vitis/test_vitis_build.py::test_every_stage_can_be_cleaned_and_listed",
    r"doit clean ": "vitis/test_vitis_build.py::test_every_stage_can_be_cleaned_and_listed",
    r"doit (emulate|board) ": "vitis/test_vitis_build.py::test_hardware_emulation_and_a_board_run_the_host_program",
    r"aieloom sweep .*--workers": "vitis/test_vitis_sweep.py::test_twelve_designs_on_two_workers_lose_nothing_when_one_is_killed",
    r"aieloom sweep .*--scheduler": "vitis/test_vitis_sweep.py::test_a_scheduler_that_is_not_there_is_told",
}
QUICK = r"doit (list|plan|gen)|aieloom (check|schema|explain|suggest|new)"
SHOWN = {
    command: None
    for page in PAGES
    for command in (
        set(commands_of(page))
        - {
            line.strip()
            for _, block in RUN.findall(page.read_text(encoding="utf-8"))
            for line in re.findall(r"^\$ (.*)$", block, re.MULTILINE)
        }
    )
}
TYPED = set(readme_lines())  # one after another, by test_journeys


def _is_here(command: str) -> bool:
    """Tell whether no other test runs it; quick ones are run here too, in a copy of their own."""
    if any(re.match(pattern, command) for pattern in ELSEWHERE):
        return False
    return bool(re.match(QUICK, command)) or instead(command) not in TYPED


HERE = sorted(c for c in SHOWN if _is_here(c))


def test_what_runs_elsewhere_is_a_test() -> None:
    for pattern, test in ELSEWHERE.items():
        assert any(re.match(pattern, c) for c in SHOWN), f"no page shows {pattern}"
        file, _, name = test.partition("::")
        assert f"def {name}(" in (ROOT / "tests" / file).read_text(encoding="utf-8"), test


@pytest.fixture
def ready(place: Path) -> Path:
    """The copy of the projects with the user's files that the pages name."""
    shutil.copy(ROOT / "projects" / "espcn" / "weights.pt", place / "my_espcn.pth")
    shutil.copy(ROOT / "projects" / "iris" / "iris.onnx", place / "net.onnx")
    shutil.copy(ROOT / "scripts" / "aieloom" / "spec" / "devices" / "vek280.yaml", place / "myboard.yaml")
    return place


@pytest.mark.parametrize(
    "command", [pytest.param(c, marks=[] if re.match(QUICK, c) else [pytest.mark.slow]) for c in HERE]
)
def test_the_command_runs(command: str, ready: Path) -> None:
    env = os.environ | {
        "PATH": f"{ready / '.programs'}:{os.environ['PATH']}",
        "PYTHONPATH": f"{ROOT / 'scripts'}:{ROOT}",
    }
    script = command
    if "compare=" in command:  # what it sets side by side
        script = f"doit sim && doit sim build=build2 && {command}"
    if recipe := re.search(r"projects/zoo/(\w+)", command):  # the model that it runs
        script = f'"{sys.executable}" projects/zoo/make.py {recipe[1]} && {command}'
    if "net.keras" in command:  # somebody's model
        model = "keras.Sequential([keras.Input((8,)), keras.layers.Dense(4)])"
        script = f'KERAS_BACKEND=torch "{sys.executable}" -c "import keras; {model}.save(\\"net.keras\\")" && {command}'
    if command.startswith("aieloom serve "):
        _serves(command, ready, env)
        return
    done = subprocess.run(
        ["bash", "-c", script], cwd=ready, env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"


def _serves(command: str, folder: Path, env: dict[str, str]) -> None:
    """Start a server, wait until it says where it listens, and end it as Ctrl-C does."""
    with subprocess.Popen(
        ["bash", "-c", f"exec {command}"],
        cwd=folder,
        env=env | {"PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as server:
        assert server.stdout is not None
        said = []
        for line in server.stdout:
            said.append(line)
            if line.startswith("serving on "):
                server.send_signal(signal.SIGINT)
        assert server.wait() == 0, "".join(said)
    assert any(line.startswith("serving on ") for line in said), "".join(said)
