"""What the architectures lack or the vendor's headers reject is refused in words, at compile time or at run time."""

from __future__ import annotations

import numpy as np
import pytest

from tests import documented, remedies
from tests.conformance import native

V16 = "aie::vector<int16, 16>"
V8 = "aie::vector<int32, 8>"
F8 = "aie::vector<float, 8>"
BOTH = [
    ("aie::vector<int16, 4> x", "a vector has 128, 256, 512 or 1024 bits"),
    ("aie::vector<int16, 24> x", "a vector has 128, 256, 512 or 1024 bits"),
    ("aie::vector<double, 8> x", "no vectors of this type"),
    ("aie::vector<int64, 8> x", "no vectors of this type"),
    ("aie::accum<int32, 8> x", "no such accumulator"),
    ("aie::accum<acc32, 4> x", "illegal number of lanes"),
    ("aie::accum<accfloat, 24> x", "illegal number of lanes"),
    (f"auto x = aie::add({V16}(), aie::vector<int32, 16>())", "another type"),
    (f"auto x = aie::add({V16}(), aie::vector<int16, 32>())", "another number of elements"),
    (f"auto x = aie::add({V16}(), 3)", "[aie-operand]"),
    (f"auto x = aie::max({F8}(), 0)", "[aie-operand]"),
    (f"auto x = aie::mul({V8}(), {F8}())", "[aie-mul]"),
    (f"auto x = aie::mac(aie::mul({F8}(), {F8}()), {V8}(), {V8}())", "[aie-mul]"),
    (f"auto x = aie::mul({V16}(), {V16}()).to_vector<float>()", "goes to integers"),
    (f"auto x = aie::mul({F8}(), {F8}()).to_vector<int32>()", "aie::to_fixed"),
    (f"auto x = {V16}().extract<32>(0)", "the part is larger"),
    (f"auto x = {V16}().grow<8>()", "must not be smaller"),
    (f"auto x = aie::op_conj({V16}())", "complex elements only"),
    ("auto x = aie::abs(aie::vector<cint16, 8>())", "no order"),
    ("auto x = aie::lt(aie::vector<cint16, 8>(), aie::vector<cint16, 8>())", "no order"),
    (f"auto x = aie::downshift({F8}(), 1)", "integer elements only"),
    (f"auto x = aie::bit_and({F8}(), {F8}())", "for integer elements"),
    (f"auto x = aie::reduce_mul({V16}())", "floating point elements only"),
    (f"auto x = aie::reduce_add_v({V8}(), {V8}(), {V8}(), {V8}(), {V8}())", "at most four"),
    (f"auto x = aie::concat({V8}(), {V8}(), {V8}())", "two, four or eight"),
    ("aie::tanh(1.0f)", "[aie-elementary]"),
    ("aie::exp2(1.0f)", "[aie-elementary]"),
]
ONLY = {
    "aie": [
        ("aie::vector<uint16, 16> x", "no vectors of this type"),
        ("aie::vector<uint32, 8> x", "no vectors of this type"),
        ("aie::accum<accfloat, 64> x", "illegal number of lanes"),
        (f"auto x = {V8}().pack()", "no smaller integer elements"),
        (f"auto x = {V16}().unpack()", "no larger integer elements"),
        (
            "auto x = aie::sliding_mul<8, 4>(aie::vector<int8, 16>(), 0, aie::vector<int8, 32>(), 0)",
            "[aie-sliding]",
        ),
        (f"auto x = aie::sliding_mul<12, 4>({V16}(), 0, aie::vector<int16, 32>(), 0)", "[aie-sliding]"),
        (
            "auto x = aie::sliding_mul<8, 4>(aie::vector<int16, 32>(), 0, aie::vector<int16, 32>(), 0)",
            "at most 256 bits",
        ),
        ("aie::sliding_mul_ch_ops<4, 8, 4, 1, 1, 1, int8, int8> x", "[aie-sliding]"),
        ("aie::lut<4, int16> x(8, nullptr, nullptr)", "[aie-lookup]"),
        ("auto x = aie::make_tensor_descriptor<int16, 16>(aie::tensor_dim(2u, 1))", "[aie-tensor]"),
        (f"auto x = aie::to_fixed<int8>({F8}())", "to int16 or int32 on AIE"),
        (f"auto x = v8float({V8}())", "no matching"),
    ],
    "aie-ml": [
        ("auto x = v16bfloat16(aie::vector<int16, 32>())", "no matching"),
        ("aie::vector<bfloat16, 16> x = aie::vector<int16, 16>()", "conversion"),
        ("aie::accum<acc80, 8> x", "no such accumulator"),
        ("aie::accum<acc72, 8> x", "no such accumulator"),
        ("auto x = aie::sin(1.0f)", "no such unit"),
        (f"auto x = aie::sliding_mul_sym<16, 4>({V16}(), 0, aie::vector<int16, 32>(), 0)", "[aie-sliding]"),
        (f"auto x = aie::sliding_mul<24, 4>({V16}(), 0, aie::vector<int16, 32>(), 0)", "[aie-sliding]"),
        (
            f"auto x = aie::sliding_mul<16, 4, 1, 1, 2>({V16}(), 0, aie::vector<int16, 32>(), 0)",
            "both be 1 or both 2",
        ),
        ("aie::lut<3, int16> x(8, nullptr)", "[aie-lookup]"),
        (f"auto x = aie::mul({F8}(), aie::vector<bfloat16, 8>())", "[aie-mul]"),
        ("aie::sliding_mul_ch_ops<2, 8, 4, 1, 1, 1, int8, int8> x", "[aie-sliding]"),
    ],
}


