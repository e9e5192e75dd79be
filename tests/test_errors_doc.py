"""Every rule of docs/errors.md has an example, and what the document says of it is what people read.

The examples that are C++ are run by tests/conformance: test_refusals.py (graphs), test_xrt.py (system.cfg) and
test_strict.py (vectors); see tests/documented.py.
"""

from __future__ import annotations

import io
import os
import re
import shlex
import shutil
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
from aieloom.plan.types import AieLayerPlan, ArrayPart
from tests import documented, remedies
from tests.designs import network_of, plan_of, weights_of
from tests.documented import Example
from tests.flow.conftest import DODO
from tests.remedies import Remedy, Step

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


def bent(plan: ArrayPart, **facts: Any) -> ArrayPart:
    """Return a plan whose first kernel has other facts."""
    first = plan.aie[0]
    kernels = (replace(first.kernels[0], **facts), *first.kernels[1:])
    return replace(plan, aie=(AieLayerPlan(draft=first.draft, kernels=kernels), *plan.aie[1:]))


def moved(plan: ArrayPart, role: str, **facts: Any) -> ArrayPart:
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


def write(example: Example, project: Path, remedy: Remedy | None = None) -> None:
    """Write the files of an example, mended where there is a remedy, with weights of what network.yaml says then."""
    edited = set()
    for diff in example.of("diff"):
        named = re.match(r"--- (\S+)\n", diff)
        file = project / (named[1] if named else "network.yaml")
        before = file.read_text() if file.exists() else ""
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(documented.edit(before, diff[named.end() :] if named else diff))
        edited.add(file)
    for file in edited:
        if remedy:
            file.write_text(remedy.mend(file.read_text(), file.name))
    if project / "network.yaml" in edited and example.rule != "weights":
        trained_for(project)


@pytest.mark.parametrize("rule", EXAMPLES)
def test_an_example_says_what_the_document_says(
    rule: str, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    example = EXAMPLES[rule]
    write(example, project)
    said = said_by(example, capsys).replace(f"{project}/", "").replace(str(project), ".")
    start = said.find("error: ")
    assert start >= 0, f"nothing was refused: {said}"
    documented.compare(example, documented.without_excerpts(said[start:]))


@pytest.mark.parametrize("rule", LINKS)
def test_a_test_that_is_pointed_to_is_about_the_rule(rule: str) -> None:
    text = LINKS[rule].read_text(encoding="utf-8")
    assert re.search(rf"\[{rule}\\?\]|\"{rule}\"", text), f"{LINKS[rule].name} says nothing of [{rule}]"


def test_every_rule_has_an_example() -> None:
    rules = documented.rules()
    assert len(rules) == len(set(rules)), "two headings of a rule"
    assert sorted(rules) == sorted(re.findall(r"^### `(.*)`", documented.text_of_document(), re.MULTILINE))
    without = sorted({*rules} - set(documented.examples()) - set(LINKS))
    assert without == [], "write an example for each of these into docs/errors.md (see tests/documented.py)"


UNREADABLE = ("yaml", "key", "value", "option")  # nothing was judged: the remedy was no text for this place


def rules_in(said: str) -> set[str]:
    """Return the rules that a message is about."""
    return set(re.findall(r"\[([a-z]+(?:-\d)?)\]", said))


SEARCHES = ("dse-1", "dse-2", "matmul-1", "array-1")  # their remedies are searches and larger plans: nightly


@pytest.mark.parametrize(
    "rule",
    [
        pytest.param(rule, marks=pytest.mark.slow if rule in SEARCHES else ())
        for rule in sorted(set(EXAMPLES) & set(remedies.APPLIED))
    ],
)
def test_a_remedy_that_is_applied_leaves_nothing_of_its_rule(
    rule: str, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for remedy in remedies.APPLIED[rule]:
        for way in remedy.ways(EXAMPLES[rule].message):
            start_anew(project)
            mended = replace(
                EXAMPLES[rule],
                blocks=(
                    *(b for b in EXAMPLES[rule].blocks if b[0] != "console" or not way.command),
                    *((("python", way.python),) if way.python else ()),
                    *((("console", way.command),) if way.command else ()),
                ),
            )
            write(mended, project, way)
            said = said_by(mended, capsys)
            assert not {rule, *UNREADABLE} & rules_in(said), f"{way} was applied: {said}"


@pytest.mark.parametrize("rule", remedies.STARTS)
def test_a_remedy_of_a_rule_without_an_example_leaves_nothing_of_it(
    rule: str, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    np.savez(project / "calib.npz", x=np.ones((4, 2, 6, 6), np.float32))
    broken, offered = remedies.STARTS[rule]

    def checked(steps: tuple[Step, ...], remedy: Remedy) -> str:
        (project / "network.yaml").write_text(remedy.mend(Remedy("", steps).mend(documented.project_yaml())))
        trained_for(project)
        main(["check", "."])
        return capsys.readouterr().err

    refused = checked(broken, Remedy("", ()))
    assert f"[{rule}]" in refused
    for remedy in offered:
        for way in remedy.ways(refused):
            said = checked(broken, way)
            assert not {rule, *UNREADABLE} & rules_in(said), f"{way} was applied: {said}"


def start_anew(project: Path) -> None:
    """Take the files of the last run away; network.yaml is the document's."""
    for file in project.iterdir():
        shutil.rmtree(file) if file.is_dir() else file.unlink()
    (project / "network.yaml").write_text(documented.project_yaml())
    trained_for(project)


def test_every_rule_has_its_remedy_applied_or_says_why_not() -> None:
    tables = (remedies.APPLIED, remedies.STARTS, remedies.ELSEWHERE, remedies.BY_HAND)
    stand = [rule for table in tables for rule in table]
    assert sorted(stand) == sorted(documented.rules()), (
        "a rule stands in one of the tables of tests/remedies.py"
    )
    for rule, file in remedies.ELSEWHERE.items():
        assert rule in (documented.ROOT / "tests" / file).read_text(encoding="utf-8")
    applied = {*EXAMPLES, *documented.examples("graph", "config", "vector")}
    assert set(remedies.APPLIED) <= applied, "no test runs these"
