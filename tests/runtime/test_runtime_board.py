"""Sessions on a folder with a host program: Python's and C++'s, with every kind of design, and host programs that fail."""

from __future__ import annotations

import selectors
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import aieloom
from aieloom.arrays import Values
from aieloom.emit.printer import Printer
from aieloom.errors import RunFailed, SpecError
from aieloom.flow.designs import design_of
from aieloom.flow.opening import open_any
from aieloom.runtime import board
from aieloom.runtime.board import BoardNetwork
from tests.circuit import networks as circuits
from tests.sequential import networks, several
from tests.sequential.siamese import siamese
from tests.vitis.conftest import make_project

HERE = Path(__file__).parent
OPTIONS = ("-std=c++17", "-O1", "-Wall", "-Wextra", "-Wconversion", "-Werror", "-pthread")


def spatial(folder: Path) -> Path:
    """Layers with cores of their own."""
    return make_project(folder).path


def in_turn(folder: Path) -> Path:
    """Layers in their turn, on the array, vector units and processor."""
    networks.opened(folder, networks.quantised("multiplier"))
    return folder


def circuit(folder: Path) -> Path:
    """One circuit in the logic."""
    return circuits.written(folder, circuits.NETWORK.replace("zynq-7020", "vck190"))


@dataclass(frozen=True)
class Built:
    """A design that was built for the emulator, images, and what it should give."""

    folder: Path
    header: Path
    x: Values
    wanted: Values


def two_images(folder: Path) -> Path:
    """Products on the matrix engine, of a network of two inputs."""
    folder.mkdir()
    products = "".join(f"  {name}: {{engine: pl, strategy: gemm}}\n" for name in ("conv1", "conv2", "fc"))
    siamese(folder, "zcu104", "spatial", f"mapping:\n{products}")
    return folder