@pytest.mark.parametrize("arch", ["aie", "aie-ml"])
def test_illegal_types_sizes_and_functions_are_refused_in_words(arch: str) -> None:
    cases = [*BOTH, *ONLY[arch]]
    lines = ["#include <aie_api/aie.hpp>"]
    lines += [f"void case{i}() {{ {statement}; }}" for i, (statement, _) in enumerate(cases)]
    found = native.refusals("\n".join(lines) + "\n", arch)
    for i, (statement, words) in enumerate(cases):
        assert any(words in message for message in found.get(i + 2, [])), (statement, found.get(i + 2))


RUNTIME = """
#include <aie_api/aie.hpp>
#include <aie_api/utils.hpp>
#include "cases.h"
static int at(int i) { static volatile int v = 0; v = i; return v; }
static void index_() { aie::vector<int16, 16> v = aie::zeros<int16, 16>(); give(v.get(at(16))); }
static void extract_() { give(aie::zeros<int16, 32>().extract<16>(at(2))); }
static void bit_() { give(aie::mask<8>().get(at(8))); }
static void step_() { give(aie::filter_even(aie::zeros<int16, 32>(), at(3))); }
static void amount_() { give(aie::shuffle_up(aie::zeros<int16, 16>(), at(17))); }
static void transpose_() { give(aie::transpose(aie::zeros<int16, 16>(), at(3), 5)); }
static void bits_() { give(aie::downshift(aie::zeros<int16, 16>(), at(16))); }
static void store_() { int16* p = take<int16>(32); aie::store_v(p + at(3), aie::zeros<int16, 16>()); }
static void unaligned_() { int16* p = take<int16>(64); give(aie::load_unaligned_v<16>(p + at(2), 4)); }
static void iterator_() { int16* p = take<int16>(64); auto it = aie::begin_vector<16>(p + at(1)); give(*it); }
static void mode_() { aie::set_rounding(static_cast<aie::rounding_mode>(at(15))); }
static const Case cases[] = {{"index", index_}, {"extract", extract_}, {"bit", bit_}, {"step", step_}, {"amount", amount_},
  {"transpose", transpose_}, {"bits", bits_}, {"store", store_}, {"unaligned", unaligned_}, {"iterator", iterator_},
  {"mode", mode_}};
EXAMPLES
int main(int count, char** values) { return run_case(count, values); }
"""
REFUSED = {
    "index": "[aie-index] aie::vector::get: index 16, but there are 16",
    "extract": "[aie-index] aie::vector::extract: index 2, but there are 2",
    "bit": "[aie-index] aie::mask::get: index 8, but there are 8",
    "step": "[aie-shuffle] aie::filter_even: the step is 3, it must be a power of two of at most 16",
    "amount": "[aie-shuffle] aie::shuffle_up by 17, but the vector has 16 elements",
    "transpose": "[aie-shuffle] aie::transpose: 3 rows x 5 columns, but the vector has 16 elements",
    "bits": "[aie-shift] aie::downshift by 16 bits, but the elements have 16",
    "store": "[aie-align] aie::store_v: the address must be a multiple of",
    "unaligned": "[aie-align] aie::load_unaligned_v: the address must be a multiple of 8 bytes",
    "iterator": "[aie-align] aie::begin_vector: the address must be a multiple of",
    "mode": "[aie-rounding] the rounding register has no such mode",
}


EXAMPLES = documented.examples("vector")
MENDED = {
    f"{rule} mended": remedies.APPLIED[rule][0].ways(e.message)[0].mend(e.of("cpp")[0])
    for rule, e in EXAMPLES.items()
}
SHOWN = "\n".join(
    f'static void shown{i}() {{\n{text}}}\nstatic const Case shown_case{i}{{"{name}", shown{i}}};'
    for i, (name, text) in enumerate(
        ({rule: e.of("cpp")[0] for rule, e in EXAMPLES.items()} | MENDED).items()
    )
)
PROGRAMS = {"aie": RUNTIME.replace("EXAMPLES", SHOWN), "aie-ml": RUNTIME.replace("EXAMPLES", "")}


