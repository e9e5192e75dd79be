"""A name of the vendor's that aieloom lacks is not the user's fault: the remedy says whose it may be."""

from __future__ import annotations

from pathlib import Path

import pytest

from aieloom.emulator import compiler
from aieloom.emulator.lacking import remedy_of
from aieloom.errors import ToolError

INCLUDE = Path(compiler.__file__).parent / "include"
HEAD = "#include <adf.h>\n#include <aie_api/aie.hpp>\nusing namespace adf;\n"


def compiled(text: str, folder: Path) -> ToolError:
    source = folder / "a.cpp"
    source.write_text(text)
    unit = compiler.Unit(
        source=source,
        includes=(INCLUDE,),
        defines=("__AIE_ARCH__=10", "__X86SIM__"),
        options=("-fsyntax-only",),
    )
    with pytest.raises(ToolError) as raised:
        compiler.compile_unit(unit, folder / "a.o")
    return raised.value


def test_the_remedy_says_that_aieloom_may_lack_it(tmp_path: Path) -> None:
    one = compiled(HEAD + "void f(kernel& k) { twice_a_round(k) = 1; }\n", tmp_path)
    other = compiled(HEAD + "void f(aie::vector<int16, 16> v) { auto x = aie::mac(v); }\n", tmp_path)
    end = "where AMD documents it, aieloom lacks it, report it; else correct the source"
    assert one.remedy == f"aieloom's headers have no adf::twice_a_round: {end}"
    assert other.remedy == f"aieloom's headers have no mac that takes this: {end}"


@pytest.mark.parametrize(
    ("line", "part"),
    [
        ("k.cc:4:17: error: 'sort_lanes' is not a member of 'aie'", "have no aie::sort_lanes"),
        (
            "k.cc:4:6: error: 'matrix_of' in namespace 'aie' does not name a template type",
            "have no aie::matrix_of",
        ),
        ("k.cc:4:17: error: 'adf::plots' has not been declared", "have no adf::plots"),
        (
            "k.cc:4:37: error: 'class aie::vector<short int, 16>' has no member named 'mirror'",
            "have no aie::vector::mirror",
        ),
        ("k.cc:4:31: error: 'made' is not a member of 'adf::kernel'", "have no adf::kernel::made"),
        ("k.cc:4:18: error: 'mine' was not declared in this scope", None),
        ("k.cc:4:18: error: expected primary-expression before ';' token", None),
        ("k.cc:1:2: error: no member named 'sort_lanes' in namespace 'aie'", "have no aie::sort_lanes"),
        (
            "k.cc:1:2: error: no member named 'mirror' in 'aie::vector<short, 16>'",
            "have no aie::vector::mirror",
        ),
        ("k.cc:1:2: error: use of undeclared identifier 'mine'", None),
        ("k.cc:1:2: error: no matching function for call to 'mine'", None),
    ],
)
def test_the_words_of_compilers(line: str, part: str | None, tmp_path: Path) -> None:
    (tmp_path / "log").write_text(line)
    said = remedy_of(line, tmp_path / "log")
    assert said is None if part is None else part in str(said)


def test_a_name_of_the_user_s_own_source_stays_the_user_s(tmp_path: Path) -> None:
    error = compiled(
        "#include <adf.h>\nint f() { return nowhere; }\n", tmp_path
    )  # opens no namespace of the vendor's
    assert error.remedy.startswith("correct the source;")


def test_control_packets_are_named(tmp_path: Path) -> None:
    error = compiled(
        HEAD + "void f(input_plio& a, kernel& k) { connect<pktcontrol>(a.out[0], k.in[0]); }\n", tmp_path
    )
    assert "connect<pktcontrol>: control packets are not emulated" in error.first_error
