"""Names that a source uses and aieloom's headers do not have: what to do is not always to correct the source.

A name in one of the vendor's namespaces may be the vendor's own, which aieloom lacks, or a slip; only a list of all that was
ever published could tell, so the remedy says both. Of a name without a namespace, one of them is open where the source says
`using namespace`.
"""

from __future__ import annotations

import re
from pathlib import Path

from aieloom.paths import package_folder

_OURS = "adf|aie|hls|xrt"
_OWNED = tuple(
    re.compile(pattern)
    for pattern in (
        rf"'(?P<name>\w+)' is not a member of '(?P<owner>(?:{_OURS})\b[^']*)'",
        rf"no (?:member|template|type) named '(?P<name>\w+)' in (?:namespace )?'(?P<owner>(?:{_OURS})\b[^']*)'",
        rf"'(?P<name>\w+)' in (?:namespace|class|struct) '(?P<owner>(?:{_OURS})\b[^']*)' does not name",
        rf"'(?P<owner>{_OURS})::(?P<name>\w+(?:::\w+)*)' has not been declared",
        rf"'(?:const )?(?:class |struct )?(?P<owner>(?:{_OURS})::[^']*)'(?: \{{aka [^}}]*\}})?"
        r" has no member named '(?P<name>\w+)'",
    )
)
_BARE = re.compile(
    r"'(\w+)' was not declared in this scope|use of undeclared identifier '(\w+)'|'(\w+)' does not name a type"
)
_CALL = re.compile(r"no matching function for call to '(?:[\w:]*::)?(\w+)")
_USING = re.compile(rf"\busing\s+namespace\s+({_OURS})\s*;")
_AT = re.compile(r"^(.+?):\d+:\d+: ")


def remedy_of(error: str, log: Path) -> str | None:
    """Return what to do about a compiler's first error where aieloom may lack what it is about, or nothing."""
    said = error.replace("\u2018", "'").replace("\u2019", "'")
    for pattern in _OWNED:
        if found := pattern.search(said):
            owner = found["owner"].partition("<")[0]  # without the arguments of a template
            return _remedy(f"have no {owner}::{found['name']}")
    if found := _BARE.search(said):
        name, opened = next(n for n in found.groups() if n), _opened(said)
        return (
            _remedy(f"have no {' and no '.join(f'{space}::{name}' for space in opened)}") if opened else None
        )
    found = _CALL.search(said)
    if found and f"{package_folder() / 'include'}" in _candidates(said, log):
        return _remedy(f"have no {found[1]} that takes this")
    return None


def _remedy(what: str) -> str:
    return f"aieloom's headers {what}: where AMD documents it, aieloom lacks it, report it; else correct the source"


def _opened(error: str) -> list[str]:
    """Return the namespaces that the file of an error opens."""
    at = _AT.match(error)
    if at is None or not Path(at[1]).is_file():
        return []
    return sorted(set(_USING.findall(Path(at[1]).read_text(encoding="utf-8", errors="replace"))))


def _candidates(error: str, log: Path) -> str:
    """Return the candidates that g++ and clang list behind an error."""
    text = log.read_text(encoding="utf-8", errors="replace").replace("\u2018", "'").replace("\u2019", "'")
    behind = text.partition(error.partition(": error: ")[2])[2]
    lines = [line for line in behind.split(": error: ", 1)[0].splitlines() if ": note: candidate" in line]
    return "\n".join(lines)
