"""A compiler for many builds, and another definition of what an object depends on: the preprocessed text and the options.

As a program it takes g++'s words. It keeps objects below $EDITS_OBJECTS (which may be kept between campaigns), and gives what it links a mark, by which results of
one compiler differ from those of another.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

GXX = "g++"


def main(words: list[str], mark: int) -> int:
    """Compile, link, or whatever else the words ask for."""
    if "-c" not in words:
        return subprocess.run(
            [GXX, *words, *([f"-Wl,--build-id=0x{mark:02x}"] if "-o" in words else [])], check=False
        ).returncode
    words = ["-O0" if w in {"-O3", "-O1", "-Og"} else w for w in words]  # compiled more often than run
    target = Path(words[words.index("-o") + 1])
    text = subprocess.run(
        [GXX, "-E", "-P", *(w for w in words if w not in {"-c", "-o", str(target)})],
        capture_output=True,
        check=False,
    )
    if text.returncode:
        return subprocess.run([GXX, *words], check=False).returncode
    options = [w for w in words if w.startswith("-") and not w.startswith("-I")]
    key = hashlib.sha256(repr(options).encode() + text.stdout).hexdigest()
    kept = Path(os.environ["EDITS_OBJECTS"]) / f"{key}.o"
    if kept.is_file():
        shutil.copyfile(kept, target)
        return 0
    code = subprocess.run([GXX, *words], check=False).returncode
    if code == 0:
        whole = kept.with_suffix(f".{os.getpid()}")
        shutil.copyfile(target, whole)
        whole.replace(kept)
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[2:], int(sys.argv[1])))
