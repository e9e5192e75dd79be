"""The one line that is told of a compiler's log, of logs that g++ and clang++ write themselves."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from aieloom.emulator.first_error import first_error
from aieloom.paths import package_folder

KERNEL = """#include <adf.h>
#include "aie_api/aie.hpp"
using namespace adf;
void scale(input_buffer<int32>& in, output_buffer<int32>& out) {
  auto a = aie::begin_vector<8>(in);
  auto b = aie::begin_vector<8>(out);
  *b++ = *a++;
}
"""


def said_of(compiler: str, folder: Path, old: str, new: str) -> str:
    """Return the first error of a kernel in which one thing is changed."""
    path = shutil.which(compiler)
    if path is None:
        pytest.skip(f"needs {compiler}")
    assert KERNEL.count(old) == 1
    (folder / "scale.cc").write_text(KERNEL.replace(old, new))
    options = ["-fsyntax-only", "-std=c++20", "-D__AIE_ARCH__=10", "-D__X86SIM__"]
    command = [path, *options, f"-I{package_folder() / 'include'}", "scale.cc"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    (folder / "log").write_text(done.stderr)
    return first_error(folder / "log", done.returncode)


@pytest.mark.parametrize("compiler", ["g++", "clang++"])
@pytest.mark.parametrize(
    ("new", "what"),
    [
        ("  aie::vector<int32, 12> v;\n  *b++ = *a++;", "aie::vector<int, 12>"),
        ("  aie::mmul<3, 5, 7, int16, int16> m;\n  *b++ = *a++;", "aie::mmul<3, 5, 7, short"),
    ],
)
def test_a_rule_of_our_headers_is_told_with_the_line_that_breaks_it(
    compiler: str, new: str, what: str, tmp_path: Path
) -> None:
    said = said_of(compiler, tmp_path, "  *b++ = *a++;", new)
    assert said.startswith("scale.cc:7:"), said
    assert "static" in said.partition("error: ")[2].partition(" ")[0], said
    assert what in said, said


def test_an_unknown_type_of_a_parameter_is_told_by_its_name(tmp_path: Path) -> None:
    said = said_of("g++", tmp_path, "using namespace adf;", "")
    assert "input_buffer" in said, said
    assert "was not declared" in said, said
    assert "declared void" not in said
