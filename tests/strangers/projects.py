"""Other people's graphs: where each is, how it is run, what its output is compared with.

table.yaml names public repositories; nothing of theirs is here. A folder of checkouts, OWNER/NAME below it, is named by
AIELOOM_STRANGERS; without it nothing of this suite runs.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

TABLE = Path(__file__).parent / "table.yaml"
VARIABLE = "AIELOOM_STRANGERS"
# What projects expect where the vendor's tools are installed (DSPLIB_ROOT, DSPLIB_VITIS): a public copy, and its folders.
LIBRARIES = {
    "dsplib": (
        "yucj1213/ccc_FFT/Vitis_Libraries/dsp",
        (
            "L1/include/aie",
            "L1/src/aie",
            "L1/tests/aie/inc",
            "L1/tests/aie/src",
            "L2/include/aie",
            "L2/tests/aie/common/inc",
        ),
    ),
    "dsplib-2023": (
        "prkrmx/Vitis_Libraries/dsp",
        (
            "L1/include/aie",
            "L1/src/aie",
            "L1/tests/aie/inc",
            "L1/tests/aie/src",
            "L2/include/aie",
            "L2/tests/aie/common/inc",
        ),
    ),
    "vision-2023": (
        "prkrmx/Vitis_Libraries/vision",
        ("L1/include", "L1/include/aie", "L2/include", "L2/include/aie", "L1/src", "L1/src/aie"),
    ),
    "ultrasound-2023": (
        "prkrmx/Vitis_Libraries/ultrasound",
        (
            "L1/include",
            "L2/include",
            *(
                f"L1/include/{n}"
                for n in ("absV", "diffMV", "norm_axis_1", "outer", "sqrtV", "tileV", "sum_axis_1", "mulMM")
            ),
            "L1/include/reciprocalV",
            "L1/include/lessOrEqualThanS",
        ),
    ),
    "solver-2023": (
        "prkrmx/Vitis_Libraries/solver",
        ("L1/include/aie", "L2/include/aie", "L1/src/aie"),
    ),
    "dsplib-2024": ("AkshayMalige/rtda_demo/dsp_lib", ("L1/include/aie", "L1/src/aie", "L2/include/aie")),
}


@dataclass(frozen=True, kw_only=True)
class Stranger:
    """One graph of somebody's repository."""

    repository: str
    commit: str
    graph: str  # from the repository's root
    folder: str  # where the command is given
    project: str  # what is copied, so that nothing is written into the checkout
    arguments: tuple[str, ...]
    compare: Mapping[str, str]  # an output file's name to a file of the repository's, from `folder`
    by_shape: str  # a folder of files that the outputs' names lead to, see compare.py
    without: Mapping[str, str]  # outputs that are not compared, each with the reason
    tolerance: float  # of a number's value, for floats
    steps: int  # by how much integers may differ, where AMD's own two simulators differ
    prints: str  # what it must say, where it compares by itself
    refused: str  # part of the message that refuses it
    why: str  # why that is right, or why numbers may differ, in a sentence
    copies: Mapping[str, str]  # files that its README has the user copy, target to source, from `folder`
    library: str  # of LIBRARIES, that it expects to be installed
    prepare: tuple[str, ...]  # shell commands of its README or Makefile that make its data, given in `folder`
    check: tuple[str, ...]  # shell commands of its Makefile that compare what was written, given in `folder`
    label: str  # what tells it from other designs that the same generator writes into the same file
    whole: bool  # graph, logic and host by `--project .`, in `folder`, not the graph alone
    reference: str  # a function of references.py that says what it computes, where its author keeps no output

    @property
    def name(self) -> str:
        """Return a name of its own in the suite."""
        extra = "".join(f" {a}" for a in self.arguments if a.startswith("-D"))
        label = self.label or ("whole system" if self.whole else "")
        return f"{self.repository}/{self.graph}{extra}{label and ': ' + label}"


def library_arguments(stranger: Stranger, folder: Path) -> tuple[str, ...]:
    """Return the include folders of the library that a project expects to be installed."""
    if not stranger.library:
        return ()
    root, parts = LIBRARIES[stranger.library]
    return tuple(word for part in parts for word in ("-I", str(folder / root / part)))


def checkouts() -> Path | None:
    """Return the folder of checkouts, if the user has one."""
    named = os.environ.get(VARIABLE)
    return Path(named) if named else None


def strangers() -> tuple[Stranger, ...]:
    """Return the table's rows in order."""
    found: list[Stranger] = []
    for repository in yaml.safe_load(TABLE.read_text(encoding="utf-8")):
        found += [_row(repository, row) for row in repository["graphs"]]
    return tuple(found)


def _row(repository: Mapping[str, Any], row: Mapping[str, Any]) -> Stranger:
    def place(path: str) -> str:
        return str(Path(str(repository.get("base", ""))) / path)

    graph = place(row["graph"])
    default = str(Path(graph).parent.parent)
    folder = place(row["folder"]) if "folder" in row else default
    words = str(row.get("args", repository.get("args", "")))
    arch = str(row.get("arch", repository.get("arch", "aie")))
    return Stranger(
        repository=repository["repository"],
        commit=repository["commit"],
        graph=graph,
        folder=folder,
        project=place(row["project"]) if "project" in row else folder,
        arguments=tuple(shlex.split(str(row.get("args", ""))))
        if row.get("whole")
        else ("--arch", arch, *shlex.split(words)),
        compare=row.get("compare", {}),
        by_shape=str(row.get("by_shape", repository.get("by_shape", ""))),
        without=row.get("without", {}),
        tolerance=float(row.get("tolerance", repository.get("tolerance", 0))),
        steps=int(row.get("steps", 0)),
        prints=str(row.get("prints", "")),
        refused=str(row.get("refused", "")),
        why=str(row.get("why", "")),
        copies=row.get("copies", {}),
        library=str(row.get("library", repository.get("library", ""))),
        prepare=tuple(row.get("prepare", ())),
        check=tuple(row.get("check", ())),
        label=str(row.get("label", "")),
        whole=bool(row.get("whole", False)),
        reference=str(row.get("reference", "")),
    )
