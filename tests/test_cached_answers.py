"""What a command printed is printed again only where it would print the same, and then without planning anything."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from aieloom import cached_answers, cli
from aieloom.digests import STILL_NS
from aieloom.flow import opening
from aieloom.spec.network import NetworkSpec
from tests.flow.conftest import SMALL, SMALL_SHAPES, make_project

Answer = Callable[..., tuple[int, str, bool]]


@pytest.fixture
def answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> tuple[Path, Answer]:
    """Return a project's folder, and what calls the command line: exit code, text, and whether a project was opened."""
    folder = make_project(tmp_path / "p", SMALL, SMALL_SHAPES).path
    monkeypatch.setenv("AIELOOM_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(
        cached_answers, "is_still", lambda *_: True
    )  # what was written now has long been there
    opened: list[Path] = []

    read = opening.read_description

    def counted(path: Path, *, target: str | None, weights: Path | None) -> NetworkSpec:
        opened.append(path)
        return read(path, target=target, weights=weights)

    monkeypatch.setattr(opening, "read_description", counted)

    def call(*words: str) -> tuple[int, str, bool]:
        monkeypatch.setattr(sys, "argv", ["aieloom", *words])
        opened.clear()
        code = cli.main()
        return code, capsys.readouterr().out, bool(opened)

    return folder, call


@pytest.mark.parametrize("words", [("check",), ("plan",), ("check", "--json"), ("--quiet", "check")])
def test_the_same_is_printed_again_and_nothing_is_opened(
    answer: tuple[Path, Answer], words: tuple[str, ...]
) -> None:
    folder, call = answer
    first = call(*words, str(folder))
    assert first[0] == 0 and first[1] and first[2]
    assert call(*words, str(folder)) == (*first[:2], False)


def _touch_weights(folder: Path) -> None:
    from safetensors.numpy import load_file, save_file  # noqa: PLC0415 - what only this needs

    tensors = {n: t + 1 for n, t in load_file(folder / "weights.safetensors").items()}
    before = (folder / "weights.safetensors").stat()
    save_file(tensors, folder / "weights.safetensors")
    os.utime(folder / "weights.safetensors", ns=(before.st_atime_ns, before.st_mtime_ns))


CHANGES: dict[str, Callable[[Path], object]] = {
    "network.yaml": lambda p: (p / "network.yaml").write_text(SMALL + "\n# another\n"),
    "weights, of the same size and date": _touch_weights,
    "weights that are gone": lambda p: (p / "weights.safetensors").rename(p / "elsewhere"),
    "a folder of operators": lambda p: (p / "operators").mkdir(),
}


@pytest.mark.parametrize("change", CHANGES)
def test_what_it_follows_from_is_read_every_time(answer: tuple[Path, Answer], change: str) -> None:
    folder, call = answer
    call("check", str(folder))
    CHANGES[change](folder)
    assert call("check", str(folder))[2]


