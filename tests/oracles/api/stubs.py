"""Declarations of the compiler's vectors and intrinsics, made from the headers that use them.

Vectors are known by their names (v16int8), intrinsics by how the headers call them. Where a name tells the types, the
declaration demands them: lanes of both operands and the sums of a matrix product, of an elementwise one, of what is moved
between accumulators and vectors, and that a part is smaller than its whole. Others take anything (stub::unknown).
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

HERE = Path(__file__).parent
FOLDERS = {10: "aie1", 20: "aie2"}
MODELS = {10: 12700, 20: 10600}  # __AIE_MODEL_VERSION__ of compilers that these headers go with
SCALARS = {"float": 32, "cfloat": 64, "bfloat16": 16, "cbfloat16": 32, "accfloat": 32, "caccfloat": 64}
VECTOR = re.compile(
    r"\bv\d+(?:u?int\d+|c?float|bfloat16|cbfloat16|c?acc\d+|c?accfloat|cint\d+)(?:_sparse(?:_compress)?|_compress)?\b"
)
TAGS = ("acc16", "acc24", "acc32", "acc40", "acc48", "acc56", "acc64", "acc72", "acc80")
# names of modes and flags, which are numbers
CONSTANT = re.compile(r"\b(?:D?INTLV_\w+|T\d+_\d+x\d+\w*|OP_TERM_\w+|rnd_\w+|ZERO)\b")
UNDECLARED = (
    re.compile(r"no member named '(\w+)' in the global namespace"),
    re.compile(r"use of undeclared identifier '(\w+)'"),
)
PRODUCT = re.compile(r"(?:neg)?(?:mul|mac|msc|addmac|addmsc|submac|submsc)_(\d+)x(\d+)_(\d+)x(\d+)(_conf)?$")
ELEMENTWISE = re.compile(r"(?:neg)?(?:mul|mac|msc|addmac|addmsc)_elem_(\d+)(_2)?(_conf)?$")
SUMS = re.compile(r"(?:[lu]*)?(mul|mac|msc|negmul)(\d+)(?:_\w+)?$")


@dataclass
class Headers:
    """The public headers for one architecture, and where the declarations are written."""

    root: Path
    arch: int
    folder: Path

    @cached_property
    def text(self) -> str:
        """All headers that the architecture includes."""
        base = self.root / "include" / "aie_api"
        places = (base, base / "detail", base / "detail" / FOLDERS[self.arch], base / "adf")
        return "\n".join(f.read_text(encoding="utf-8") for p in places for f in sorted(p.glob("*.hpp")))

    @cached_property
    def vectors(self) -> tuple[str, ...]:
        """The names of the compiler's vectors."""
        return tuple(sorted(set(VECTOR.findall(self.text))))

    def compile(self, kernels: Mapping[str, str]) -> list[str]:
        """Return clang's errors for kernels, by their names; empty when all compile.

        All are one translation unit, each in a namespace of its own: the headers take longer than any kernel. Names that
        clang finds undeclared, and the headers call, are declared first.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        source = self.folder / "kernels.cc"
        source.write_text("\n".join(self._unit(kernels)), encoding="utf-8")
        while True:
            self._write()
            errors = self._clang(source)
            text = "\n".join(errors)
            missing = {
                n for pattern in UNDECLARED for n in pattern.findall(text) if n in self._calls
            } - self._names
            if not missing:
                return errors
            self._names |= missing

    def _unit(self, kernels: Mapping[str, str]) -> Iterator[str]:
        outside = set[str]()
        for file in (HERE / "prelude.h", self.folder / "intrinsics.h", HERE / "adf.h"):
            yield f'#include "{file}"'
        for text in kernels.values():
            outside |= set(re.findall(r"^#include <(\w+)>$", text, re.MULTILINE))
        yield from (f"#include <{name}>" for name in sorted(outside))
        for number, (name, text) in enumerate(kernels.items()):
            body = re.sub(r"^#(?:include <.*>|pragma once)$", "", text, flags=re.MULTILINE)
            yield from (
                f"#undef {guard}" for guard in re.findall(r"^#ifndef (\w+)\n#define \1$", text, re.MULTILINE)
            )
            yield f'namespace kernel_{number} {{\n#line 1 "{name}"\n{body}\n}}'

    @cached_property
    def _calls(self) -> set[str]:
        """All names that the headers call."""
        return set(re.findall(r"\b([a-z_]\w*)\s*\(", self.text))

    @cached_property
    def _names(self) -> set[str]:
        """The intrinsics: what is called in the global namespace, and values by the names of their vectors."""
        names = set(re.findall(r"(?<![\w>:])::([a-z_]\w*)\s*\(", self.text)) - {"std", "aie", "adf"}
        return names | set(re.findall(r"\b((?:undef|null)_v\w+)\(", self.text))

    def _clang(self, source: Path) -> list[str]:
        command = [
            "clang++", "-std=c++20", "-fsyntax-only", "-fdelayed-template-parsing", "-ferror-limit=200", "-w",
            "-Wno-c++11-narrowing", "-fno-caret-diagnostics", f"-D__AIE_ARCH__={self.arch}", "-D__chess__=1",
            f"-DSTUB_MODEL={MODELS[self.arch]}", f"-I{HERE}", f"-I{self.root / 'include'}", str(source),
        ]  # fmt: skip
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        found = [line for line in done.stderr.splitlines() if " error: " in line]
        return found or (done.stderr.splitlines() if done.returncode else [])

    def _write(self) -> None:
        names = self._names
        lines = list[str]()
        tags = TAGS if self.arch == 10 else TAGS[:-2]  # of the others the API makes tags of its own
        lines += [f"struct {'c' * c}{tag} {{}};" for tag in tags for c in (0, 1)]
        lines += ["struct accfloat {}; struct caccfloat {};"]
        for v in self.vectors:  # AIE's float sums are vectors [UG1079]
            plain = v.replace("caccfloat", "cfloat").replace("accfloat", "float") if self.arch == 10 else v
            lines.append(
                vector(v)
                if plain == v
                else f"{vector(plain) if plain not in self.vectors else ''} using {v} = {plain};"
            )
        lines.sort(key=lambda line: "using" in line)
        constants = sorted(
            {n for n in CONSTANT.findall(self.text)} | {n for n in names if CONSTANT.fullmatch(n)}
        )
        lines += [f"constexpr int {n} = {i};" for i, n in enumerate(constants)]
        lines += [d for n in sorted(names) if n not in constants for d in intrinsic(n, self.vectors)]
        (self.folder / "intrinsics.h").write_text("\n".join(["#pragma once", *lines, ""]), encoding="utf-8")


def inlined(file: Path, seen: set[Path] | None = None) -> str:
    """Return a source with the headers beside it in the place of their includes, each once."""
    done = set[Path]() if seen is None else seen
    done.add(file)

    def header(match: re.Match[str]) -> str:
        other = file.parent / match[1]
        return "" if other in done or other.name == "adf.h" else inlined(other, done)

    return re.sub(r'^#include "(.*)"$', header, file.read_text(encoding="utf-8"), flags=re.MULTILINE)


def bits_of(kind: str) -> int:
    """Return the width of an element, as in v16KIND."""
    plain = re.sub(r"_sparse_compress|_sparse|_compress", "", kind)
    if plain in SCALARS:
        return SCALARS[plain]
    found = re.fullmatch(r"(u|c)?(?:int|acc)(\d+)", plain)
    assert found, kind
    return int(found[2]) * (2 if found[1] == "c" else 1)


def vector(name: str) -> str:
    """Return the declaration of a vector of the compiler's."""
    found = re.fullmatch(r"v(\d+)(\w+)", name)
    assert found
    size = max(1, int(found[1]) * bits_of(found[2]) // 8)
    return (
        f"struct {name} {{ static constexpr unsigned stub_lanes = {found[1]}; unsigned char raw[{size}]; {name}() = default; "
        f"template <class A> requires(!stub::native_bytes<A>() || stub::native_bytes<A>() == {size}) explicit {name}(const A&); "
        "unsigned operator[](unsigned) const; };"
    )


def intrinsic(name: str, vectors: Sequence[str]) -> list[str]:
    """Return the declarations of an intrinsic: what its name tells of its types, else anything."""
    found = re.search(r"(?:^|_)(v\d+[a-z]+\d*\w*)$", name)
    result = next((v for v in _shorter(found[1]) if v in vectors), None) if found else None
    if result:
        return [_by_result(name, result)]
    for pattern, declared in ((PRODUCT, _product), (ELEMENTWISE, _elementwise), (SUMS, _sums)):
        if match := pattern.fullmatch(name):
            return declared(name, match)
    return [next(d for pattern, d in OTHERS if re.fullmatch(pattern, name)).format(name=name)]


def _by_result(name: str, result: str) -> str:
    """Declare what is named after the vector that it gives."""
    if name.startswith(("undef_", "null_")):
        return f"{result} {name}();"
    if name.startswith("extract_"):
        return f"template <class V, class... I> requires stub::part<V, {result}> {result} {name}(const V&, I...);"
    if name.startswith("set_"):
        return f"template <class P> requires stub::part<{result}, P> {result} {name}(int, const P&);"
    return f"template <class... A> {result} {name}(A&&...);"


# what other names tell, the first pattern that fits
OTHERS = (
    ("sincos", "// {name}: prelude.h"),
    ("insert|upd_[wvx]", "template <class V, class P> requires stub::part<V, P> std::remove_cvref_t<V> {name}(const V&, int, const P&);"),
    ("add|sub|neg", "template <class A, class... R> std::remove_cvref_t<A> {name}(A, R...);"),
    # of floats: as many lanes as the sums that they begin with [UG1078]
    ("fp(add|sub|mac|msc)(_\\w+)?", "template <class A, class... R> std::remove_cvref_t<A> {name}(A&&, R&&...);"),
    ("concat", "template <class A, class... R> std::conditional_t<stub::lanes<A>() == 0, stub::unknown, stub::some<stub::lanes<A>() * (1 + sizeof...(R))>> {name}(const A&, const R&...);"),
    ("acquire|release|sparse_\\w+|event\\d", "template <class... A> void {name}(A&&...);"),
    ("get_\\w+|as_uint\\w*|clb\\w*", "template <class... A> unsigned {name}(A&&...);"),
    ("\\w+", "template <class... A> stub::unknown {name}(A&&...);"),
)  # fmt: skip


def _shorter(name: str) -> Iterable[str]:
    """Yield a name, then it without its last part, and so on."""
    parts = name.split("_")
    return ("_".join(parts[:n]) for n in range(len(parts), 0, -1))


def _product(name: str, match: re.Match[str]) -> list[str]:
    """Declare a product of M x K by K x N: operands with or without their signs, then the sums that it adds to."""
    m, k, _, n = (int(match[i]) for i in range(1, 5))
    demands = f"requires stub::covers<A, {m * k}> && stub::covers<B, {k * n}>"
    more = ", class C, class... R" if not name.lstrip("neg").startswith("mul") else ", class... R"
    adds = f" && stub::has<C, {m * n}>" if "class C" in more else ""
    given, rest = (", const C&", ", R...") if adds else ("", ", R...")
    gives = "std::remove_cvref_t<C>" if adds else f"stub::some<{m * n}>"
    return [
        f"template <class A, class B{more}> {demands}{adds} {gives} {name}(const A&, const B&{given}{rest});",
        f"template <class A, class B{more}> {demands}{adds} {gives} {name}(const A&, bool, const B&, bool{given}{rest});",
    ]


def _elementwise(name: str, match: re.Match[str]) -> list[str]:
    """Declare a product of elements: its operands may be parts of wider ones, its sums are counted."""
    return [f"template <class... A> stub::some<{match[1]}> {name}(A&&...);"]


def _sums(name: str, match: re.Match[str]) -> list[str]:
    """Declare a product of AIE, whose number is that of its sums: a mac begins with them."""
    lanes = match[2]
    if match[1] in ("mac", "msc"):
        return [
            f"template <class C, class... A> requires stub::has<C, {lanes}> std::remove_cvref_t<C> {name}(const C&, A&&...);"
        ]
    return [f"template <class... A> stub::some<{lanes}> {name}(A&&...);"]
