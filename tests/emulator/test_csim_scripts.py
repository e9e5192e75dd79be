"""Scripts of Vitis HLS as people write them: what they add, flags and names from variables, the environment, lists and loops."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aieloom.cli import main
from aieloom.emulator.hls.component import Component, split_flags
from aieloom.emulator.hls.tcl import read_script
from aieloom.emulator.hls.tcl_expression import evaluate
from aieloom.emulator.hls.tcl_text import Word
from aieloom.errors import SpecError

FILES = ("top.cpp", "top.h", "tb.cpp", "src/a.cpp", "src/b.cpp", "data/in.txt")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in FILES:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("int main() { return 0; }\n")
    return tmp_path


def component(folder: Path, script: str, name: str = "run_hls.tcl") -> Component:
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).write_text(script)
    (found,) = read_script(folder / name)
    return found


def names(found: Component, folder: Path) -> tuple[str, str]:
    design, bench = (
        " ".join(str(f.path.relative_to(folder)) for f in files) for files in (found.design, found.bench)
    )
    return design, bench


# A script, and the files of design and test bench that it adds.
SCRIPTS = {
    "add_file": ("add_file top.cpp\nadd_file -tb tb.cpp\ncsynth_design\n", "top.cpp", "tb.cpp"),
    "several": (
        'add_files {top.cpp top.h}\nadd_files -tb "tb.cpp data/in.txt"\ncsim_design -clean\n',
        "top.cpp top.h",
        "tb.cpp data/in.txt",
    ),
    "exit": (
        "add_files top.cpp\nadd_files -tb tb.cpp\ncsim_design\nexit\nadd_files gone.cpp\n",
        "top.cpp",
        "tb.cpp",
    ),
    "glob": (
        "add_files [glob src/*.cpp]\nforeach f [glob -directory src b*.cpp] { add_files -tb $f }\ncsim_design\n",
        "src/a.cpp src/b.cpp",
        "src/b.cpp",
    ),
    "lists": (
        "set all [list top.cpp src/a.cpp src/b.cpp]\nlappend all tb.cpp\nadd_files [lrange $all 0 end-1]\n"
        "add_files -tb [lindex $all end]\ncsim_design\n",
        "top.cpp src/a.cpp src/b.cpp",
        "tb.cpp",
    ),
    "arrays": (
        "array set file {design top.cpp}\nset file(bench) tb.cpp\nset k bench\nadd_files $file(design)\n"
        "add_files -tb $file($k)\ncsim_design\n",
        "top.cpp",
        "tb.cpp",
    ),
    "loop": (
        'set names "a b"\nset i 0\nwhile {$i < [llength $names]} { add_files src/[lindex $names $i].cpp; incr i }\n'
        "add_files -tb tb.cpp\ncsim_design\n",
        "src/a.cpp src/b.cpp",
        "tb.cpp",
    ),
    "for": (
        "for {set i 0} {$i < 9} {incr i} { if {$i == 1} continue; if {$i > 2} break\n add_files [lindex {top src/b src/a} $i].cpp }\n"
        "add_files -tb tb.cpp\ncsim_design\n",
        "top.cpp src/a.cpp",
        "tb.cpp",
    ),
    "condition": (
        "set sim 1\nif {[info exists quick] && $quick} { exit } elseif { $sim != 0 && !($sim > 1) } {\n"
        "add_files top.cpp\n} else { add_files gone.cpp }\nadd_files -tb tb.cpp\nif $sim csim_design\n",
        "top.cpp",
        "tb.cpp",
    ),
    "switch": (
        "set step csim\nadd_files top.cpp\nadd_files -tb tb.cpp\nswitch $step {\n csynth { exit }\n csim - all { csim_design }\n}\n",
        "top.cpp",
        "tb.cpp",
    ),
    "procedure": (
        "set where src\nproc add {name args} {\n global where\n if {$name eq {}} { return 0 }\n"
        " add_files $where/$name.cpp\n return [llength $args]\n}\nset n [add a x y]\nadd b\n"
        "add_files -tb [expr {$n == 2 ? {tb.cpp} : {gone.cpp}}]\ncsim_design\n",
        "src/a.cpp src/b.cpp",
        "tb.cpp",
    ),
    "unused": (
        "puts [clock format [clock seconds]]\nset started [clock seconds]\nadd_files top.cpp\nadd_files -tb tb.cpp\n"
        "set_part {xc7z020clg400-1}\ncreate_clock -period 10 -name default\ncsim_design\n",
        "top.cpp",
        "tb.cpp",
    ),
    "cd": (
        "file mkdir build\ncd build\nadd_files ../top.cpp\nadd_files -tb ../tb.cpp\ncsim_design\n",
        "top.cpp",
        "tb.cpp",
    ),
}


@pytest.mark.parametrize("name", SCRIPTS)
def test_what_scripts_add(folder: Path, name: str) -> None:
    script, design, bench = SCRIPTS[name]
    assert names(component(folder, f"open_project -reset p\nset_top top\n{script}"), folder) == (
        design,
        bench,
    )


def test_the_environment(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HLS_ROOT", "/opt/lib")
    monkeypatch.setenv("HLS_TOP", "top")
    monkeypatch.delenv("HLS_GONE", raising=False)
    found = component(
        folder,
        "if {![info exists ::env(HLS_GONE)]} { set more -DPLAIN }\n"
        'add_files $::env(HLS_TOP).cpp -cflags "-I$env(HLS_ROOT)/include $more"\nadd_files -tb tb.cpp\ncsim_design\n',
    )
    assert found.design[0].flags == ("-I/opt/lib/include", "-DPLAIN")


def test_an_environment_that_is_not_set_is_told(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HLS_GONE", raising=False)
    with pytest.raises(
        SpecError, match=r"run_hls.tcl:2: \[hls-script\] uses the environment variable HLS_GONE"
    ):
        component(folder, "open_project p\nadd_files top.cpp -cflags -I$::env(HLS_GONE)\n")


def test_an_option_without_its_folder_is_none() -> None:
    assert split_flags("-I -DX -I '' -L", Path("w")) == ("-DX",)
    assert split_flags("-I a -DX '' -Ib", Path("w")) == ("-I", "w/a", "-DX", "", "-Iw/b")


def test_sourced_scripts(folder: Path) -> None:
    (folder / "src/common.tcl").write_text(
        "set design top.cpp\nset here [file tail [info script]]\nreturn\nset design gone.cpp\n"
    )
    script = (
        "source src/common.tcl\nadd_files $design\nadd_files -tb tb.cpp -cflags -DIN=$here\ncsim_design\n"
    )
    assert component(folder, script).bench[0].flags == ("-DIN=common.tcl",)
    with pytest.raises(SpecError, match=r"run_hls.tcl:1: .*sources 'gone.tcl', which is not there"):
        component(folder, "source gone.tcl\n")


def test_names_start_where_the_script_is_or_where_it_is_started(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    script = 'add_files src/a.cpp -cflags "-Idata"\nadd_files -tb ./tb.cpp\ncsim_design\n'
    found = component(folder, script, "scripts/run.tcl")
    assert names(found, folder) == ("src/a.cpp", "tb.cpp")
    assert found.design[0].flags == (f"-I{folder}/data",)


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("open_project p\nset_top top\n", "adds no files .* there is nothing to simulate"),
        ("add_files top.cpp\ncsynth_design\n", "adds no test bench .* there is nothing to simulate"),
        ("set f [exec ls]\nadd_files $f\n", r"run_hls.tcl:2: .*needs the value of \[exec \.\.\.\]"),
        ("set i 1\nwhile {$i} { incr i }\n", "a loop of more than 10000 rounds"),
        ("if {1 +} { exit }\n", "run_hls.tcl:1: .*has a condition that this reader does not understand"),
        ("string tolower\n", "run_hls.tcl:1: .*has a command that this reader does not understand"),
    ],
)
def test_what_scripts_cannot_say_is_told(folder: Path, script: str, said: str) -> None:
    with pytest.raises(SpecError, match=said):
        component(folder, script)


def test_a_script_that_runs_nothing_ends_with_2(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(folder)
    (folder / "run_hls.tcl").write_text("open_project p\nadd_files top.cpp\ncsynth_design\n")
    assert main(["csim", "run_hls.tcl"]) == 2
    assert "there is nothing to simulate" in capsys.readouterr().err


NUMBERS = st.integers(0, 20).map(str)
OPERATORS = ["+", "-", "*", "<", ">", "<=", ">=", "==", "!=", "&&", "||"]
EXPRESSIONS = st.recursive(
    NUMBERS,
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(OPERATORS), inner).map(" ".join),
        inner.map(lambda x: f"({x})"),
        inner.map(lambda x: f"!({x})"),
        inner.map(lambda x: f"-({x})"),
        st.tuples(inner, inner, inner).map(lambda t: f"({t[0]}) ? ({t[1]}) : ({t[2]})"),
    ),
    max_leaves=12,
)


@given(EXPRESSIONS)
def test_expressions_are_tcl_s(text: str) -> None:
    tcl = pytest.importorskip("tkinter").Tcl()
    assert evaluate(text, lambda word: word.text) == str(tcl.eval(f"expr {{{text}}}"))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("$x eq {a b}", "1"),
        ('"$x" ne "a b"', "0"),
        ("0 && $gone", "0"),
        ("1 || $gone", "1"),
        ("{b} in $x", "1"),
        ("7 / 2 + 7 % 2", "4"),
        ("7.0 / 2", "3.5"),
        ('"abc" < "abd"', "1"),
        ("1 ? 2 : $gone", "2"),
        ("0 ? $gone : 0 ? $gone : 3", "3"),
        ("1 ? 0 ? $gone : 2 : $gone", "2"),
    ],
)
def test_words_in_expressions(text: str, value: str) -> None:
    def substitute(word: Word) -> str:
        assert "gone" not in word.text
        return word.text.replace("$x", "a b")

    assert evaluate(text, substitute) == value
