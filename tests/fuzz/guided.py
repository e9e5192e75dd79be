"""`python -m tests.fuzz.guided`: inputs that libFuzzer finds by the code they reach, in place of random ones.

`pip install -e .[fuzz]` first. atheris measures which lines of aieloom an input reaches and changes the inputs that reached something new; Hypothesis
makes a file of our kinds from libFuzzer's bytes (`fuzz_one_input`), the watchdog judges it as it does everywhere else.
"""

from __future__ import annotations

import argparse
import os
import resource
import sys
import tempfile
import time
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["aieloom"], enable_loader_override=False):
    import aieloom.cli

from aieloom import messages
from tests.fuzz.__main__ import MEMORY_BYTES
from tests.fuzz.runner import Inputs
from tests.fuzz.targets import targets

CHOICE_BYTES = 4096  # that Hypothesis may draw an input from


def main() -> None:
    """Run one kind; libFuzzer ends the process: with 0, or with the input that did what none may."""
    assert aieloom.cli
    kinds = {name: target for name, target in targets().items() if not target.campaign}
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.guided", description=__doc__)
    parser.add_argument("--kind", choices=sorted(kinds), default="yaml", help="these files (default yaml)")
    parser.add_argument("--inputs", type=int, default=3000, help="how many (default 3000)")
    parser.add_argument("--seed", type=int, default=1, help="another seed gives other inputs (default 1)")
    parser.add_argument("--corpus", type=Path, help="a folder that keeps what reached something new")
    options = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    corpus = options.corpus or Path(tempfile.mkdtemp(prefix="aieloom-guided-"))
    corpus.mkdir(parents=True, exist_ok=True)
    target = kinds[options.kind]
    target.prepare()
    inputs, began = Inputs(target), time.perf_counter()
    one = inputs.test(options.inputs, options.seed).hypothesis.fuzz_one_input

    def every(data: bytes) -> None:
        one(data)
        if inputs.count >= options.inputs:
            seconds = time.perf_counter() - began
            kept = len(list(corpus.iterdir()))
            print(
                f"{options.kind}: {inputs.count} inputs, {inputs.taken} taken, {inputs.refused} refused, "
                f"{kept} reached something new, {seconds:.0f} s: no traceback, no hang, no stray write",
                flush=True,
            )
            os._exit(0)  # libFuzzer counts bytes that Hypothesis could not use as runs: we count files

    words = [
        sys.argv[0],
        str(corpus),
        f"-seed={options.seed}",
        f"-max_len={CHOICE_BYTES}",
        f"-artifact_prefix={corpus}/",
        "-verbosity=0",
    ]
    with messages.quieted():
        atheris.Setup(words, every)
        atheris.Fuzz()


if __name__ == "__main__":
    main()
