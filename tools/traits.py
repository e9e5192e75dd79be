"""`python -m tools.traits`: what the emulator's headers know of the architectures, from their files in spec/architectures/."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path

from aieloom.hardware.registers import LANE_BITS
from aieloom.spec.architecture import Architecture, ArchitectureFacts, MmulRow, architecture_names

ROOT = Path(__file__).resolve().parents[1]
HEADER = ROOT / "scripts/aieloom/emulator/include/aie_api/detail/traits.h"
WIDTH = 120
BITS = {**LANE_BITS, "acc48_or_acc80": 4880}
KINDS = {  # as aie::detail::kind() counts them: bits, 100 more of floats, 1000 more of complex numbers
    "int4": 4, "int8": 8, "int16": 16, "int32": 32, "bfloat16": 116, "float": 132,
    "cint16": 1016, "cint32": 1032, "cbfloat16": 1116, "cfloat": 1132,
}  # fmt: skip


def header() -> str:
    """Return the header's text."""
    known = [f for n in architecture_names() if (f := Architecture(n).facts).emulated]
    sections = [line for i, facts in enumerate(known) for line in _section(facts, "elif" if i else "if")]
    macros = ", ".join(f"-D__AIE_ARCH__={f.macro} ({_shown(f)})" for f in known)
    return "\n".join(
        [
            "// What each architecture's file in spec/architectures/ says. Written by: python -m tools.traits",
            "#pragma once",
            "",
            "#ifndef __AIE_ARCH__",
            f'#error "aie_api is for AI Engine code: compile with {macros}"',
            "#endif",
            "",
            "namespace aie::detail {",
            "",
            "/// A legal shape of aie::mmul.",
            "struct Shape {",
            "  unsigned m, k, n;",
            "  unsigned bits;   // of the accumulator when AccumTag is accauto; 4880: 48 or 80 as asked",
            "  unsigned issue;  // least issue cycles of one mac()",
            "};",
            "",
            *sections,
            "#else",
            f'#error "this emulator knows {macros}"',
            "#endif",
            "",
            "}  // namespace aie::detail",
            "",
        ]
    )


def _shown(facts: ArchitectureFacts) -> str:
    return facts.name.upper()


def _section(facts: ArchitectureFacts, condition: str) -> Iterator[str]:
    yield f"#{condition} __AIE_ARCH__ == {facts.macro}"
    yield f'inline constexpr const char* kArchitecture = "{_shown(facts)}";'
    assert facts.core and facts.registers, f"the emulator knows {facts.name}"
    sums = {f"{which}_bits": int(name.removeprefix("acc")) for which, name in facts.sums.items()}
    held = {"float_sums_in_vectors": facts.registers["float_sums_in_vectors"]}
    for name, value in {**facts.core, **sums, **held}.items():
        kind = "bool" if isinstance(value, bool) else "unsigned"
        yield f"inline constexpr {kind} k{name.title().replace('_', '')} = {str(value).lower()};"
    yield from _table("kMmul", "AIELOOM_PAIRS", [*facts.mmul, *facts.complex_mmul])
    yield from _table("kSparse", "AIELOOM_SPARSE_PAIRS", facts.sparse_mmul)


def _table(array: str, macro: str, rows: Sequence[MmulRow]) -> Iterator[str]:
    """Yield an array for each pair of kinds, and the macro that lists the pairs with their shapes as words."""
    listed = []
    for row in rows:
        for a, b in dict.fromkeys(product(_kinds(row["a"]), _kinds(row["b"]))):
            shapes = [(s, BITS[acc]) for acc, found in row["shapes"].items() for s in found]
            items = [f"{{{s[0]}, {s[1]}, {s[2]}, {bits}, {s[3]}}}" for s, bits in shapes]
            yield from _wrapped(f"inline constexpr Shape {array}_{a}_{b}[] = {{", items)
            words = " ".join(f"{s[0]}x{s[1]}x{s[2]}" for s, _ in shapes)
            listed.append(f'  X({a}, {b}, "{words}")')
    lines = [f"#define {macro}(X)", *listed]
    yield from (f"{line} \\" for line in lines[:-1])
    yield lines[-1]


def _kinds(types: Sequence[str]) -> list[int]:
    return [KINDS[t.removeprefix("u")] for t in types]


def _wrapped(begin: str, items: Sequence[str]) -> Iterator[str]:
    line = begin
    for i, item in enumerate(items):
        piece = item + (", " if i < len(items) - 1 else "};")
        if len(line) + len(piece.rstrip()) > WIDTH:
            yield line.rstrip()
            line = "    "
        line += piece
    yield line


if __name__ == "__main__":
    HEADER.write_text(header(), encoding="utf-8")
