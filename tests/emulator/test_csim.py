"""C simulation of HLS components: by configuration file, by script, by files; the test bench decides."""

from __future__ import annotations

from pathlib import Path

import pytest

from aieloom.cli import main
from aieloom.emulator.hls.command import read_components
from aieloom.emulator.hls.config import read_config
from aieloom.emulator.hls.csim import csim
from aieloom.emulator.hls.tcl import read_script
from aieloom.errors import SpecError, ToolError

TOP = """#include "top.h"
extern "C" int count_ones(unsigned);
void top(hls::stream<ap_uint<8>>& in, hls::stream<int>& out) {
  for (int i = 0; i < COUNT; ++i) out.write(count_ones(in.read()) + OFFSET);
}
"""
BENCH = """#include "top.h"
#include <fstream>
int main(int argc, char** argv) {
  hls::stream<ap_uint<8>> in;
  hls::stream<int> out;
  std::ifstream file("data/input.txt");
  std::ifstream golden("golden.txt");
  for (int value; file >> value;) in.write(value);
  top(in, out);
  int errors = argc - 2;
  for (int wanted; golden >> wanted;) errors += out.read() != wanted;
  std::ofstream("result.txt") << errors << argv[1];
  return errors;
}
"""
FILES = {
    "src/top.cpp": TOP,
    "src/ones.c": "int count_ones(unsigned x) { register int n = 0; for (; x; x >>= 1) n += x & 1; return n; }\n",
    "include/top.h": "#include <ap_int.h>\n#include <hls_stream.h>\nvoid top(hls::stream<ap_uint<8>>&, hls::stream<int>&);\n",
    "tb/top_tb.cpp": BENCH,
    "tb/data/input.txt": "1 3 255 0\n",
    "tb/golden.txt": "11 12 18 10\n",
    "hls_config.cfg": """part=xcvc1902-vsva2197-2MP-e-S
[hls]
# a comment=
syn.file=src/top.cpp
syn.file=src/ones.c
syn.cflags=-Iinclude -DCOUNT=4
syn.file_cflags=src/top.cpp,-DOFFSET=10 -std=c++14
syn.top=top
tb.file=tb/top_tb.cpp
tb.file=tb/data
tb.file=tb/golden.txt
tb.cflags=-I include
csim.argv="one word"
""",
    "run_hls.tcl": """# components of one script
set src_dir [file join [file dirname [info script]] src]
proc build {name {offset 10}} {
    open_project -reset $name
    set_top top
    foreach f {top.cpp ones.c} { add_files -cflags "-Iinclude -DCOUNT=4 -DOFFSET=$offset" $::src_dir/$f }
    add_files -tb tb/top_tb.cpp -cflags "-Iinclude"
    add_files -tb "tb/data tb/golden.txt"
    open_solution -reset solution1 -flow_target vitis
    csim_design -argv {good}
}
set which 1 ; if {$which == 1} { build first
} elseif {$which == 2} { build second } else { build third }
if {[catch {build wrong 11} err]} { puts "caught $err" }
exit
""",
}


@pytest.fixture
def component(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


@pytest.mark.slow
def test_a_configuration_file(component: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(component)
    assert main(["csim", "hls_config.cfg"]) == 0
    assert (component / "csim" / "build" / "result.txt").read_text() == "0one word"
    (component / "tb" / "golden.txt").write_text("11 12 18 9\n")
    assert main(["csim", str(component / "hls_config.cfg"), "--out", "again"]) == 1
    assert (component / "again" / "result.txt").read_text() == "1one word"


@pytest.mark.integration
def test_a_script_with_two_components(component: Path) -> None:
    first, wrong = read_script(component / "run_hls.tcl")
    assert (first.name, first.top, first.arguments) == ("first", "top", ("good",))
    assert [f.path.name for f in first.sources] == ["top.cpp", "ones.c", "top_tb.cpp"]
    assert csim(first, out=component / "1").code == 0
    assert csim(wrong, out=component / "2").code == 4


def test_files_on_the_command_line(component: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(component)
    files = ["--source", "src/top.cpp", "src/ones.c", "--tb", "tb/top_tb.cpp", "tb/data", "tb/golden.txt"]
    macros = ["-I", "include", "-D", "COUNT=4", "-D", "OFFSET=10"]
    assert main(["csim", *files, *macros, "--argv", "x", "--out", "run"]) == 0


def test_a_test_bench_that_waits_for_ever_and_one_that_crashes(component: Path) -> None:
    (component / "tb" / "data" / "input.txt").write_text("1 2 3\n")
    stuck = csim(read_config(component / "hls_config.cfg"), out=component / "stuck")
    assert stuck.code == 2
    assert "host waits to read: stream 'hls::stream' is empty" in stuck.stderr
    (component / "tb" / "top_tb.cpp").write_text("int main() { __builtin_trap(); }")
    crash = csim(read_config(component / "hls_config.cfg"), out=component / "crash")
    assert crash.code == 2
    assert "[crash]" in crash.stderr


def test_what_is_missing_is_named_with_its_line(component: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = component / "hls_config.cfg"
    config.write_text("[hls]\nsyn.file=src/top.cpp\nsyn.file=src/gone.cpp\ntb.file=tb/gone\n")
    with pytest.raises(
        SpecError, match=r"hls_config.cfg:3: \[file\] there is no 'src/gone.cpp'.*(?s:.*):4: "
    ):
        read_config(config)
    config.write_text("[hls]\nsyn.file=src/top.cpp\n")
    with pytest.raises(SpecError, match=r"\[hls-component\] component .* has no test bench"):
        csim(read_config(config))
    config.write_text('[hls]\nsyn.file=src/top.cpp\nsyn.cflags=-D "X\n')
    with pytest.raises(SpecError, match=r"hls_config.cfg:3: \[hls-config\] .*No closing quotation"):
        read_config(config)
    assert main(["csim"]) == 2
    assert "names no component" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("script", "said"),
    [
        (
            "add_files src/gone.cpp\ncsim_design\n",
            r"run_hls.tcl:1: .*adds 'src/gone.cpp', which is not there",
        ),
        ("set x 1\nadd_files $y/top.cpp\n", r"run_hls.tcl:2: \[hls-script\] uses \$y, which"),
        ("proc again {} { again }\nagain\n", r"run_hls.tcl:2: .*without end"),
    ],
)
def test_scripts_beyond_the_reader(component: Path, script: str, said: str) -> None:
    (component / "run_hls.tcl").write_text(script)
    with pytest.raises(SpecError, match=said):
        read_components(component / "run_hls.tcl")


def test_a_black_box_is_its_model(component: Path) -> None:
    (component / "box.json").write_text('{"c_files": [{"c_file": "src/ones.c", "cflag": ""}]}')
    config = component / "hls_config.cfg"
    config.write_text(config.read_text().replace("syn.file=src/ones.c", "syn.blackbox.file=box.json"))
    assert csim(read_config(config), out=component / "box").code == 0
    (component / "box.json").write_text("{}")
    with pytest.raises(SpecError, match="names its C models"):
        read_config(config)


def test_a_source_that_does_not_compile(component: Path) -> None:
    (component / "src" / "top.cpp").write_text("int top( { }")
    with pytest.raises(ToolError, match=r"top.cpp:1:.* error"):
        csim(read_config(component / "hls_config.cfg"), out=component / "bad")
