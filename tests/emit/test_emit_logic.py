"""PL kernels as Vitis HLS compiles them: C++14, the emulator's headers as strict as the published ones, every template of them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from aieloom.emit.files import write_tree
from aieloom.emulator.compiler import OF_LOGIC
from tests.emit.compiling import INCLUDE, compiler, complaints, together
from tests.emit.logic_designs import DESIGNS
from tests.emit.template_marks import Marks, all_places, marked

LEVEL = (
    *("-std=c++14", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-Wno-unknown-pragmas"),
    *("-Wno-unused-function", "-Wno-unused-const-variable"),  # of parts that several kernels share
    *("-isystem", str(INCLUDE)),
)


class Kernels:
    """The kernels' files, none of them twice, and the parts of templates that were printed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.files: list[Path] = []
        texts: set[str] = set()
        with marked("pl_templates") as self.marks:
            for name, make in DESIGNS.items():
                (folder / "projects" / name).mkdir(parents=True)
                tree = make(folder / "projects" / name)
                write_tree(
                    folder, {p.removeprefix("src/"): t for p, t in tree.items() if "/include/" in p}, owned=()
                )
                for path, text in self._of_logic(tree).items():
                    if text not in texts:
                        self.files.append(folder / name / Path(path).name)
                        self.files[-1].parent.mkdir(exist_ok=True)
                        # In one source of all, kernels of one name would be one function.
                        self.files[-1].write_text(text.replace('extern "C" ', ""))
                    texts.add(text)

    @staticmethod
    def _of_logic(tree: Mapping[str, object]) -> dict[str, str]:
        return {path: str(text) for path, text in tree.items() if "src/pl/" in path and path.endswith(".cpp")}


@pytest.fixture(scope="module")
def kernels(tmp_path_factory: pytest.TempPathFactory) -> Kernels:
    return Kernels(tmp_path_factory.mktemp("logic"))


def printed_files(marks: Marks) -> set[str]:
    return {place for place in marks.reached if place.endswith(":0")}


def test_the_designs_print_every_template(kernels: Kernels) -> None:
    """A template that no design prints here is not compiled either: add a design of it to logic_designs.py."""
    every = {place for place in all_places("pl_templates") if place.endswith(":0") and "bench/" not in place}
    assert sorted(every - printed_files(kernels.marks)) == []


def test_every_kernel_is_cpp14(kernels: Kernels, tmp_path: Path) -> None:
    unit = together(tmp_path, kernels.files)
    assert complaints([[compiler("clang++"), *LEVEL, str(unit)]]) == ""


def test_the_emulator_compiles_kernels_as_cpp14_too() -> None:
    assert OF_LOGIC[0] == LEVEL[0]


LATER = {
    "a template of a lambda": "auto f = []<typename T>(T x) { return x; };\nint g() { return f(1); }\n",
    "an aggregate with a base": "struct A { int a; };\nstruct B : A { int b; };\nB b{{1}, 2};\n",
    "a library of C++17": "#include <optional>\nstd::optional<int> x;\n",
    "an array of a task": (
        "#include <hls_task.h>\nvoid take(hls::stream<int> (&in)[2]) {}\n"
        "void top() {\n  hls_thread_local hls::stream<int> s[2];\n  hls_thread_local hls::task t(take, s);\n}\n"
    ),
    "a channel that is not there": "#include <ap_axi_sdata.h>\nvoid f(ap_axiu<32, 0, 0, 0>& word) { word.user = 1; }\n",
}


@pytest.mark.parametrize("what", LATER)
def test_what_vitis_hls_does_not_take_would_be_seen(what: str, tmp_path: Path) -> None:
    file = tmp_path / "kernel.cpp"
    file.write_text(LATER[what])
    assert re.search("error|warning", complaints([[compiler("clang++"), *LEVEL, str(file)]]))
