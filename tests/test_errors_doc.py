"""Every rule of docs/errors.md has an example, and what the document says of it is what people read.

The examples that are C++ are run by tests/conformance: test_refusals.py (graphs), test_xrt.py (system.cfg) and
test_strict.py (vectors); see tests/documented.py.
"""

from __future__ import annotations

import io
import os
import re
import shlex
import subprocess
import sys
from contextlib import redirect_stdout, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import doit.doit_cmd
import numpy as np
import pytest
from rich.console import Console
from safetensors.numpy import save_file

import aieloom
from aieloom import messages
from aieloom.cli import main
from aieloom.errors import AieloomError
from aieloom.plan.rules import check
from aieloom.plan.types import AieLayerPlan, Plan
from tests import documented
from tests.designs import network_of, plan_of, weights_of
from tests.documented import Example
from tests.flow.conftest import DODO

EXAMPLES = documented.examples(documented.PROJECT)
LINKS = documented.links()


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The project of the document, with seeded weights; it is the current folder."""
    folder = tmp_path / "small"
    folder.mkdir()
    (folder / "network.yaml").write_text(documented.project_yaml())
    trained_for(folder)
    monkeypatch.chdir(folder)
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setenv("AIELOOM_QUIET", "0")
    for name in [n for n in os.environ if n.startswith(("XILINX", "AIELOOM_VITIS", "PLATFORM"))]:
        monkeypatch.delenv(name)
    monkeypatch.setattr(doit.doit_cmd, "_CMDLINE_VARS", {})  # what doit's command line would have set
    return folder


def trained_for(project: Path) -> None:
    """Write weights of the shapes that network.yaml asks for, where it can be read: each example is about one thing."""
    with suppress(AieloomError, OSError):
        weights = weights_of(network_of((project / "network.yaml").read_text()))
        tensors = {f"{n}.{k}": v for n, t in weights.items() for k, v in t.items()}
        save_file(tensors, project / "weights.safetensors")


def bent(plan: Plan, **facts: Any) -> Plan:
    """Return a plan whose first kernel has other facts."""
    first = plan.aie[0]
    kernels = (replace(first.kernels[0], **facts), *first.kernels[1:])
    return replace(plan, aie=(AieLayerPlan(draft=first.draft, kernels=kernels), *plan.aie[1:]))


def moved(plan: Plan, role: str, **facts: Any) -> Plan:
    """Return a plan whose first kernel has a block elsewhere."""
    blocks = plan.aie[0].kernels[0].blocks
    return bent(plan, blocks={**blocks, role: tuple(replace(a, **facts) for a in blocks[role])})


def run_python(text: str) -> None:
    yaml = documented.project_yaml()
    names = {"np": np, "Path": Path, "aieloom": aieloom, "replace": replace, "save_file": save_file}
    if "check(" in text:
        plan = plan_of(yaml)
        names |= {"plan": plan, "spec": network_of(yaml).spec, "check": check, "bent": bent, "moved": moved}
    exec(compile(text, "<docs/errors.md>", "exec"), dict(names))


def run_doit(words: list[str]) -> None:
    """Run doit as a process of its own: its reporter and variables are its own."""
    Path("dodo.py").write_text(DODO)
    done = subprocess.run([sys.executable, "-m", "doit", *words], capture_output=True, text=True, check=False)
    print(done.stderr + done.stdout)


def run_command(line: str) -> None:
    program, *words = shlex.split(line)
    if program == "doit":
        return run_doit(words)
    assert program == "aieloom"
    main(words)
    return None


def said_by(example: Example, capsys: pytest.CaptureFixture[str]) -> str:
    out = io.StringIO()
    try:
        for text in example.of("python"):
            run_python(text)
    except AieloomError as e:
        messages.show(e, where=Console(file=out, soft_wrap=True, highlight=False))
        return out.getvalue()
    with redirect_stdout(out):
        for line in "\n".join(example.of("console")).splitlines() or ["$ aieloom check ."]:
            run_command(line.removeprefix("$ "))
    return capsys.readouterr().err or out.getvalue()


@pytest.mark.parametrize("rule", EXAMPLES)
def test_an_example_says_what_the_document_says(
    rule: str, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    example = EXAMPLES[rule]
    for diff in example.of("diff"):
        named = re.match(r"--- (\S+)\n", diff)
        file = project / (named[1] if named else "network.yaml")
        before = file.read_text() if file.exists() else ""
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(documented.edit(before, diff[named.end() :] if named else diff))
        if not named and rule != "weights":
            trained_for(project)
    said = said_by(example, capsys).replace(f"{project}/", "").replace(str(project), ".")
    start = said.find("error: ")
    assert start >= 0, f"nothing was refused: {said}"
    documented.compare(example, documented.without_excerpts(said[start:]))


@pytest.mark.parametrize("rule", LINKS)
def test_a_test_that_is_pointed_to_is_about_the_rule(rule: str) -> None:
    text = LINKS[rule].read_text(encoding="utf-8")
    assert re.search(rf"\[{rule}\\?\]|\"{rule}\"", text), f"{LINKS[rule].name} says nothing of [{rule}]"


def test_every_rule_has_an_example() -> None:
    text = documented.text_of_document()
    cells = re.findall(r"^\| (`[^|]*`) \|", text, re.MULTILINE)
    rules = {rule for cell in cells for rule in re.findall(r"`([a-z0-9-]+)`", cell)}
    without = sorted(rules - set(documented.examples()) - set(LINKS))
    assert without == [], "write an example for each of these into docs/errors.md (see tests/documented.py)"
    assert sorted(set(documented.examples()) - rules) == [], "examples of rules that no table explains"
