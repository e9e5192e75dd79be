"""Compiling the runtime once, after an installation: every design's first build then finds it, with an empty cache too.

    python -m aieloom.emulator.prebuild

So are aieloom's own modules, to Python's byte code, as pip does with a wheel's: where PYTHONDONTWRITEBYTECODE is set, every
command would compile them again.

The objects lie in the package, under the digests by which the cache knows them (compiler.py): a compiler of another family
or another header text finds none and compiles anew. Wheels have them; editable installs and builds of wheels run this
(scripts/build_hook.py) before anything else is installed, so it needs the standard library alone.
"""

from __future__ import annotations

import compileall
import shutil
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from aieloom.emulator.build import runtime_steps
from aieloom.emulator.compiler import compile_unit, find_compiler, prebuilt_cache, unit_key
from aieloom.errors import ToolError
from aieloom.parallel import compilers
from aieloom.paths import package_folder


def main() -> int:
    """Compile the runtime; without a compiler say so, which is no failure.

    Returns:
        Exit code 0.
    """
    compileall.compile_dir(str(package_folder().parent), quiet=2)
    with tempfile.TemporaryDirectory() as temporary, ThreadPoolExecutor(compilers()) as pool:
        steps, made = runtime_steps(Path(temporary)), prebuilt_cache()
        try:
            compiler = find_compiler()
            if not all(made.find(s.unit, unit_key(s.unit, compiler)) for s in steps):
                shutil.rmtree(made.folder, ignore_errors=True)  # a wheel takes what lies there
            jobs = [pool.submit(compile_unit, s.unit, s.target, made) for s in steps]
            compiled = sum(job.result() for job in jobs)
        except ToolError as error:
            sys.stderr.write(
                f"aieloom: the emulator's runtime is compiled later, with the first design: {error}\n"
            )
            return 0
    sys.stdout.write(
        f"aieloom: {len(steps)} units of the emulator's runtime, {compiled} of them compiled now\n"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
