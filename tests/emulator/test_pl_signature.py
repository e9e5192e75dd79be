"""PL kernels are found in sources that nobody wrote for the emulator."""

from __future__ import annotations

from pathlib import Path

import pytest

from aieloom.emulator.pl_signature import Parameter, TopFunction, find_functions, wrapper
from aieloom.errors import SpecError


def found(tmp_path: Path, text: str, name: str = "kernel.cpp") -> tuple[TopFunction, ...]:
    source = tmp_path / name
    source.write_text(text, encoding="utf-8")
    return find_functions(source)


def only(tmp_path: Path, text: str, name: str = "kernel.cpp") -> TopFunction:
    tops = found(tmp_path, text, name)
    assert len(tops) == 1
    return tops[0]


def names(function: TopFunction) -> list[str]:
    return [p.name for p in function.parameters]


MM2S = """\
// void old(int a) { }
#include <ap_int.h>
/* extern "C" void older(int b) { } */
const char* text = "extern \\"C\\" void in_a_string(int c) { }";
static void helper(ap_int<32>* mem, hls::stream<ap_axiu<32, 0, 0, 0>>& s, int n) { for (int i = 0; i < n; i++) s.write({}); }
extern "C" {
void mm2s(ap_int<32>* mem, hls::stream<ap_axiu<32, 0, 0, 0> >& s, int size) {
#pragma HLS INTERFACE m_axi port=mem offset=slave bundle=gmem
#pragma HLS interface axis port=s
#pragma HLS INTERFACE s_axilite port=mem bundle=control
#pragma HLS INTERFACE s_axilite port=size bundle=control
#pragma HLS interface s_axilite port=return bundle=control
  helper(mem, s, size);
}
}
"""


def test_a_kernel_with_c_linkage_among_comments_and_strings(tmp_path: Path) -> None:
    top = only(tmp_path, MM2S)
    assert top == TopFunction(
        "mm2s", (Parameter("mem"), Parameter("s"), Parameter("size", "", True)), free_running=False
    )


def test_without_linkage_the_pragmas_tell(tmp_path: Path) -> None:
    text = """
void load(hls::stream<int>& in, float buffer[64]) { }
void compute(float a, float b) { }
void top(hls::stream<int>& in, hls::stream<int>& out) {
#pragma HLS INTERFACE mode=ap_ctrl_none port=return
#pragma HLS INTERFACE mode=axis port=in
#pragma HLS DATAFLOW
  load(in, 0); compute(1, 2);
}
"""
    top = only(tmp_path, text)
    assert (top.name, names(top), top.free_running) == ("top", ["in", "out"], True)


def test_without_anything_the_files_name_or_who_is_not_called(tmp_path: Path) -> None:
    text = "void one(int a) { }\nvoid two(int b) { one(b); }\nint three(int c) { return c; }\n"
    assert only(tmp_path, text, "one.cpp").name == "one"
    tops = found(tmp_path, text)
    assert [(t.name, t.is_certain) for t in tops] == [("two", False), ("three", False)]
    assert only(tmp_path, text.replace("int three", "static int three")).is_certain


@pytest.mark.parametrize(
    ("parameters", "expected"),
    [
        (
            "hls::stream<ap_axiu<32, 0, 0, 0>> in[N], hls::stream<float> (&out)[2 * M]",
            [("in", "N"), ("out", "2 * M")],
        ),
        (
            "const ap_uint<512>* a, volatile int *b, int c = (1 < 2), unsigned d",
            [("a", ""), ("b", ""), ("c", ""), ("d", "")],
        ),
        ("std::map<int, std::pair<int, int>> m, int x[4][8]", [("m", ""), ("x", "4")]),
        ("float & result,\n  // the last\n  hls::vector<float, 16>const& v", [("result", ""), ("v", "")]),
        ("void", []),
        ("", []),
    ],
)
def test_parameters(tmp_path: Path, parameters: str, expected: list[tuple[str, str]]) -> None:
    top = only(tmp_path, f'extern "C" void k({parameters}) {{ }}')
    assert [(p.name, p.bound) for p in top.parameters] == expected


def test_macros_of_the_file_are_replaced(tmp_path: Path) -> None:
    text = """
#define NAME fir
#define WORD ap_axiu<32, 0, 0, 0>
#define PORTS hls::stream<WORD>& in, \\
              hls::stream<WORD>& out
extern "C" void NAME(PORTS, int taps) { }
"""
    top = only(tmp_path, text)
    assert (top.name, names(top)) == ("fir", ["in", "out", "taps"])


def test_namespaces_and_declarations(tmp_path: Path) -> None:
    text = """
extern "C" void late(int n);
namespace { void hidden(int a) { } }
namespace lib::detail { constexpr int N = 4; extern "C" void inner(hls::stream<int> s[N]) { } }
struct Filter { void apply(int x) { } int state[3] = {1, 2, 3}; };
template <int N> void generic(int n) { }
enum { kOne }; int table[] = {1, 2};
void late(int n) { hidden(n); }
"""
    tops = found(tmp_path, text)
    assert [(t.name, t.scope) for t in tops] == [("inner", ("lib", "detail")), ("late", ())]
    code = wrapper("kernel.cpp", tops)
    assert (
        "namespace lib {\nnamespace detail {\nnamespace {\n\nconst aieloom::PlRegistration<decltype(&inner), &inner>"
        in code
    )
    assert '"inner", false, false, {{"s", N, false, "gmem"}});' in code


def test_raw_strings_and_characters_are_no_brackets(tmp_path: Path) -> None:
    text = """const char* a = R"x(} { extern)x"; const char b = '{'; const char c = '"';
extern "C" void k(int n) { char d = '}'; }
"""
    assert names(only(tmp_path, text)) == ["n"]


def test_a_byte_order_mark_and_a_return_value(tmp_path: Path) -> None:
    top = only(tmp_path, '\ufeffextern "C" int k(int n) noexcept { return n; }')
    assert names(top) == ["n"]


REFUSED = {
    "no function": ("int x;\n", "[pl-kernel] defines no function that could be a PL kernel"),
    "port": (
        'extern "C" void k(int n) {\n#pragma HLS interface s_axilite port=m\n}\n',
        ":2: [pl-interface] kernel 'k' has no parameter 'm'",
    ),
    "memory": (
        'extern "C" void k(int* m) {\n#pragma HLS interface ap_ctrl_none port=return\n#pragma HLS interface m_axi port=m\n}\n',
        ":3: [pl-interface] kernel 'k' is free running (ap_ctrl_none) and has memory 'm' (m_axi)",
    ),
    "unnamed": (
        'extern "C" void k(int, float b) { }\n',
        ":1: [pl-interface] parameter 'int' of kernel 'k' has no name",
    ),
}


@pytest.mark.parametrize("what", REFUSED)
def test_refusals(tmp_path: Path, what: str) -> None:
    text, problem = REFUSED[what]
    with pytest.raises(SpecError) as refused:
        found(tmp_path, text)
    assert problem in str(refused.value)


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="cannot read it"):
        find_functions(tmp_path / "absent.cpp")
