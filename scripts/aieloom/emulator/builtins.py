"""Names that the vendor's kernel compiler knows without any include: native vector types and intrinsics [UG1078].

Published kernels include adf.h alone and use v16cint16 or mul4. A source that uses such names, itself or through
a header of the project's, is compiled with the emulator's intrinsics in front; every other one must include what it
uses, as with the vendor.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from aieloom.emulator.pl_source import uncommented

HEADER = "aie_api/aie.hpp"
_NAMES = re.compile(
    r"\b(?:(?:null_|undef_|as_)?v\d+(?:u?int\d+|cint\d+|c?float|c?acc\d+|accfloat|bfloat16)"
    r"|get(?:u?b|lc?|fc?|c)?_wss|put_wms|getl?c?_scd|put_mcd|(?:ext|upd)_(?:elem|v|w|x|lo|hi)|fpm(?:ac|ul|sc)\w*"
    r"|fp(?:shuffle|select|add|sub|max|min|neg|abs)\w*|l?(?:mul|mac|msc)(?:2|4|8|16)\w*|[xyw]set_[vwx]"
    r"|set_rnd|set_sat|l?ups|[lbu]*srs)\b"
)
_INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.MULTILINE)


def builtin_names(source: Path, folders: Sequence[Path]) -> tuple[str, ...]:
    """Return the compiler's options for a unit: the intrinsics in front where it uses them without an include."""
    text = project_text(source, folders)
    if "aie_api/" in text or not _NAMES.search(text):
        return ()
    return ("-include", HEADER)


def kernel_names(source: Path, folders: Sequence[Path]) -> tuple[str, ...]:
    """Return the same for a kernel's source, which the vendor's compiler calls from a file that includes adf.h."""
    needs = "adf.h" not in project_text(source, folders)
    return (*(("-include", "adf.h") if needs else ()), *builtin_names(source, folders))


def project_text(source: Path, folders: Sequence[Path]) -> str:
    """Return a source with the project's own headers, each once, without comments."""
    seen: set[Path] = set()
    parts: list[str] = []
    open_files = [source]
    while open_files:
        path = open_files.pop()
        if path in seen or not path.is_file():
            continue
        seen.add(path)
        text, included = _scan(path.read_text(encoding="utf-8", errors="replace"))
        parts.append(text)
        for name in included:
            places = (f / name for f in (path.parent, *folders))
            found = next((p for p in places if p.is_file()), None)
            open_files += [found.resolve()] if found else []
    return "\n".join(parts)


@lru_cache(maxsize=256)
def _scan(whole: str) -> tuple[str, tuple[str, ...]]:
    """Return a file's text without comments, and what it includes by quotes."""
    text = uncommented(whole)
    return text, tuple(_INCLUDE.findall(text))
