"""Host programs as the real compilers read them: C++17, the headers of libxrt-dev (XRT 2.13), this machine and the board's processor.

Skipped where Debian's libxrt-dev is not installed: apt-get install libxrt-dev g++-aarch64-linux-gnu
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from aieloom.emit.files import write_tree
from aieloom.emulator.pl_signature import find_functions
from tests.designs import ROOT
from tests.emit.compiling import complaints, together
from tests.emit.host_designs import DESIGNS
from tests.emit.template_marks import Marks, all_places, marked

XRT = Path("/usr/include/xrt")
LEVEL = ("-std=c++17", "-fsyntax-only", "-Wall", "-Wextra", "-Werror")
needs_xrt = pytest.mark.skipif(
    not (XRT / "xrt/xrt_graph.h").is_file(), reason="Debian's libxrt-dev is not installed"
)


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Marks]:
    """Return a folder with the host program of each design, and which parts of the templates were printed."""
    folder = tmp_path_factory.mktemp("hosts")
    with marked("host_templates") as marks:
        for name, make in DESIGNS.items():
            (folder / "projects" / name).mkdir(parents=True)
            tree = make(folder / "projects" / name)
            sources = {p: t for p, t in tree.items() if p.endswith((".cpp", ".h")) and "src/aie" not in p}
            write_tree(folder / name, {p: t for p, t in sources.items() if "src/pl" not in p}, owned=())
            logic = {p: t for p, t in tree.items() if "src/pl" in p or p == "src/system.cfg"}
            write_tree(folder / "logic" / name, logic, owned=())
    return folder, marks


def test_the_designs_print_every_part_of_every_template(printed: tuple[Path, Marks]) -> None:
    """A template, or a body in it, that no design prints here is not compiled either: add a design of it to host_designs.py."""
    assert sorted(all_places("host_templates") - printed[1].reached) == []


@pytest.mark.parametrize("name", DESIGNS)
def test_the_host_opens_every_kernel_that_waits_to_be_started_and_no_other(
    name: str, printed: tuple[Path, Marks]
) -> None:
    """What runs by itself (`ap_ctrl_none`) XRT cannot open; what does not is never started unless the host does."""
    logic = printed[0] / "logic" / name / "src"
    linked = set(re.findall(r"^nk=(\w+):", (logic / "system.cfg").read_text(), re.M))
    kernels = {f.name: f.free_running for file in logic.rglob("*.cpp") for f in find_functions(file)}
    host = "".join(f.read_text() for f in (printed[0] / name).rglob("*_host.cpp"))
    opened = {kernel for kernel in kernels if re.search(rf'"{kernel}(?:"|:\{{)', host)}
    assert linked == kernels.keys()
    assert opened == {kernel for kernel, is_free in kernels.items() if not is_free}


def test_no_end_of_a_run_is_dropped() -> None:
    """wait() returns the state: of a kernel that was aborted, old memory would be taken for results."""
    library = ROOT / "host_templates" / "lib" / "aieloom" / "host"
    waits = [
        f"{h.name}: {w}"
        for h in library.rglob("*.h")
        for w in re.findall(r"\S*(?:run_?|each|\))\.wait\(\);", h.read_text())
    ]
    assert waits == ["run.h: run.wait();"]


def where(folder: Path, compiler: str) -> list[str]:
    """Return where a compiler finds XRT's headers; one for another processor must not see this machine's system headers."""
    if compiler == "g++":
        return ["-isystem", str(XRT)]
    for name in ("xrt", "uuid"):
        (folder / name).symlink_to(f"/usr/include/{name}")
    return ["-isystem", f"{folder}/xrt", "-isystem", str(folder)]


@needs_xrt
@pytest.mark.parametrize("compiler", ["g++", "aarch64-linux-gnu-g++"])
def test_every_host_compiles_with_the_real_headers(
    compiler: str, printed: tuple[Path, Marks], tmp_path: Path
) -> None:
    """All in one source, as most of the time goes to the headers."""
    if not shutil.which(compiler):
        pytest.skip(f"there is no {compiler} here")
    hosts = [f for name in DESIGNS for f in sorted((printed[0] / name).rglob("*.cpp"))]
    sessions = [f for name in DESIGNS for f in sorted((printed[0] / name).rglob("session.h"))]
    assert len(hosts) == len(DESIGNS)
    assert len({f.read_text().split("\n", 2)[2] for f in sessions}) == 1, "one of them stands for all"
    unit = together(tmp_path, [*hosts, sessions[0]], sorted(printed[0].rglob("src/host/*.h")))
    assert complaints([[compiler, *LEVEL, *where(tmp_path, compiler), str(unit)]]) == ""
