"""Graphs that break one rule each: the message names the kernel, the port, the numbers."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from aieloom.emulator.program import Program, build, emulate, run
from aieloom.errors import SpecError, ToolError
from tests import documented, remedies
from tests.conformance.adf.project import write_project
from tests.conformance.adf.refusals import CASES, COMMON, KERNELS, source

EXAMPLES = documented.examples("graph")
MENDED = {  # what the case is called, the constructor's text
    f"{rule} mended {i}": way.mend(e.of("cpp")[0])
    for rule, e in EXAMPLES.items()
    for i, way in enumerate(w for r in remedies.APPLIED.get(rule, ()) for w in r.ways(e.message))
}


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("refusals")
    header = "-2147483648"  # id 0, odd parity
    words = "\n".join([header, *map(str, range(1, 16))])
    shown = {rule: e.of("cpp")[0] for rule, e in EXAMPLES.items()}
    files = {
        "kernels.h": COMMON,
        "kernels.cc": KERNELS,
        "graph.cpp": source([*CASES, *((name, text, "") for name, text in (shown | MENDED).items())]),
        "data/whole.txt": f"{header}\n" + "".join(f"{i}\n" for i in range(15)) + "TLAST\n15\n",
        "data/in.txt": f"{words}\n",
        "data/id3.txt": f"{3 - 2**31}\n1\nTLAST\n2\n",
        "data/short.txt": f"{header}\n1\n2\n3\nTLAST\n4\n",
    }
    write_project(folder, files)
    # Without a case the graph is empty, so the libraries are listed with one that uses them.
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CASE", "rates of a fraction")
        return build(Program(graph=folder / "graph.cpp"), folder / "build")


@pytest.mark.parametrize(
    ("name", "pattern"), [(name, pattern) for name, _, pattern in CASES], ids=[c[0] for c in CASES]
)
def test_rule_is_refused(program: Path, name: str, pattern: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CASE", name)
    folder = program.parent.parent
    done = run(program, data=folder, out=folder / "out", timeout=60)
    assert done.code == 2, done.stderr
    assert re.search(pattern, done.stderr), done.stderr
    assert "\n  fix: " in done.stderr


@pytest.mark.parametrize("rule", EXAMPLES)
def test_an_example_says_what_the_document_says(
    program: Path, rule: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CASE", rule)
    folder = program.parent.parent
    done = run(program, data=folder, out=folder / "out", timeout=60)
    assert done.code == 2, done.stderr
    said = re.sub(r"/\S*/(?=kernels\.cc|data/)", "", re.sub(r"(?m)^aieloom: ", "", done.stderr))
    documented.compare(EXAMPLES[rule], said)


@pytest.mark.parametrize("name", MENDED)
def test_a_graph_that_is_mended_as_the_message_says_breaks_the_rule_no_more(
    program: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CASE", name)
    folder = program.parent.parent
    done = run(program, data=folder, out=folder / "out", timeout=60)
    assert f"[{name.split(maxsplit=1)[0]}]" not in done.stderr, done.stderr
    # Some examples are parts of graphs, or their data are of another type: what they lack is another rule's.
    assert done.code == 0 or re.search(r"\[(unconnected|deadlock|plio-file)\]", done.stderr), done.stderr


def test_a_list_of_kernels_that_cannot_be_written_is_told(
    program: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AIELOOM_DISCOVER", str(program.parent / "absent" / "kernels"))
    done = run(program, data=program.parent, out=program.parent / "out", timeout=60)
    assert "[discover] cannot write" in done.stderr


ILLEGAL = {
    "int8_stream": (
        "void k(input_stream<int8>* in, output_stream<int32>* out) { writeincr(out, readincr(in)); }",
        "a stream word has 32 bits",
    ),
    "window_type": (
        "void k(input_window<int32>* in, output_window<int16>* out) { window_writeincr(out, *in); }",
        "a window takes numbers of its type",
    ),
    "narrowing": (  # an error of clang's, which g++ alone would let pass
        "void k(input_stream<int32>* in, output_stream<int32>* out) "
        "{ int32 n = readincr(in); const int16 half[] = {n}; writeincr(out, half[0]); }",
        "narrowing",
    ),
}
ILLEGAL_GRAPHS = {
    "struct S { int a, b; }; void k(adf::input_buffer<int32>&, const S (&)[4]);": "a run-time parameter is an integer",
    "void k(adf::input_buffer<int32>&, int32*);": "this cannot be a kernel parameter",
    "void k(adf::output_buffer<int32, adf::margin<4>>&);": "only inputs have a margin",
    "int k(adf::input_buffer<int32>&);": "a kernel function returns void",
}


@pytest.mark.parametrize("name", ILLEGAL)
def test_illegal_kernels_do_not_compile(tmp_path: Path, name: str) -> None:
    text, message = ILLEGAL[name]
    declaration = text.partition("{")[0].strip() + ";"
    graph = f"""#include <adf.h>
{declaration}
struct G : adf::graph {{
  adf::kernel k_;
  G() {{ k_ = adf::kernel::create(k); adf::source(k_) = "k.cc"; adf::runtime<adf::ratio>(k_) = 0.5; }}
}} g;
int main() {{ g.init(); }}
"""
    write_project(tmp_path, {"graph.cpp": graph, "k.cc": f"#include <adf.h>\n{text}\n"})
    with pytest.raises(ToolError, match=message):
        emulate(tmp_path / "graph.cpp", folder=tmp_path / "build", out=tmp_path / "out")


def test_illegal_signatures_do_not_compile(tmp_path: Path) -> None:
    lines = ["#include <adf.h>"]
    for i, declaration in enumerate(ILLEGAL_GRAPHS):
        lines.append(f"namespace n{i} {{ {declaration} inline auto made = adf::kernel::create(k); }}")
    write_project(tmp_path, {"graph.cpp": "\n".join([*lines, "int main() {}", ""])})
    with pytest.raises(ToolError):
        emulate(tmp_path / "graph.cpp", folder=tmp_path / "build", out=tmp_path / "out")
    log = (tmp_path / "build" / "graph.log").read_text()
    for message in ILLEGAL_GRAPHS.values():
        assert message in log, message


def test_missing_files_are_named(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="no such file"):
        emulate(tmp_path / "graph.cpp", folder=tmp_path / "build")


def test_a_header_that_is_nowhere_is_named(tmp_path: Path) -> None:
    graph = source([("lost", 'auto& a = K(copy); io(a, a); headers(a) = {"lost/filter.h"};', "")])
    write_project(tmp_path, {"kernels.h": COMMON, "kernels.cc": KERNELS, "graph.cpp": graph})
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CASE", "lost")
        with pytest.raises(
            SpecError,
            match=r"\[kernel-header\] the header 'lost/filter\.h' of kernel copy\[0\] is in none of",
        ):
            build(Program(graph=tmp_path / "graph.cpp"), tmp_path / "build")
