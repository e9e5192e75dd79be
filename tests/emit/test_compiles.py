"""Generated sources compile without a warning on g++ and clang++; hosts with the real XRT headers: test_emit_hosts.py.

HLS pragmas and chess hints are the vendor's compilers' own: the former are switched off as unknown pragmas, the
latter are empty macros of our headers.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.designs import SMALL
from tests.emit.compiling import INCLUDE, STRICT, compiler, complaints, together, written
from tests.emit.golden import BETWEEN, SPLIT, sources
from tests.emit.names import renamed
from tests.ops.kernels import DIRECT, STREAMS
from tests.ops.lines import PARTS, PLACES
from tests.strategies.lanes.designs import FLOATS


def commands(cxx: str, folder: Path, files: list[Path]) -> Iterator[list[str]]:
    """Yield a command for each AIE source, and one for the PL's and the host's together."""
    aie = [f for f in files if f.parent.name == "aie"]
    for file in aie:
        yield [cxx, *STRICT, f"-I{INCLUDE}", "-D__AIE_ARCH__=10", "-D__X86SIM__", str(file)]
    yield [cxx, *STRICT, f"-I{INCLUDE}", str(together(folder, [f for f in files if f not in aie]))]


@pytest.mark.parametrize("cxx", ["g++", "clang++"])
def test_every_source_compiles_without_a_warning(cxx: str, tmp_path: Path) -> None:
    files = written(tmp_path, sources(SPLIT))
    assert {f.parent.name for f in files} == {"aie", "pl", "host"}
    assert complaints(list(commands(compiler(cxx), tmp_path, files))) == ""


@pytest.mark.integration
def test_other_shapes_of_code_compile_too(tmp_path: Path) -> None:
    """One pass, 2 x 2 blocks, a kernel between tiled streams, the host that tiles its input, pixel_shuffle;
    direct convolutions, sliding and by lanes, streaming kernels with and without layers that see neighbours."""
    files = written(tmp_path, sources(SMALL), ("first.cc", "pl_act.cpp", "pl_shuffle.cpp", "small_host.cpp"))
    files += written(tmp_path / "lines", sources(DIRECT), ("first.cc",))
    files += written(tmp_path / "lanes", sources(FLOATS), ("c1.cc", "c2.cc"))
    assert len(files) == 7
    cxx = compiler("clang++")
    alone = written(tmp_path / "lines", sources(DIRECT), ("pl_curve.cpp",))
    alone += written(tmp_path / "streams", sources(STREAMS[0]), ("pl_shuffle.cpp",))
    alone += written(tmp_path / "lanes", sources(FLOATS), ("pl_r1.cpp", "pl_six.cpp", "direct_host.cpp"))
    alone += written(tmp_path / "places", sources(PLACES), ("border_slope.cpp", "pl_rel3_all_tail.cpp"))
    alone += written(tmp_path / "parts", sources(PARTS), ("pl_rel_last_shown.cpp",))
    alone += written(tmp_path / "subgraphs", sources(BETWEEN), ("between_host.cpp",))
    assert len(alone) == 9
    jobs = [[cxx, *STRICT, f"-I{INCLUDE}", str(file)] for file in alone]  # unused constants are told of then
    assert complaints([*commands(cxx, tmp_path, files), *jobs]) == ""


@pytest.mark.integration
def test_layers_called_as_headers_and_library_words_compile(tmp_path: Path) -> None:
    """Their files lie where the compiler looks first; and the project is called as one of them."""
    text = renamed(SMALL, {"first": "string", "act": "std", "second": "time", "shuffle": "stdint"})
    files = written(tmp_path, sources(text.replace("name: small", "name: string")))
    assert len([f for f in files if f.parent.name == "aie"]) == 3
    assert complaints(list(commands(compiler("g++"), tmp_path, files))) == ""


@pytest.mark.parametrize("cxx", ["g++", "clang++"])
def test_a_warning_would_be_seen(cxx: str, tmp_path: Path) -> None:
    (tmp_path / "pl").mkdir()
    file = tmp_path / "pl" / "x.cpp"
    file.write_text("int f() {\n  int unused_number = 1;\n  return 2;\n}\n")
    assert "unused_number" in complaints(list(commands(compiler(cxx), tmp_path, [file])))