@pytest.mark.parametrize("rule", EXAMPLES)
def test_an_example_says_what_the_document_says(rule: str) -> None:
    outcome = native.execute(PROGRAMS["aie"], "aie", np.zeros(64, dtype=np.int16).tobytes(), (rule,))
    assert outcome.code == native.REFUSED, outcome.errors
    documented.compare(EXAMPLES[rule], outcome.errors.replace("aieloom: ", ""))


@pytest.mark.parametrize("name", MENDED)
def test_a_program_that_is_mended_as_the_message_says_runs(name: str) -> None:
    outcome = native.execute(PROGRAMS["aie"], "aie", np.zeros(64, dtype=np.int16).tobytes(), (name,))
    assert outcome.code == 0, outcome.errors


@pytest.mark.parametrize("case", REFUSED)
@pytest.mark.parametrize("arch", ["aie", "aie-ml"])
def test_wrong_indices_addresses_and_modes_end_the_program_with_a_message(arch: str, case: str) -> None:
    outcome = native.execute(PROGRAMS[arch], arch, np.zeros(64, dtype=np.int16).tobytes(), (case,))
    assert outcome.code == native.REFUSED, outcome.errors
    assert REFUSED[case] in outcome.errors
    assert "fix: " in outcome.errors


POISON = """
#include <aie_api/aie.hpp>
#include "support.h"
int main() {
  aie::vector<int16, 16> v;
  v.insert(0, aie::zeros<int16, 8>());
  give(v);
  give(aie::shuffle_up(aie::zeros<int16, 16>(), 2));
  give(aie::zeros<int16, 8>().grow<16>(1));
}
"""


def test_undefined_lanes_stand_out_under_sanitize_and_are_zero_otherwise() -> None:
    plain = np.frombuffer(native.run(POISON, "aie"), dtype=np.int16)
    assert not plain.any()
    marked = np.frombuffer(native.run(POISON, "aie", defines=("AIELOOM_SANITIZE",)), dtype=np.uint16).reshape(
        3, 16
    )
    undefined = marked == 0xA5A5
    assert undefined.tolist() == [
        [False] * 8 + [True] * 8,
        [True] * 2 + [False] * 14,
        [True] * 8 + [False] * 8,
    ]


UNDEFINED = """
#include <aie_api/aie.hpp>
#include "support.h"
int main() {
  const auto v = aie::zeros<int16, 16>();
  aie::accum<acc48, 16> acc;
  acc = aie::mac(acc, v, v);
  give(acc.to_vector<int16>());
}
"""


@pytest.mark.parametrize("arch", ["aie", "aie-ml"])
def test_mac_onto_an_undefined_accumulator_is_refused_under_sanitize(arch: str) -> None:
    assert native.execute(UNDEFINED, arch).code == 0
    outcome = native.execute(UNDEFINED, arch, defines=("AIELOOM_SANITIZE",))
    assert outcome.code == native.REFUSED
    assert "[aie-undefined] aie::mac adds to an accumulator whose lanes are undefined" in outcome.errors


COUNTS = """
#include <aie_api/aie.hpp>
#include "support.h"
int main() {
  const float* a = take<float>(64);
  float* out = take<float>(64);
  aie::mmul<4, 2, 4, float> c(aie::load_v<16>(a));
  for (unsigned k = 0; k < 3; ++k) {
    c.mac(aie::load_v<8>(a + 8 * k), aie::load_v<8>(a + 16));
  }
  aie::store_v(out, aie::reverse(c.to_vector<float>()));
  const auto& n = aieloom::core_state().counts;
  const std::uint64_t all[] = {n.loads, n.stores, n.macs, n.products, n.shuffles};
  give(all);
}
"""


def test_counting_build_counts_loads_stores_macs_shuffles_and_the_other_build_nothing() -> None:
    data = np.zeros(128, dtype=np.float32).tobytes()
    timed = np.frombuffer(native.run(COUNTS, "aie", data, defines=("AIELOOM_COUNTED",)), dtype=np.uint64)
    assert timed.tolist() == [2 + 3 * 2, 2, 3 * 4, 3 * 32, 1]  # memory in 256 bits
    assert not np.frombuffer(native.run(COUNTS, "aie", data), dtype=np.uint64).any()


TILE = """
#include <aie_api/aie.hpp>
#include <aie_api/utils.hpp>
int main() {
  const auto before = aie::tile::current().cycles();
  const auto after = get_cycles();
  const auto id = aie::tile::current().global_id();
  aie::print(aie::broadcast<int32, 4>(after > before ? 7 : 0), true, "v: ");
  aie::print(aie::mul(aie::broadcast<float, 8>(1.5f), 2.0f));
  aie::print(aie::mask<4>::from_uint32(id.col + id.row + static_cast<unsigned>(get_coreid()) + 4u), true);
}
"""


@pytest.mark.parametrize("arch", ["aie", "aie-ml"])
def test_cycles_tile_ids_and_print(arch: str) -> None:
    want = b"v: 7 7 7 7 \n3 3 3 3 3 3 3 3 1 0 1 0 \n"
    assert native.run(TILE, arch) == want
