"""What an object file defines and needs, and the jumps that stand for functions of other libraries.

A graph only declares its kernels' functions: their sources are compiled to libraries of their own, as the vendor
compiles each core's program apart. Each such function becomes a "slot", a jump through a table that the runtime
fills (src/kernels.cpp).
"""

from __future__ import annotations

import ctypes
import os
import platform
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache, lru_cache
from pathlib import Path

from aieloom.digests import digest_if_there
from aieloom.errors import ToolError

_LIBRARIES = ("libc.so.6", "libm.so.6", "libgcc_s.so.1", "libstdc++.so.6")
_STANDARD = (
    "_ZNSt",
    "_ZSt",
    "_ZNKSt",
    "_ZNVSt",
    "_ZNKRSt",
    "_Zna",
    "_Znw",
    "_Zda",
    "_Zdl",
    "_ZT",
    "_ZGV",
    "_ZN9__gnu_cxx",
)
_OWN = (
    "_ZN7aieloom",
    "_ZN3adf",
    "_ZN3aie",
    "_ZNK3adf",
    "_ZNK3aie",
    "_ZZN7aieloom",
    "_ZZN3adf",
    "_ZZN3aie",
    "_ZGVZN7aieloom",
)


@dataclass(frozen=True, slots=True)
class Symbols:
    """Symbols of an object: what it defines, what it needs, whether it has variables, what nobody else may define."""

    defined: frozenset[str]
    undefined: frozenset[str]
    has_variables: bool
    strong: frozenset[str] = frozenset()  # functions and variables that no other object may define too
    of_threads: frozenset[str] = frozenset()  # needed variables that are thread_local


@dataclass(frozen=True, slots=True)
class Kernel:
    """A kernel as the program lists it: the linker name of its function, or its class's function as written."""

    name: str
    source: str
    symbol: str
    is_class: bool
    init: str = ""
    headers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Object:
    """An object file as what nm says of it is remembered: by its bytes, wherever it lies."""

    digest: str
    file: Path = field(compare=False)


def read_symbols(obj: Path) -> Symbols:
    """Return the symbols of an object file, as nm lists them.

    Linking asks for those of each object many times, and many programs have the same ones: each content is read once.

    Raises:
        ToolError: nm is not there, or the file is no object.
    """
    return _listed(_Object(digest_if_there(obj), obj))


def said_by(*command: str) -> str:
    """Return what a program of binutils says of an object, in English.

    Raises:
        ToolError: it cannot read it.
    """
    environment = {**os.environ, "LC_ALL": "C"}
    done = subprocess.run(
        command, capture_output=True, text=True, errors="replace", check=False, env=environment
    )
    if done.returncode:
        first = (done.stderr.splitlines() or ["it says nothing"])[0]
        remedy = f"install binutils: {command[0]} belongs to every g++"
        raise ToolError(command=command, first_error=first, log=None, remedy=remedy)
    return done.stdout


@lru_cache(maxsize=512)
def _listed(obj: _Object) -> Symbols:
    said = said_by("nm", "--format=sysv", str(obj.file))
    defined, undefined, strong, of_threads, variables = set(), set(), set(), set(), False
    for line in said.splitlines():
        if line.count("|") < 6:  # a heading
            continue
        name, _, kind, what = (field.strip() for field in line.split("|")[:4])
        if kind in "Uw":
            undefined.add(name)
            if what == "TLS":
                of_threads.add(name)
        else:
            defined.add(name)
            if kind in "TDBR":
                strong.add(name)
            variables |= kind in "BbDdVu" and not name.startswith((*_OWN, "DW.", ".", "_ZTS", "_ZTI", "_ZTV"))
    return Symbols(
        frozenset(defined), frozenset(undefined), variables, frozenset(strong), frozenset(of_threads)
    )


