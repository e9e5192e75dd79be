"""The archive of a first contact: the comparison, the plans and the tools' reports and logs, with nothing of the user's.

There are no sources, weights and samples in it, and no path, user or host of the machine.
"""

from __future__ import annotations

import getpass
import json
import os
import platform
import re
import socket
import tarfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from io import BytesIO
from pathlib import Path

from aieloom.flow.first_contact import Contact
from aieloom.version import __version__
from aieloom.vitis.loops import loops_of_core

ARCHIVE = "aieloom-first-contact.tar.gz"
MODEL = "plan.json"
# What the tools leave that tells how they judged a design; nothing that holds sources, tensors or samples.
KEPT = (
    "report/aie.json",
    "vitis/aiecom/Work/reports/*.txt",
    "vitis/aiecom/Work/reports/*.json",
    "vitis/aiecom/Work/*.aiecompile_summary",
    "vitis/aiesim/**/profile_funct_*",
    "vitis/**/*csynth.xml",
    "vitis/**/*csynth.rpt",
    "vitis/**/*hls_compile.rpt",
    "vitis/**/*timing_summary*.rpt",
    "vitis/**/*util_routed.rpt",
    "vitis/**/log.txt",
    "vitis/**/*.log",
)
CORES = "vitis/aiecom/Work/aie"
OF_A_CORE = ("*.log", "Release/*.lst", "Release/*.map")  # the compiler's report, microcode, memories
MOST_BYTES = 4_000_000  # of a file: longer ones are cut
_PATH = re.compile(r"(?<![\w.<])(?:~|/[\w.+@%~-]+)(?:/[\w.+@%~=-]+)+|[A-Z]:\\[^\s\"']+")


def write_archive(contacts: Sequence[Contact], out: Path, tools: Mapping[str, object]) -> Path:
    """Write the archive; return it. Its texts have no path, user or host of this machine."""
    about = {
        "aieloom": __version__,
        "python": platform.python_version(),
        "tools": tools,
        "projects": [asdict(c) for c in contacts],
    }
    lines = "\n".join(line.text for c in contacts for line in c.lines) + "\n"
    file = out / ARCHIVE
    with tarfile.open(file, "w:gz") as archive:
        _add(archive, "comparison.json", json.dumps(about, indent=1, default=str))
        _add(archive, "comparison.txt", lines)
        for c in contacts:
            build = out / c.folder
            kept = {p for pattern in (MODEL, *KEPT) for p in build.glob(pattern) if p.is_file()}
            for path in sorted({*kept, *_of_cores(build / CORES)}):
                text = path.read_bytes()[:MOST_BYTES].decode("utf-8", "replace")
                _add(archive, f"{c.project}/{path.relative_to(build).as_posix()}", text)
    return file


def _of_cores(folder: Path) -> Iterator[Path]:
    """Yield what the compiler tells of cores: of each program once, however many cores have it."""
    seen = set()
    for core in sorted(folder.glob("*_*")):
        loops = loops_of_core(folder.parent, (int(core.name.split("_")[0]), int(core.name.split("_")[1])))
        if loops not in seen:
            seen.add(loops)
            yield from (p for pattern in OF_A_CORE for p in core.glob(pattern) if p.is_file())


def _add(archive: tarfile.TarFile, name: str, text: str) -> None:
    data = without_paths(text).encode()
    entry = tarfile.TarInfo(f"first-contact/{name}")
    entry.size = len(data)  # no owner and no date
    archive.addfile(entry, BytesIO(data))


def without_paths(text: str) -> str:
    """Return a text in which absolute paths are their last part alone, and this user and host are not named."""
    text = _PATH.sub(lambda m: "<path>/" + re.split(r"[/\\]", m[0])[-1], text)
    for word, instead in ((getpass.getuser(), "<user>"), (socket.gethostname(), "<host>")):
        if len(word) > 2:
            text = re.sub(rf"(?<!\w){re.escape(word)}(?!\w)", instead, text)
    licence = os.environ.get("XILINXD_LICENSE_FILE", "")
    return text.replace(licence, "<licence>") if licence else text
