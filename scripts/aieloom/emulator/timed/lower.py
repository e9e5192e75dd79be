"""A kernel's source as LLVM IR in which the functions of the API are operations: calls without bodies.

1. clang compiles the source against the emulator's headers; nothing is optimised.
2. Functions of the headers that do not call the user's code (as unroll_for does) are the operations. Optimised with
   their bodies, they say what LLVM found out about them (which operands are read, written, kept) and what they count:
   core_state.h's calls with constant arguments.
3. Without their bodies the user's code is optimised around them as the vendor's compiler would: inlined, scalars in
   registers, loops with few trips unrolled.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from aieloom.emulator.compiler import run_tool
from aieloom.emulator.timed.module import Definition, Module, function_of, reaching
from aieloom.emulator.timed.pointers import OBJECT
from aieloom.errors import ToolError
from aieloom.paths import package_folder
from aieloom.schedule.loops import FEW_TRIPS

_REMEDY = "install clang 14 with its tools: apt-get install clang-14 llvm-14"
_REFUSED = "correct the source: clang, and so the vendor's compiler, refuses it"
_OPTIONS = (
    "-std=c++20",
    "-ffp-contract=off",
    "-fPIC",
    "-fno-exceptions",
    "-gline-tables-only",
    "-w",
    "-O2",
    "-Xclang",
    "-disable-llvm-passes",
)
_NO_VECTORS = ("-vectorize-loops=0", "-vectorize-slp=0")  # the user's scalars stay scalars
# Loops of at most 8 trips and little in them are unrolled when nothing is said of them (_unrolling() of those marked).
_UNROLLING = (
    "-unroll-runtime=0",
    "-unroll-allow-partial=0",
    "-unroll-threshold=400",
    "-unroll-full-max-count=8",
)
# Loops are left as they were tested: `k < 36` says how often it runs, an end that another loop moves along does not.
# A block of its own on the way back, for an iterator's next load, would take the loop's marks and make it two blocks.
_WAY_BACK = "--enable-split-backedge-in-load-pre=false"
_LOOPS = (*_NO_VECTORS, "-disable-loop-idiom-all", "-disable-lftr", _WAY_BACK, *_UNROLLING)
_COUNTER = re.compile(r"call void @aieloom_count_(\w+)\(([^)]*)\)")
_MARK = re.compile(r"call (?:zeroext |noundef )*i1 @aieloom_mark_(\w+)\(([^)]*)\)")
_ARRAY = re.compile(r"^(@.* (?:global|constant) \[.*, align )(?:1|2|4|8|16)\b", re.MULTILINE)
_ALIGNED = 32  # bytes: where g++ puts arrays of that size, and AMD's programs load vectors from [XD100, z-score normalization]
# clang 14 refuses what later ones, and so the vendor's, and g++ take: alignas behind an attribute of GNU.
_ATTRIBUTE_FIRST = re.compile(r"(__attribute__\s*\(\([^;={}]*?\)\))(\s*)(alignas\s*\([^()]*\))")
_OWN_MEMORY = "nounwind willreturn inaccessiblemem_or_argmemonly"
_ANY_MEMORY = "nounwind willreturn"
_ELSEWHERE = re.compile(
    r"iterator|^_ZNK?3adf|buffer|^_ZNK?7aieloom"
)  # what reads memory that its operands only point to


@dataclass(frozen=True, slots=True)
class Clang:
    """The two programs; of one version, because the text between them is that version's."""

    clang: str
    opt: str
    link: str


@cache
def find_clang() -> Clang:
    """Return clang 14 and the tools that stand beside it; later ones write another text (opaque pointers).

    Raises:
        ToolError: one of them is not there.
    """
    for name in ("clang-14", "clang"):
        path = shutil.which(name)
        if not path:
            continue
        folder = Path(path).resolve().parent
        found = [shutil.which(tool, path=str(folder)) for tool in ("opt", "llvm-link")]
        if all(found) and _is_14(path):
            return Clang(path, str(found[0]), str(found[1]))
    seen = shutil.which("clang-14") or shutil.which("clang") or "no clang"
    what = f"there is no clang 14 with opt and llvm-link, from which --timed takes the kernels' code: {seen} is found"
    raise ToolError(command=("clang-14", "--version"), first_error=what, log=None, remedy=_REMEDY)


