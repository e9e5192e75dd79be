"""Hosts are compiled as C++17, as the board's compiler does by itself; one that includes the graph as our adf.h needs it."""

from __future__ import annotations

from pathlib import Path

import pytest

from aieloom.emulator.compiler import Unit, compile_unit
from aieloom.errors import ToolError
from aieloom.paths import package_folder

NEWER = """
struct Size { int rows, columns; };
bool same(Size a, Size b) { return a.rows == b.rows && a.columns == b.columns; }
consteval int twice(int n) { return 2 * n; }
int main() { return twice(1); }
"""


def host(folder: Path, text: str) -> Unit:
    (folder / "host.cpp").write_text(text)
    return Unit(source=folder / "host.cpp", includes=(package_folder() / "include",), is_host=True)


def test_what_came_with_cpp_20_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ToolError, match=r"host.cpp:4.*consteval"):
        compile_unit(host(tmp_path, f"#include <xrt/xrt_kernel.h>{NEWER}"), tmp_path / "host.o")


def test_a_host_with_the_graph_is_compiled_as_the_graph_is(tmp_path: Path) -> None:
    text = "#include <adf.h>\n#include <xrt/xrt_graph.h>\nlong f(xrt::graph& g) { g.run(1); return sizeof(adf::kernel); }\n"
    compile_unit(host(tmp_path, text), tmp_path / "host.o")
    assert (tmp_path / "host.o").is_file()


def test_xrt_brings_the_clock_that_libuuid_s_header_brings(tmp_path: Path) -> None:
    """AMD's tutorials time their hosts so, without an include of their own (05-bottom_up_rtl_kernel)."""
    text = "#include <xrt/xrt_kernel.h>\nint main() { struct timeval now; return gettimeofday(&now, nullptr) + (time(nullptr) < 0); }\n"
    compile_unit(host(tmp_path, text), tmp_path / "host.o")
