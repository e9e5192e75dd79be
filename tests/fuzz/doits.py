"""Many runs of doit, each a process of its own that does not have to import anything: a server forks them.

As a program: `python -m tests.fuzz.doits`; a line of JSON on its input is a list of jobs that run side by side, its answer their
exit codes. aieloom is whatever PYTHONPATH names.
"""

from __future__ import annotations

import gc
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True, kw_only=True)
class Job:
    """A run of doit for the project in `folder`; its output goes to the file `log`."""

    folder: str
    words: Sequence[str]
    environment: Mapping[str, str]
    log: str


class Server:
    """A process that forks one for each job."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def run(self, *jobs: Job) -> list[int]:
        """Run jobs side by side; return their exit codes."""
        assert self._process.stdin and self._process.stdout
        self._process.stdin.write(json.dumps([asdict(job) for job in jobs]) + "\n")
        self._process.stdin.flush()
        codes: list[int] = json.loads(self._process.stdout.readline())
        return codes


@contextmanager
def server(package: Path) -> Iterator[Server]:
    """Start a server whose aieloom lies in `package`; it ends with the block."""
    paths = os.pathsep.join((str(package), str(ROOT)))
    environment = {**os.environ, "PYTHONPATH": paths, "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-m", "tests.fuzz.doits"]
    with subprocess.Popen(
        command, env=environment, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        yield Server(process)
        assert process.stdin
        process.stdin.close()


def _start(job: Job) -> int:
    """Fork a run; return its process."""
    child = os.fork()
    if child:
        return child
    code = 99
    try:
        log = os.open(job.log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(log, 1)
        os.dup2(log, 2)
        os.chdir(job.folder)
        os.environ.update(job.environment)
        from aieloom.flow.tasks import main  # noqa: PLC0415 - imported by the server before it forks

        code = main([job.folder, *job.words])
        sys.stdout.flush()
        sys.stderr.flush()
    except BaseException:
        import traceback  # noqa: PLC0415

        traceback.print_exc()
    finally:
        os._exit(code)


def serve() -> None:
    """Answer jobs until the input ends."""
    # What a run needs, imported once.
    import onnx.reference  # noqa: F401
    import safetensors.numpy  # noqa: F401, PLC0415
    import torch  # noqa: F401

    import aieloom.flow.tasks  # noqa: F401, PLC0415

    gc.freeze()  # a child need not copy the pages on which a collection would write
    for line in sys.stdin:
        children = [_start(Job(**job)) for job in json.loads(line)]
        codes = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
        print(json.dumps(codes), flush=True)


if __name__ == "__main__":
    serve()