@pytest.fixture(scope="module", params=[spatial, in_turn, circuit], ids=lambda f: f.__name__)
def built(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Built:
    make: Callable[[Path], Path] = request.param
    return made(make(tmp_path_factory.mktemp("board") / "small"))


def made(folder: Path) -> Built:
    """Build the design of a project's folder for the emulator."""
    project = open_any(folder, build=folder / "build")
    design = design_of(project)
    design.emulated.make(design.render())
    x = np.random.default_rng(7).normal(0, 1, (5, *project.x.shape)).astype(np.float32)
    return Built(project.build / "emu", project.build / "src", x, design.reference(x))


@pytest.mark.integration
def test_python_gives_the_reference(built: Built) -> None:
    with aieloom.Session(built.folder, device="xrt") as session:
        (end,) = session.get_inputs()
        assert end.name == "input" and end.shape == (None, *built.x.shape[1:])
        assert session.get_outputs()[0].shape == (None, *built.wanted.shape[1:])
        later = [session.run_async(None, {"input": built.x[i:]}) for i in range(3)]
        (y,) = session.run(["output"], {"input": built.x})
        assert y.tobytes() == built.wanted.tobytes()
        for i, future in enumerate(later):
            assert future.result()[0].tobytes() == built.wanted[i:].tobytes()
        with pytest.raises(SpecError, match=r"the input is 5 x 2, the design takes N x"):
            session.run(None, {"input": np.zeros((5, 2), np.float32)})
        (y,) = session.run(None, {"input": built.x[:1]})
        assert y.tobytes() == built.wanted[:1].tobytes(), "a refused input costs the session nothing"


@pytest.mark.integration
def test_several_inputs_have_names(tmp_path: Path) -> None:
    built = made(two_images(tmp_path / "several"))
    left, right = (part.reshape(-1, 3, 8, 8) for part in np.split(built.x.reshape(5, -1), 2, axis=1))
    with aieloom.Session(built.folder, device="xrt") as session:
        assert [(i.name, i.shape) for i in session.get_inputs()] == [
            (n, (None, 3, 8, 8)) for n in ("left", "right")
        ]
        (y,) = session.run(None, {"right": right, "left": left})
        assert y.tobytes() == built.wanted.tobytes()
        with pytest.raises(SpecError, match=r"the right is 5 x 2, the design takes N x 3 x 8 x 8"):
            session.run(None, {"left": left, "right": np.zeros((5, 2))})
        with pytest.raises(SpecError, match="not as many images of each input: 5 of left, 2 of right"):
            session.run(None, {"left": left, "right": right[:2]})
    test_a_cpp_program_gives_the_reference(built, tmp_path)


@pytest.mark.integration
def test_more_images_than_are_sent_at_a_time(built: Built, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(board, "MOST_BYTES", 2 * built.x[0].nbytes)
    with aieloom.Session(built.folder, device="xrt") as session:
        (y,) = session.run(None, {"input": built.x})
    assert y.tobytes() == built.wanted.tobytes()


@pytest.mark.integration
def test_a_cpp_program_gives_the_reference(built: Built, tmp_path: Path) -> None:
    program = compiled("g++", built.header, tmp_path)
    built.x.tofile(tmp_path / "x.bin")
    words = [str(program), str(built.folder), "x.bin", "y.bin", "600"]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert (tmp_path / "y.bin").read_bytes() == built.wanted.astype("<f4").tobytes()
    assert tuple(map(int, done.stdout.split())) == built.wanted.shape


@pytest.mark.integration
@pytest.mark.skipif(shutil.which("aarch64-linux-gnu-g++") is None, reason="needs g++-aarch64-linux-gnu")
def test_session_h_compiles_for_the_boards_processor(built: Built, tmp_path: Path) -> None:
    compiled("aarch64-linux-gnu-g++", built.header, tmp_path)


def compiled(compiler: str, header: Path, folder: Path, source: str = "session_program.cpp") -> Path:
    program = folder / "program"
    words = [compiler, *OPTIONS, f"-I{header}", str(HERE / source), "-o", str(program)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return program


# A host program by what it does: Python, as the format allows any.
HOSTS = {
    "silent": "import time; time.sleep(600)",
    "other": "sys.stdout.buffer.write(b'AIELHOST' + (9).to_bytes(4, 'little')); sys.stdout.flush(); sys.stdin.read()",
    "ends": "sys.exit('no device was found')",
    "dies": "hello(); sys.stdin.buffer.read(4); sys.exit('the kernel did not come back')",
    "hangs": "hello(); import time; time.sleep(600)",
    "refuses": "hello(); sys.stdin.buffer.read(12); say(1, 7, b'too hot')\nsys.stdin.buffer.read(12); say(0, 1, b'12345678')",
    "miscounts": "hello(); sys.stdin.buffer.read(12); say(0, 2, b'12345678' * 2); sys.stdin.read()",
    "muddles": "hello(); sys.stdin.buffer.read(12); say(7, 1, b'12345678'); sys.stdin.read()",
}
MESSAGE = "too hot" * 1500  # more than is quoted, and than a pipe's page
OTHER_HOSTS = {
    "talks": f"hello(); sys.stdin.buffer.read(12); say(1, {len(MESSAGE)}, b'too hot' * 1500)\nsys.stdin.buffer.read(12); say(0, 1, b'12345678')",
    "echoes": "hello()\nwhile sys.stdin.buffer.read(4): say(0, 1, sys.stdin.buffer.read(8))",
}
SAYS = {
    "silent": "took longer than 0.5 s",
    "other": "is of another version",
    "ends": "has ended:\nno device was found",
    "dies": "has ended:\nthe kernel did not come back",
    "hangs": "took longer than 0.5 s",
    "refuses": "too hot",
    "miscounts": "answers 1 images with status 0 and 2 results",
    "muddles": "answers 1 images with status 7 and 1 results",
}


def put(folder: Path, what: str) -> Path:
    folder.mkdir()
    (folder / "fake.xclbin").write_text("")
    host = folder / "fake_host"
    host.write_text(
        f"#!{sys.executable}\nimport struct, sys\n"
        "def say(*words):\n"
        "  for w in words: sys.stdout.buffer.write(w if isinstance(w, bytes) else struct.pack('<I', w))\n"
        "  sys.stdout.flush()\n"
        f"def hello(): say(b'AIELHOST', 2, 4, 1, 5, b'input   ', 1, 2, 1, 6, b'output  ', 1, 2)\n{(HOSTS | OTHER_HOSTS)[what]}\n"
    )
    host.chmod(0o755)
    return folder


@pytest.mark.parametrize("what", HOSTS)
def test_a_host_program_that_fails_is_told(
    what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(board, "LIMIT_S", 0.5 if what in {"silent", "hangs"} else 30.0)
    folder = put(tmp_path / "card", what)
    with pytest.raises(RunFailed, match=SAYS[what]), aieloom.Session(folder, device="xrt") as session:
        session.run(None, {"input": np.zeros((1, 2), np.float32)})


@pytest.mark.parametrize("what", ["refuses", "talks"])
def test_a_run_that_is_refused_leaves_the_session(what: str, tmp_path: Path) -> None:
    with aieloom.Session(put(tmp_path / "card", what), device="xrt") as session:
        with pytest.raises(RunFailed, match="too hot"):
            session.run(None, {"input": np.zeros((1, 2), np.float32)})
        (y,) = session.run(None, {"input": np.zeros((1, 2), np.float32)})
        assert y.tobytes() == b"12345678"


@pytest.mark.parametrize("what", ["refuses", "talks"])
def test_a_cpp_run_that_is_refused_leaves_the_session(what: str, tmp_path: Path, cpp_twice: Path) -> None:
    words = [str(cpp_twice), str(put(tmp_path / "card", what))]
    done = subprocess.run(words, capture_output=True, check=True, timeout=60)
    assert done.stdout == (b"too hot" if what == "refuses" else MESSAGE.encode()[:4096]) + b"\n12345678\n"


@pytest.mark.parametrize("what", ["miscounts", "muddles"])
def test_a_cpp_session_takes_no_more_after_half_an_answer(what: str, tmp_path: Path, cpp_twice: Path) -> None:
    words = [str(cpp_twice), str(put(tmp_path / "card", what))]
    done = subprocess.run(words, capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout == f"the host program {SAYS[what]}\nthe host program has ended; open another session\n"


def test_after_an_interrupt_no_answer_is_taken_for_the_next(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ctrl-C while a run waits for its answer: the next run gave what the interrupted one had asked for."""
    waiting = BoardNetwork._wait

    def interrupted(self: BoardNetwork, file: int, what: int, end: float) -> None:
        waiting(self, file, what, end)
        if what == selectors.EVENT_READ:  # the answer is in the pipe
            raise KeyboardInterrupt

    one, two = (np.full((1, 2), v, np.float32) for v in (1, 2))
    with aieloom.Session(put(tmp_path / "card", "echoes"), device="xrt") as session:
        (y,) = session.run(None, {"input": one})
        assert y.tobytes() == one.tobytes()
        with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
            patched.setattr(BoardNetwork, "_wait", interrupted)
            session.run(None, {"input": one})
        with pytest.raises(RunFailed, match="failed or was interrupted; open another session"):
            session.run(None, {"input": two})


def test_integers_of_a_quantised_model_are_not_taken_for_values(tmp_path: Path) -> None:
    """The emulator's session reads uint8 by the model's scale; a card has none, and took 200 for 200.0."""
    with aieloom.Session(put(tmp_path / "card", "echoes"), device="xrt") as session:
        for kind in ("uint8", "int8"):
            with pytest.raises(SpecError, match=rf"the input is of {kind}(.|\n)*\(x - zero_point\) \* scale"):
                session.run(None, {"input": np.ones((1, 2), kind)})
        wanted = np.array([[3, 101]], np.float32)
        for kind in ("int64", "int32", "float16", "float64"):  # numbers of tokens, as everywhere
            (y,) = session.run(None, {"input": wanted.astype(kind)})
            assert y.tobytes() == wanted.tobytes()


@pytest.mark.parametrize(
    ("x", "text"),
    [
        (np.array([["1", "2"]]), "no real numbers"),
        (np.full((1, 2), 1e300), "beyond float32"),
        ([[1.0], [1.0, 2.0]], "is no array"),
    ],
)
def test_what_are_no_numbers_are_refused(x: Any, text: str, tmp_path: Path) -> None:
    with (
        aieloom.Session(put(tmp_path / "card", "echoes"), device="xrt") as session,
        pytest.raises(SpecError, match=text),
    ):
        session.run(None, {"input": x})


@pytest.mark.parametrize("what", HOSTS)
def test_a_cpp_session_tells_the_same(what: str, tmp_path: Path, cpp_program: Path) -> None:
    limit = "0.5" if what in {"silent", "hangs"} else "30"
    np.zeros((1, 2), np.float32).tofile(tmp_path / "x.bin")
    words = [str(cpp_program), str(put(tmp_path / "card", what)), "x.bin", "y.bin", limit]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 3, done.stdout
    said = SAYS[what].replace("has ended:\n", "has ended: ").replace("0.5 s", "the limit of 0.5")
    assert said in done.stderr


@pytest.fixture(scope="module")
def cpp_program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("cpp")
    printer = Printer("fake")
    printer.session("session.h")
    (folder / "session.h").write_text(printer.tree["session.h"])
    return compiled("g++", folder, folder)


@pytest.fixture(scope="module")
def cpp_twice(cpp_program: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return compiled("g++", cpp_program.parent, tmp_path_factory.mktemp("twice"), "session_twice.cpp")


@pytest.mark.parametrize("there", [(), ("a.xclbin", "b.xclbin"), ("a.xclbin",)], ids=len)
def test_a_folder_that_is_no_card_is_refused(there: tuple[str, ...], tmp_path: Path) -> None:
    for name in there:
        (tmp_path / name).write_text("")
    said = "a_host is no program" if len(there) == 1 else f"has {len(there)} files"
    with pytest.raises(SpecError, match=said):
        aieloom.Session(tmp_path, device="xrt")


@pytest.mark.integration
def test_several_outputs_have_names(tmp_path: Path) -> None:
    folder = tmp_path / "several"
    folder.mkdir()
    several.model(folder / "model.onnx")
    (folder / "network.yaml").write_text(
        "name: several\ntarget: zcu104\nexecution: sequential\nweights: model.onnx\n"
    )
    built = made(folder)
    whole = built.wanted.reshape(len(built.wanted), -1)
    with aieloom.Session(built.folder, device="xrt") as session:
        ends = session.get_outputs()
        assert [e.shape[1:] for e in ends] == [(10, 1, 1), (8, 8, 8), (16, 4, 4)]
        deep, scores = session.run([ends[2].name, ends[0].name], {"input": built.x})
    assert scores.tobytes() == np.ascontiguousarray(whole[:, :10]).tobytes()
    assert deep.tobytes() == np.ascontiguousarray(whole[:, 10 + 512 :]).tobytes()
    test_a_cpp_program_gives_the_reference(built, tmp_path)
