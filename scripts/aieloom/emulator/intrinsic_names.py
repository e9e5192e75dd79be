"""Intrinsics by their names: what to say of one that a kernel calls and the emulator has not.

The names are those of AMD's guides (UG1078 and UG1079 for AIE, UG1583 for AIE-ML). A compiler says of them that they
are not declared, which sounds like a forgotten include.
"""

from __future__ import annotations

import re

_UNDECLARED = re.compile(
    r"'(?:::)?(?P<name>\w+)' was not declared in this scope"
    r"|there are no arguments to '(?P<late>\w+)' that depend on a template parameter"
    r"|'::(?P<missing>\w+)' has not been declared"
    r"|use of undeclared identifier '(?P<clang>\w+)'"
    r"|no member named '(?P<member>\w+)' in the global namespace"
)
_MAC = r"l?(mac|msc|mul|negmul)(2|4|8|16)(_abs|_max|_min|_maxdiff)?(_conj)?((_sym|_antisym)(_ct|_uct)?)?(_c|_cc|_cn|_nc)?"
_PRODUCT = (
    r"(neg|add|sub)?(mul|mac|msc)_(\d+x\d+_\d+x\d+|elem_\d+(_2)?|conv_\d+x\d+)(_\d+ch)?(_(c|n)(c|n))?(_conf)?"
)
_COMPARISON = r"(lt|le|gt|ge|eq|ne|max|min|maxdiff|maxcmp|mincmp|add|sub|abs|shuffle|select)(8|16|32)"

# What no public document defines, by family: the pattern of the names, and the reason.
_UNDEFINED = (
    (r"l?\w+_conj(_\w+)?", "says which of the paired numbers is conjugated"),
    (r"maxdiffcmp(16|32)", "says which lanes its word marks"),
    (r"neg(mac|msc)_\w+", "says which signs its sums have"),
    (
        r"\w+_elem_(8|16)(_2)?(_(c|n)(c|n))?(_conf)?",
        "says to the bit how these complex numbers (or float32) are multiplied",
    ),
    (
        r"(mul|mac|msc|negmul)_(4x16_16x4|2x16_16x8|4x8_8x2)(_conf)?",
        "says how these sparse matrices lie in registers",
    ),
    (_PRODUCT, "says how the numbers of this product lie in registers"),
    (
        r"(mul|mac)(4|8)_cfr|fft_\w+|butterfly_\w+|half_butterfly_\w+|cyclic_add",
        "defines application-specific intrinsics to the bit",
    ),
    (r"load_lut_\w+", "says how the table's copies are addressed; aie::lut and aie::parallel_lookup are"),
    (
        r"sparse_(pop|peek|fill|reset)\w*",
        "says what these streams' state holds; aie::sparse_vector_input_buffer_stream is",
    ),
    (
        r"shuffle_(s|u)(8|16|32|64)|shuffle_(v2[su]32|float|bfloat16|c16|c32)",
        "says what a shuffled broadcast leaves out",
    ),
    (r"fpcmp\w*|fp(max|min)diff|fp\w+_conj\w*", "defines it"),
)
RULE = "aie-intrinsic"
# What one generation has and the other has not.
_OF_AIE = (
    rf"{_MAC}|{_COMPARISON}|fp[a-z]\w*|(b|ub|l|u|ul)?srs(_ilv|I)?|[bl]?ups|ext_[vwx]|upd_[vwx]|upd_(lo|hi)|ext_(lo|hi)"
    r"|[wxy]set_[vwx]|shft_elem|v\d+c?acc(48|80)|null_v\d+c?acc(48|80)|(window_|getc?_|put_)\w+"
)
_OF_AIE_ML = (
    rf"{_PRODUCT}|(extract|set|broadcast_to|broadcast_zero_to|broadcast_one_to|srs_to|ups_to|to)_v\d+\w+|broadcast_\w+"
    r"|(sub|maxdiff|max|bneg|abs)_(lt|ltz|gtz)|(sub|min)_ge|neg_gtz|ltz|gtz|eqz|sel|addsub|band|bor|bxor|bneg|shift(x|l_elem|r_elem|_bytes)?"
    r"|u?[sl]srs(_conf)?|[sl]ups|clr(16|32|64)\w*|v\d+(acc32|acc64|bfloat16|uint16|uint32|u?int4)|null_v\d+(acc32|acc64|accfloat)"
)


def undeclared(line: str) -> str | None:
    """Return the name that a compiler's error says is not declared, or nothing."""
    match = _UNDECLARED.search(line.replace("\u2018", "'").replace("\u2019", "'"))
    return next((name for name in match.groups() if name), None) if match else None


def reason(name: str, generation: int | None = None) -> str | None:
    """Return why the emulator has no intrinsic of that name, or nothing where it is no name of an intrinsic.

    `generation` is what the unit defines __AIE_ARCH__ as: 10 for AIE, 20 and above for AIE-ML.
    """
    if generation is not None and generation >= 20 and re.fullmatch(_OF_AIE, name):
        return "an intrinsic of AIE; AIE-ML has other ones (UG1583), and the AIE API (aie::) runs on both"
    if generation == 10 and re.fullmatch(_OF_AIE_ML, name):
        return "an intrinsic of AIE-ML; AIE has other ones (UG1078), and the AIE API (aie::) runs on both"
    for pattern, what in _UNDEFINED:
        if re.fullmatch(pattern, name):
            return f"no public document {what}, so it is not emulated; the AIE API (aie::) has the operation"
    if re.fullmatch(f"{_OF_AIE}|{_OF_AIE_ML}", name):
        return "an intrinsic that the emulator does not have (docs/emulator.md, Coverage); use the AIE API (aie::)"
    return None


def in_words(line: str, generation: int | None = None) -> str:
    """Return a compiler's error; of an intrinsic that the emulator has not, by name and with the reason."""
    name = undeclared(line)
    why = reason(name, generation) if name else None
    if why is None:
        return line
    place, separator, _ = line.partition(" error: ")
    said = f"{name}: {why} [{RULE}]"
    return f"{place}{separator}{said}" if separator else said