def test_words_place_and_what_consoles_heed_count(
    answer: tuple[Path, Answer], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    folder, call = answer
    call("check", str(folder))
    assert call("check", str(folder), "--target", "vck190")[2]
    with monkeypatch.context() as m:
        m.setenv("AIELOOM_QUIET", "1")
        assert call("check", str(folder))[2]
    with monkeypatch.context() as m:
        m.chdir(folder)
        assert call("check", str(folder))[2]
    with monkeypatch.context() as m:
        m.setattr(cached_answers, "code_digest", lambda: "another aieloom")
        assert call("check", str(folder))[2]
    with monkeypatch.context() as m:
        (tmp_path / "packages" / "numpy-99.dist-info").mkdir(parents=True)
        m.syspath_prepend(tmp_path / "packages")
        assert call("check", str(folder))[2]
    assert not call("check", str(folder))[2]


def test_a_refusal_is_told_every_time(answer: tuple[Path, Answer]) -> None:
    folder, call = answer
    (folder / "network.yaml").write_text(SMALL.replace("vck190", "vck191"))
    for _ in range(2):
        code, _, opened = call("check", str(folder))
        assert code == 2 and opened
    assert not (folder.parent / "cache" / cached_answers.FOLDER).exists()


def test_operators_of_a_project_are_programs_that_may_read_anything(answer: tuple[Path, Answer]) -> None:
    folder, call = answer
    (folder / "operators").mkdir()
    (folder / "operators" / "_notes.py").write_text("")
    assert call("check", str(folder))[2] and call("check", str(folder))[2]


def test_a_file_that_may_have_changed_while_it_was_read_is_not_kept(
    answer: tuple[Path, Answer], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, call = answer
    began = time.time_ns()
    monkeypatch.setattr(cached_answers, "is_still", lambda s, at: s.st_ctime_ns < at - STILL_NS)
    monkeypatch.setattr(time, "time_ns", lambda: began)
    call("check", str(folder))
    assert call("check", str(folder))[2]
    monkeypatch.setattr(time, "time_ns", lambda: began + 10 * STILL_NS)
    call("check", str(folder))
    assert not call("check", str(folder))[2]


def test_a_damaged_answer_is_made_again(answer: tuple[Path, Answer]) -> None:
    folder, call = answer
    first = call("check", str(folder))
    (kept,) = (folder.parent / "cache" / cached_answers.FOLDER).iterdir()
    for damaged in (b"", kept.read_bytes()[:-9]):
        kept.write_bytes(damaged)
        assert call("check", str(folder)) == first
    assert json.loads(kept.read_bytes().partition(b"\n")[2])["text"] == first[1]


HEAVY = {"torch", "onnx", "onnxruntime", "scipy", "PIL", "jinja2", "doit"}
OTHERS = {
    "aieloom.sequential",
    *(f"aieloom.ops.{name}" for name in ("softmax", "matmul", "max_pool", "dense", "layer_norm")),
}
STARTING = {"numpy", "pydantic", "rich", "yaml", "aieloom.ops", "aieloom.plan"}


@pytest.mark.parametrize("command", ["check", "plan"])
def test_modules_that_a_command_imports(command: str, tmp_path: Path) -> None:
    """Modules are counted, not seconds: none of what other commands and other operators need, and nothing for an answer again."""
    folder = make_project(tmp_path / "p", SMALL, SMALL_SHAPES).path
    code = (
        "import sys, aieloom.cli, aieloom.cached_answers as cached_answers\n"
        "cached_answers.is_still = lambda *_: True\n"
        "aieloom.cli.main()\n"
        "print(*sys.modules, file=sys.stderr)"
    )

    def modules() -> set[str]:
        done = subprocess.run(
            [sys.executable, "-c", code, command, str(folder)],
            env=os.environ | {"AIELOOM_CACHE": str(tmp_path / "cache")},
            check=True,
            capture_output=True,
            text=True,
        )
        return set(done.stderr.split())

    first, again = modules(), modules()
    assert not first & (HEAVY | OTHERS)
    assert len({m for m in first if m.startswith("aieloom.")}) < 179, "what does a command need them for?"
    assert first >= STARTING and not again & STARTING


def test_an_answer_that_stands_in_another_s_place_is_told_and_not_printed(
    answer: tuple[Path, Answer],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    folder, call = answer
    text = SMALL.replace("name: small", "name: other", 1)
    other = make_project(tmp_path / "q", text, SMALL_SHAPES).path
    codes, texts, _ = zip(*(call("check", str(f)) for f in (folder, other)), strict=True)
    assert codes == (0, 0) and texts[0] != texts[1]
    first, second = sorted((tmp_path / "cache" / cached_answers.FOLDER).glob("*"))
    held = first.read_bytes(), second.read_bytes()
    first.write_bytes(held[1])
    second.write_bytes(held[0])
    monkeypatch.setattr(sys, "argv", ["aieloom", "check", str(folder)])
    assert cli.main() == 0
    found = capsys.readouterr()
    assert found.out == texts[0]
    assert "holds the answer to another question; this one is computed again" in found.err
