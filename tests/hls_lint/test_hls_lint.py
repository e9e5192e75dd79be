"""The lint of the HLS subset: its rules on known faults and on mutants, and all kernels that aieloom writes under it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path, PurePosixPath

import pytest

pytest.importorskip("clang.cindex", reason="libclang (dev dependency) is not installed")

from aieloom.emit.library import included as headers_of
from aieloom.errors import SpecError
from aieloom.flow.opening import open_any
from tests.designs import ROOT
from tests.hls_lint.kernels import Kernels, project_kernels
from tests.sequential.zoo import made
from tools.hls_lint.kernel import is_there
from tools.hls_lint.known import read_known
from tools.hls_lint.report import RULES, Checked
from tools.hls_lint.rules import Finding

BAD = Path(__file__).with_name("bad.cpp")
pytestmark = pytest.mark.skipif(not is_there(), reason="clang++ is not on the path")


def test_each_rule_fires_on_its_fault_and_on_no_other_line() -> None:
    marked = {
        (rule, line)
        for line, text in enumerate(BAD.read_text().splitlines(), 1)
        for rule in re.findall(r"\b(?:ast|ir)-[a-z0-9-]+", text.partition("//")[2])
    }
    assert {rule for rule, _ in marked} == set(RULES)
    found = {(f.rule, f.line) for f in Checked(BAD).findings if not f.is_note}
    assert marked <= found
    beside = {("ast-dataflow", n) for n in _lines(BAD, "word.data = |out.write\\(word\\)|word.last = ")}
    assert found - marked <= beside, "what else stands in the region of the kernel"


def _lines(file: Path, pattern: str) -> set[int]:
    return {i for i, text in enumerate(file.read_text().splitlines(), 1) if re.search(pattern, text)}


def test_every_template_and_every_header_of_an_engine_is_among_them(small: Kernels) -> None:
    top = ROOT / "pl_templates"
    kernels = {f.relative_to(top).as_posix() for f in top.rglob("*.cpp.j2") if f.parent.name != "bench"}
    assert kernels <= small.templates
    texts = [f.read_text() for f in small.files]
    engines = {f"engine/{f.name}" for f in (top / "lib" / "aieloom" / "pl" / "engine").iterdir()}
    included = {
        PurePosixPath(header).relative_to("src/include/aieloom/pl").as_posix() for header in headers_of(texts)
    }
    assert engines <= included


def unknown(findings: list[tuple[Path, Finding]]) -> list[str]:
    known = read_known()
    return [
        f"{file.parent.name}/{file.name}:{f.line}: {f.rule}: {f.text}"
        for file, f in findings
        if not any(k.is_of(file.name, f) for k in known)
    ]


def check(files: Iterable[Path]) -> None:
    found = [(file, f) for file in files for f in Checked(file).findings if not f.is_note]
    assert unknown(found) == []


def test_kernels_have_no_finding_that_is_not_known(small: Kernels) -> None:
    assert unknown(small.findings) == []


def test_known_findings_are_still_there(small: Kernels) -> None:
    """The list only gets shorter: a row that finds nothing any more is deleted."""
    gone = [k for k in read_known() if not any(k.is_of(file.name, f) for file, f in small.findings)]
    assert gone == []


def test_every_known_finding_has_its_row_in_the_document() -> None:
    text = (ROOT / "docs" / "hls-lint.md").read_text()
    assert {k.fault for k in read_known()} <= set(re.findall(r"^\| (\d+) \|", text, re.M))


MUTANTS = {
    "ports": (r"#pragma HLS array_partition variable=line [^\n]*\n", "", "ir-ports"),
    "written twice": (r"(hls::task )work_write_0(\(.*\n)", r"\1work_write_0\2  hls_thread_local \1again\2", "ast-channel"),
    "no keep": (r"  +word\.keep = [^\n]*\n", "", "ast-side-channel"),
    "a remainder by data": (r"const bool sends = flow.whole >= needs;", "const bool sends = flow.taken % (needs + flow.whole) >= room;",
                            "ir-recurrence"),
    "a port's pragma": (r"#pragma HLS interface axis [^\n]*\n", "", "ast-interface"),
    "a control mode": ("ap_ctrl_none", "ap_ctrl_nune", "ast-interface"),
    "an array between processes": (r"(#pragma HLS interface ap_ctrl_none[^\n]*\n)", r"\1#pragma HLS dataflow\n  int kept[16];\n", "ast-free"),
    "an option": ("style=flp", "style=fast", "ast-pragma"),
    "a variable": (r"variable=line dim=1", "variable=lines dim=1", "ast-pragma"),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("board", ["vck190", "vek280"])
@pytest.mark.parametrize("name", sorted(f.parent.name for f in (ROOT / "projects").glob("*/network.yaml")))
def test_kernels_of_projects_have_no_finding_that_is_not_known(name: str, board: str, tmp_path: Path) -> None:
    """A project that a board has no room for is skipped."""
    try:
        project = open_any(ROOT / "projects" / name, target=board, build=tmp_path)
    except SpecError as e:
        pytest.skip(str(e))
    check(project_kernels(project, tmp_path))


@pytest.mark.slow
@pytest.mark.parametrize("board", ["vck190", "vek280"])
@pytest.mark.parametrize("name", ["resnet18", "ds_cnn", "lstm", "deit_tiny_int8"])
def test_kernels_of_the_zoo_have_no_finding_that_is_not_known(name: str, board: str, tmp_path: Path) -> None:
    made(name.removesuffix("_int8"))  # whose model the integers are made of
    folder = ROOT / "projects" / "zoo" / name
    check(project_kernels(open_any(folder, target=board, build=tmp_path), tmp_path))


@pytest.mark.parametrize("name", MUTANTS)
def test_mutants_of_a_kernel_are_told(name: str, small: Kernels, tmp_path: Path) -> None:
    pattern, by, rule = MUTANTS[name]
    (file,) = (f for f in small.files if f.parent.name == "wrapped" and f.name == "pl_curve.cpp")
    mutant, count = tmp_path / file.parent.name / file.name, 0
    for text in (
        file,
        *(file.parents[1] / "include").rglob("*.h"),
    ):  # a fault may lie in a header of the library
        copy = tmp_path / text.relative_to(file.parents[1])
        copy.parent.mkdir(parents=True, exist_ok=True)
        changed, times = re.subn(pattern, by, text.read_text())
        copy.write_text(changed)
        count += times
    assert count
    checked = Checked(mutant)
    found: list[Finding] = checked.on_the_ir if rule.startswith("ir") else checked.on_the_tree
    before = [f.text for where, f in small.findings if where == file and f.rule == rule]
    assert [f for f in found if f.rule == rule and f.text not in before]