def demangle(names: Iterable[str]) -> dict[str, str]:
    """Return the C++ spelling of linker names."""
    wanted = list(names)
    text = "\n".join(wanted)
    done = subprocess.run(("c++filt",), input=text, capture_output=True, text=True, check=False)
    plain = done.stdout.splitlines() if done.returncode == 0 else wanted
    return dict(zip(wanted, plain, strict=True))


@cache
def _system_libraries() -> tuple[ctypes.CDLL, ...]:
    found = []
    for name in _LIBRARIES:
        try:
            found.append(ctypes.CDLL(name))
        except OSError:
            continue
    return tuple(found)


def in_library(name: str) -> bool:
    """Tell whether a system's library has a symbol, or the compiler's own one does."""
    known = name.startswith(_STANDARD) if name.startswith("_Z") else name.startswith("_")
    return known or any(hasattr(library, name) for library in _system_libraries())


def slots_of(graph: Symbols, others: Iterable[Symbols]) -> tuple[str, ...]:
    """Return the functions that the graph needs and neither the program nor the system's libraries have."""
    known = frozenset().union(*(o.defined for o in others))
    return tuple(sorted(n for n in graph.undefined - known - graph.of_threads if not in_library(n)))


def arrays_of(graph: Symbols, others: Iterable[Symbols]) -> tuple[str, ...]:
    """Return the thread_local arrays of kernels that the graph names, as DSPLIB's buffers of transforms under __X86SIM__.

    A graph only says where such an array lies; the kernel's library has its own.
    """
    known = frozenset().union(*(o.defined for o in others))
    return tuple(sorted(graph.of_threads - known))


_JUMP = {
    "x86_64": "  movq aieloom_slots@GOTPCREL(%rip), %r11\n  movq (%r11), %r11\n  jmpq *{offset}(%r11)\n",
    "aarch64": "  adrp x16, :got:aieloom_slots\n  ldr x16, [x16, #:got_lo12:aieloom_slots]\n  ldr x16, [x16]\n"
    "  ldr x16, [x16, #{offset}]\n  br x16\n",
}
_MISSING = {
    "x86_64": "  movl ${number}, %edi\n  jmp aieloom_missing_function\n",
    "aarch64": "  mov w0, #{number}\n  b aieloom_missing_function\n",
}


def slot_source(slots: Iterable[str], arrays: Iterable[str] = ()) -> str:
    """Return the assembly of the jumps, the list of their names, and places for arrays that are named alone.

    Beside each jump stands what its table has where a kernel's source does not define the function: it says which one.

    Raises:
        ToolError: the machine is neither x86-64 nor 64-bit Arm.
    """
    machine = platform.machine()
    if machine not in _JUMP:
        what = f"programs of the emulator cannot be linked on {machine}"
        raise ToolError(
            command=("as",), first_error=what, log=None, remedy="use an x86-64 or aarch64 machine"
        )
    lines = [".text\n"]
    names = ['.section .data.rel.ro,"aw"\n.globl aieloom_slot_names\n.balign 8\naieloom_slot_names:\n']
    missing = [".globl aieloom_slot_missing\n.balign 8\naieloom_slot_missing:\n"]
    strings = [".section .rodata\n"]
    for i, name in enumerate(slots):
        jump = _JUMP[machine].format(offset=8 * i)
        lines.append(f".globl {name}\n.type {name}, %function\n{name}:\n{jump}.size {name}, .-{name}\n")
        lines.append(f".Lmissing{i}:\n{_MISSING[machine].format(number=i)}")
        names.append(f"  .quad .Lname{i}\n")
        missing.append(f"  .quad .Lmissing{i}\n")
        strings.append(f'.Lname{i}: .string "{name}"\n')
    names.append("  .quad 0\n")
    places = [f".globl {a}\n.type {a}, %tls_object\n{a}: .zero 32\n.size {a}, 32\n" for a in arrays]
    places = ['.section .tbss,"awT",%nobits\n.balign 32\n', *places] if places else []
    return "".join([*lines, *names, *missing, *strings, *places, '.section .note.GNU-stack,"",%progbits\n'])
