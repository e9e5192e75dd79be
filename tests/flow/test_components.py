"""`aieloom components`: kernels alone give, by C simulation, what they gave in the emulated system; a fault is told."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from aieloom.cli import main
from aieloom.emulator.hls.command import read_components
from aieloom.emulator.hls.csim import csim
from tests.designs import ROOT
from tests.vitis import designs


@pytest.fixture(scope="module")
def xor(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("components") / "xor"
    shutil.copytree(ROOT / "projects" / "xor", folder)
    assert main(["-q", "components", str(folder)]) == 0
    (top,) = folder.glob("build/*/vck190/hls")
    return top


def outcome(config: Path, folder: Path, stalls: int | None = None) -> tuple[int, str]:
    (component,) = read_components(config)
    done = csim(component, out=folder / "run", stalls=stalls, timeout=120)
    return done.code, done.stdout + done.stderr


@pytest.mark.parametrize("kernel", ["mm2s", "pl_hidden_to_out", "pl_answer", "s2mm"])
def test_a_kernel_alone_gives_what_it_gave_in_the_system(kernel: str, xor: Path, tmp_path: Path) -> None:
    for stalls in (None, 1):
        code, told = outcome(xor / kernel / "hls_config.cfg", tmp_path, stalls)
        assert (code, told[:5]) == (0, "PASS:"), told


@pytest.mark.parametrize(
    "change",
    [
        ("pl_hidden_to_out", "kZero = -128", "kZero = 5", "out: word 0 is another one"),
        ("pl_answer", "table[index]", "table[255 - index]", "out: word 0 is another one"),
        ("s2mm", "(memory, size", "(memory + 1, size", "bytes are others"),
    ],
)
def test_in_a_copy_elsewhere_a_changed_kernel_is_told(
    change: tuple[str, str, str, str], xor: Path, tmp_path: Path
) -> None:
    kernel, was, becomes, said = change
    copy = shutil.copytree(xor, tmp_path / "copy")
    source = copy / "src" / "pl" / f"{kernel}.cpp"
    text = source.read_text()
    assert was in text
    source.write_text(text.replace(was, becomes))
    code, told = outcome(copy / kernel / "hls_config.cfg", tmp_path)
    assert (code, said in told) == (1, True), told
    source.write_text(text)
    assert outcome(copy / kernel / "hls_config.cfg", tmp_path)[0] == 0


def test_what_a_kernel_left_in_memory_is_compared(xor: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(xor, tmp_path / "copy")
    ports = copy / "s2mm" / "s2mm.ports"
    data = bytearray(ports.read_bytes())
    data[-1] ^= 1
    ports.write_bytes(bytes(data))
    code, told = outcome(copy / "s2mm" / "hls_config.cfg", tmp_path)
    assert (code, "bytes are others" in told) == (1, True), told
    ports.write_bytes(b"")
    code, told = outcome(copy / "s2mm" / "hls_config.cfg", tmp_path)
    assert (code, "is not there, or has nothing" in told) == (1, True), told


def test_a_bench_that_compares_nothing_does_not_pass(xor: Path, tmp_path: Path) -> None:
    copy = shutil.copytree(xor, tmp_path / "copy")
    (copy / "mm2s" / "mm2s.ports").write_bytes(
        b"memory memory 512 0\nscalar size 32 4\n\0\0\0\0scalar iterations 32 4\n\0\0\0\0out out 128 0\n"
    )
    code, told = outcome(copy / "mm2s" / "hls_config.cfg", tmp_path)
    assert (code, told.strip()) == (1, "FAIL: 0 words and bytes compared, 0 of them differ")


def test_a_layer_that_is_none_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["components", str(ROOT / "projects" / "xor"), "--layer", "hiden", "--json"]) == 2
    said = json.loads(capsys.readouterr().out)
    assert "hiden" in json.dumps(said)


@pytest.mark.slow
def test_a_layer_of_the_processor_has_no_kernel(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    designs.in_logic(tmp_path / "net")
    assert main(["components", str(tmp_path / "net"), "--layer", "shares"]) == 2
    assert "no kernel in the logic works for 'shares' alone" in capsys.readouterr().err
    assert not list(tmp_path.rglob("hls"))


@pytest.mark.slow
def test_units_of_layers_in_turn_are_tried_with_one_layer(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    designs.in_turn(tmp_path / "net")
    assert main(["-q", "components", str(tmp_path / "net"), "--layer", "conv", "--json"]) == 0
    made = [Path(name) for name in json.loads(capsys.readouterr().out)["result"]["components"]]
    names = {path.parent.name for path in made}
    assert {"sequencer", "array_weights"} <= names and "row_memory" not in names
    assert "vector_unit" not in names, "it was only told to end"
    for path in made:
        code, told = outcome(path, tmp_path)
        assert (code, told[:5]) == (0, "PASS:"), (path.parent.name, told)