def _is_14(path: str) -> bool:
    shown = subprocess.run((path, "--version"), capture_output=True, text=True, check=False).stdout
    return bool(re.search(r"version 14\.", shown))


@dataclass(frozen=True, slots=True)
class Fact:
    """What the emulator's own definition of an operation counts, and how it takes its operands."""

    head: str
    counts: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Lowered:
    """A source: the optimised text of its own code, and the facts of the operations that it calls."""

    text: str
    facts: Mapping[str, Fact]


def read_source(source: Path, options: Sequence[str], folder: Path, name: str) -> Path:
    """Compile a source of kernels without optimisation; `options` are folders of headers and macros.

    Raises:
        ToolError: clang is missing, or refuses the source.
    """
    whole = folder / f"{name}.whole.ll"
    command = [
        find_clang().clang,
        "-x",
        "c++",
        *_OPTIONS,
        *options,
        *_in_order(source, folder / name),
        "-S",
        "-emit-llvm",
        str(source),
        "-o",
        str(whole),
    ]
    run_tool(command, folder / f"{name}.clang.log", remedy=_REFUSED)
    text = whole.read_text(encoding="utf-8")
    whole.write_text(_ARRAY.sub(rf"\g<1>{_ALIGNED}", text), encoding="utf-8")
    return whole


def _in_order(source: Path, place: Path) -> tuple[str, ...]:
    """Return the options by which clang reads a source with alignas before attributes of GNU, where it has any."""
    text = source.read_text(encoding="utf-8", errors="surrogateescape")
    swapped = _ATTRIBUTE_FIRST.sub(r"\3\2\1", text)
    if swapped == text:
        return ()
    own, overlay = Path(f"{place}.in_order.cc"), Path(f"{place}.overlay.json")
    own.write_text(swapped, encoding="utf-8", errors="surrogateescape")
    entry = {"name": str(source.resolve()), "type": "file", "external-contents": str(own.resolve())}
    overlay.write_text(
        json.dumps({"version": 0, "use-external-names": False, "roots": [entry]}), encoding="utf-8"
    )
    return ("-ivfsoverlay", str(overlay))


def lower(whole: Path, folder: Path, name: str, kept: frozenset[str] = frozenset()) -> Lowered:
    """Take the operations' bodies out of a module and optimise what is left.

    Args:
        whole: what read_source() made.
        folder: where files are left.
        name: what they are called.
        kept: functions in which short loops stay loops.

    Raises:
        ToolError: LLVM refuses what was made.
    """
    tools, module = find_clang(), Module(whole.read_text(encoding="utf-8"))
    facts = _facts(module, tools, folder / name)
    opaque, target = folder / f"{name}.opaque.ll", folder / f"{name}.ll"
    opaque.write_text(_opaque(module, facts, kept), encoding="utf-8")
    command = [tools.opt, "-O2", *_LOOPS, "-S", str(opaque), "-o", str(target)]
    run_tool(command, folder / f"{name}.opt.log", remedy=_REFUSED)
    return Lowered(target.read_text(encoding="utf-8"), facts)


def _operations(module: Module) -> tuple[frozenset[str], frozenset[str]]:
    """Return the headers' functions that call nothing of the user's, and those of them that the user's code calls."""
    own = str(package_folder() / "include")
    users = frozenset(
        n
        for n, d in module.definitions.items()
        if not module.file_of(d).startswith(own) and not _is_std(module, d)
    )
    inside = reaching(module, users)
    all_own = frozenset(
        n for n, d in module.definitions.items() if n not in inside and module.file_of(d).startswith(own)
    )
    called = frozenset(c for n, d in module.definitions.items() if n not in all_own for c in d.calls)
    return all_own - called, all_own & called


def _is_std(module: Module, definition: Definition) -> bool:
    file = module.file_of(definition)
    return "/c++/" in file or file.startswith("/usr/lib")


def _facts(module: Module, tools: Clang, place: Path) -> dict[str, Fact]:
    inner, operations = _operations(module)
    exported = {n: module.definitions[n].as_exported("noinline") for n in operations}
    inlined = {
        n: module.definitions[n].with_attribute("alwaysinline") for n in inner if _may_inline(module, n)
    }
    source, target = Path(f"{place}.facts.in.ll"), Path(f"{place}.facts.ll")
    source.write_text(module.rewritten({**exported, **inlined}), encoding="utf-8")
    command = [tools.opt, "-O2", *_NO_VECTORS, "-S", str(source), "-o", str(target)]
    run_tool(command, Path(f"{place}.facts.log"), remedy=_REFUSED)
    done = Module(target.read_text(encoding="utf-8"))
    return {n: _fact(done.definitions.get(n, module.definitions[n])) for n in operations}


