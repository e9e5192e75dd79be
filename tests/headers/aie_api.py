"""The table of the AIE API for each architecture: one list of snippets, and declarations of what the real headers call of the compiler.

What these cannot tell: the types of intrinsics' arguments. A refusal that only they cause is told apart (`@doubt`).
"""

from __future__ import annotations

import subprocess
from pathlib import Path

from tests.headers.differ import HERE
from tests.headers.side import CXX
from tests.headers.table import Table, read_text
from tests.oracles.api import stubs

SNIPPETS = HERE / "tables" / "aie_api.snippets"
OURS = HERE.parents[1] / "scripts/aieloom/emulator/include"
API = Path(stubs.__file__).parent
FLAGS = "-std=c++20 -fdelayed-template-parsing -Wno-c++11-narrowing -D__chess__=1"
OPERATORS = "@include aie_api/operators.hpp\n"
DOUBT = "stub::|insert' is ambiguous|in the global namespace|unknown type name|T = acc64|subscript operator|::binary_op'"


class _Declared(stubs.Headers):
    """The headers, with what the snippets call declared; that snippets are refused does not matter here."""

    def _clang(self, source: Path) -> list[str]:
        flags = [*FLAGS.split(), f"-D__AIE_ARCH__={self.arch}", f"-DSTUB_MODEL={stubs.MODELS[self.arch]}"]
        shown = ["-fsyntax-only", "-ferror-limit=0", "-w", "-fno-caret-diagnostics"]
        command = [CXX, *flags, *shown, f"-I{API}", f"-I{self.root / 'include'}", str(source)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        return [line for line in done.stderr.splitlines() if " error: " in line]


def aie_table(arch: int, real: Path | None, folder: Path) -> Table:
    """Return the table for an architecture (10 or 20); `real` is the checkout of the AIE API, declarations go to `folder`."""
    text = SNIPPETS.read_text(encoding="utf-8")
    ours = f"""\
@ours -std=c++20 -D__AIE_ARCH__={arch} -I{OURS}
@only ours #include <aie_api/aie.hpp>
@only ours #include <aie_api/utils.hpp>
"""
    return read_text(
        f"aie{arch}", ours + (_real(arch, real, folder, text) if real else "") + OPERATORS + text, {}
    )


def _real(arch: int, real: Path, folder: Path, text: str) -> str:
    """Return what the table says of the real headers; write the declarations."""
    snippets = read_text("aie_api", text, {})
    globals_ = [line.removeprefix("@global ") for line in text.splitlines() if line.startswith("@global ")]
    functions = [s.function() for s in snippets.snippets]
    show = "template <class T> void differ_show();"
    _Declared(real, arch, folder).compile({"snippets": "\n".join([show, *globals_, *functions])})
    return f"""\
@real api {FLAGS} -D__AIE_ARCH__={arch} -DSTUB_MODEL={stubs.MODELS[arch]} -I{API} -I{real / "include"}
@only real #include "{API / "prelude.h"}"
@only real #include "{folder / "intrinsics.h"}"
@only real #include "{API / "adf.h"}"
@only real #include <aie_api/aie.hpp>
@only real #include <aie_api/utils.hpp>
@doubt {DOUBT}
"""