def _fact(definition: Definition) -> Fact:
    counts: dict[str, int] = {}
    for line in definition.body:
        found = _COUNTER.search(line)
        number = re.search(r"i32 (?:noundef )?(\d+)", found[2]) if found else None
        if found and number:
            counts[found[1]] = counts.get(found[1], 0) + int(number[1])
    return Fact(definition.plain_head(), counts)


def _opaque(module: Module, facts: Mapping[str, Fact], kept: frozenset[str]) -> str:
    changes: dict[str, Definition | str] = {}
    for name, definition in module.definitions.items():
        if name in facts:
            changes[name] = _declared(name, facts[name])
        elif _may_inline(module, name):
            inlined = definition.with_attribute("alwaysinline")
            changes[name] = inlined.with_objects(OBJECT) if module.callers.get(name) else inlined
    return _with_loop_marks(module.rewritten(changes, _objects(changes.values())), kept)


def _objects(changes: Iterable[Definition | str]) -> list[str]:
    """Return the declarations of the functions that restricted pointers go through: one for each kind of number."""
    found = {k for c in changes for k in re.findall(rf"@{OBJECT}(\w+)\(", str(c))}
    return [
        f"declare {k}* @{OBJECT}{k}({k}*) nounwind readnone willreturn speculatable" for k in sorted(found)
    ]


def _declared(name: str, fact: Fact) -> str:
    memory = _ANY_MEMORY if _ELSEWHERE.search(name) else _OWN_MEMORY
    return re.sub(r"^define ", "declare ", re.sub(r" #\d+", "", fact.head)) + f" {memory}"


def _may_inline(module: Module, name: str) -> bool:
    """Whether a function may stand where it is called: it says nothing else, and does not call itself."""
    calls = module.definitions[name].calls
    return not module.is_kept_apart(module.definitions[name]) and not (
        reaching(module, frozenset({name})) & calls
    )


_LATCH = r"^(  br label %{label},.*!llvm\.loop !)(\d+)"


def _with_loop_marks(text: str, kept: frozenset[str]) -> str:
    """Turn the marks that chess_*() left in loops' bodies into properties of the loops, which optimisation keeps."""
    added: list[str] = []
    numbers = iter(range(10_000_000, 20_000_000))
    parts = re.split(r"(?m)(?=^define )", text)
    pipelined = _with_pipelines(parts)
    functions = [
        _marked(part, numbers, added, pipelined, keeps=function_of(part) in kept)
        if _MARK.search(part) or function_of(part) in pipelined
        else part
        for part in parts
    ]
    return "".join(functions) + "\n".join([*added, ""])


_CALLED = re.compile(r"\b(?:call|invoke) [^@]*@([\w.$]+)\(")


def _with_pipelines(parts: Sequence[str]) -> frozenset[str]:
    """Return the functions in which a loop is marked for pipelining, in what they call too."""
    defined = [part for part in parts if part.startswith("define ")]
    calls = {function_of(part): frozenset(_CALLED.findall(part)) for part in defined}
    found = {function_of(part) for part in defined if "@aieloom_mark_pipeline(" in part}
    while more := {name for name, of in calls.items() if of & found} - found:
        found |= more
    return frozenset(found)


_PROPERTIES = {
    "pipeline": '!{{!"aieloom.pipelined", i32 {n}}}',
    "whole": '!{{!"llvm.loop.unroll.disable"}}',
    "range": '!{{!"aieloom.range", i32 {n}}}',
    "flatten": '!{{!"llvm.loop.unroll.full"}}',
    "unroll": '!{{!"llvm.loop.unroll.count", i32 {n}}}',
}


def _marked(
    text: str, numbers: Iterator[int], added: list[str], pipelined_calls: frozenset[str], *, keeps: bool
) -> str:
    lines = text.splitlines(keepends=True)
    headers: dict[str, list[tuple[str, str]]] = {}
    for i, line in enumerate(lines):
        found = _MARK.search(line)
        if found:
            number = re.findall(r"-?\d+$", found[2])
            headers.setdefault(_loop_of(lines, i), []).append((found[1], number[0] if number else "0"))
            lines[i] = _MARK.sub("or i1 true, false", line)
            lines[i] = re.sub(r" #\d+", "", lines[i])
    plain = "".join(lines)
    pipelined = [label for label, marks in headers.items() if "pipeline" in dict(marks)]
    flattened = [label for label, marks in headers.items() if "flatten" in dict(marks)]
    innermost = frozenset() if keeps else _innermost(plain, [*pipelined, *flattened])
    for label, marks in headers.items():
        marks.extend(_unrolling(dict(marks), is_innermost=label in innermost))
    stays = [
        label for label, marks in headers.items() if "pipeline" in dict(marks) and "whole" in dict(marks)
    ]
    for label in _around(plain, stays, pipelined_calls):
        marks = headers.setdefault(label, [])
        if not {"whole", "flatten", "unroll"} & dict(marks).keys():
            marks.append(("whole", "0"))
    return _with_properties(plain, headers, numbers, added)


def _loop_of(lines: Sequence[str], at: int) -> str:
    """Return the label of the loop's first block: that before the block which holds the mark, further up through marks."""
    while True:
        while not re.match(r"^[\w.$-]+:", lines[at]):
            at -= 1
        before = re.search(r"; preds = %([\w.$-]+)", lines[at])
        if not before:
            return ""
        label = before[1]
        places = [i for i, line in enumerate(lines) if line.startswith(f"{label}:")]
        if not places or any(re.match(_LATCH.format(label=re.escape(label)), line) for line in lines):
            return label
        at = places[0]


def _unrolling(marks: Mapping[str, str], *, is_innermost: bool) -> list[tuple[str, str]]:
    """Return what follows for a loop that is marked for pipelining.

    It stays a loop, unless it is the innermost marked one and its trips are too few to fill a pipeline. One around a loop that
    the source flattens is the pipeline that the source asks for [UG1079 Loop Flattening and Unrolling], however few its trips.
    """
    if "pipeline" not in marks or {"flatten", "unroll"} & marks.keys():
        return []
    is_short = is_innermost and 0 < int(marks.get("range", "0")) <= FEW_TRIPS
    return [("flatten" if is_short else "whole", "0")]


def _innermost(text: str, labels: Sequence[str]) -> frozenset[str]:
    """Return the loops, by their first blocks, that hold none of the others; a loop reaches from there to its latch."""
    spans = {}
    for label in filter(None, labels):
        begin = re.search(rf"^{re.escape(label)}:", text, re.MULTILINE)
        end = re.search(_LATCH.format(label=re.escape(label)), text, re.MULTILINE)
        if begin and end:
            spans[label] = begin.start(), end.start()
    return frozenset(
        label
        for label, (a, b) in spans.items()
        if not any(a < c < b for other, (c, _) in spans.items() if other != label)
    )


def _around(text: str, labels: Sequence[str], calls: frozenset[str]) -> list[str]:
    """Return the loops, by their first blocks, that hold one that stays, or a call of a function with one.

    The compiler unrolls for the sake of schedules; a loop around one that is pipelined has no schedule of its own to gain.
    """
    at = {m[1]: m.start() for m in re.finditer(r"(?m)^([\w.$-]+):", text)}
    places = [at[label] for label in labels if label in at]
    places += [m.start() for m in _CALLED.finditer(text) if m[1] in calls]
    found = []
    for latch in re.finditer(r"(?m)^  br label %([\w.$-]+),.*!llvm\.loop !\d+", text):
        begin = at.get(latch[1], latch.end())
        if latch[1] not in labels and any(begin < place < latch.start() for place in places):
            found.append(latch[1])
    return found


def _with_properties(
    text: str, headers: Mapping[str, Sequence[tuple[str, str]]], numbers: Iterator[int], added: list[str]
) -> str:
    for label, marks in headers.items():
        found = re.search(_LATCH.format(label=re.escape(label)), text, re.MULTILINE) if label else None
        if not found:
            continue
        loop = next(numbers)
        nodes = []
        for kind, n in marks:
            node = next(numbers)
            added.append(f"!{node} = {_PROPERTIES[kind].format(n=n)}")
            nodes.append(f", !{node}")
        added.append(f"!{loop} = distinct !{{!{loop}{''.join(nodes)}}}")
        text = f"{text[: found.start(2)]}{loop}{text[found.end(2) :]}"
    return text
