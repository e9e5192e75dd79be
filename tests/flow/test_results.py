"""What lies in the build folder decides what is made again: content, whatever dates and earlier runs say."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from aieloom.errors import SpecError
from aieloom.flow import inputs
from aieloom.flow.inputs import input_files, inputs_digest, opened
from aieloom.flow.opening import open_project
from aieloom.flow.project import Project, find_project
from aieloom.flow.results import FOLDER, Results
from aieloom.network.readers.onnx_external import external_files, whole_model
from aieloom.network.readers.onnx_import import read_onnx
from tests.flow.conftest import SMALL, SMALL_SHAPES, Folder, make_project


class Made:
    """A result of one number."""

    def __init__(self, build: Path) -> None:
        self.given, self.file, self.times = "1", build / "deep" / "result", 0
        self.results = Results(
            task="task", build=build, made_of=lambda: self.given, files=lambda: [self.file]
        )

    def act(self) -> None:
        self.times += 1
        self.file.parent.mkdir(parents=True, exist_ok=True)
        self.file.write_text(self.given)

    def again(self) -> bool:
        """Make it unless it is up to date; return whether it was made."""
        before = self.times
        if not self.results.are_current():
            self.results.make(self.act)
        return self.times > before


@pytest.fixture
def made(tmp_path: Path) -> Made:
    return Made(tmp_path / "build")


def test_a_result_is_made_once_for_its_inputs_and_again_for_others(made: Made) -> None:
    assert [made.again(), made.again()] == [True, False]
    made.given = "2"
    assert [made.again(), made.again()] == [True, False]
    made.given = "1"
    assert made.again(), "the result is of 2"


@pytest.mark.parametrize("text", [None, "", "2", "{", "[1]", "[" * 100_000])
@pytest.mark.parametrize("name", ["deep/result", f"{FOLDER}/task.json"])
def test_damage_is_mended(made: Made, name: str, text: str | None) -> None:
    made.again()
    file = made.results.build / name
    before = file.stat()
    if text is None:
        file.unlink()
    else:
        file.write_text(text)
        os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert [made.again(), made.again()] == [True, False]
    assert made.file.read_text() == "1"


def test_what_failed_or_left_nothing_is_not_up_to_date(made: Made) -> None:
    made.again()
    made.given = "2"

    def fail() -> None:
        made.file.write_text("half")
        raise SpecError(())

    with pytest.raises(SpecError):
        made.results.make(fail)
    made.given = "1"
    assert made.again(), "the file is not of 1, whatever an earlier stamp said"
    made.results.make(made.file.unlink)
    assert made.again()


def test_an_input_that_changes_while_it_is_used_is_used_again(made: Made) -> None:
    def act() -> None:
        made.act()
        made.given = "2"

    made.results.make(act)
    assert made.again()


# What a project's results follow from.


@pytest.fixture
def small(tmp_path: Path) -> Folder:
    folder = make_project(tmp_path / "small", SMALL + "data: {samples: data/x.npz}\n", SMALL_SHAPES)
    (folder.path / "data").mkdir()
    np.savez(folder.path / "data" / "x.npz", x=np.zeros((1, 1, 8, 8), np.float32))
    (folder.path / "operators" / "more").mkdir(parents=True)
    (folder.path / "operators" / "_notes.py").write_text("A = 1\n")
    (folder.path / "operators" / "more" / "table.txt").write_text("1\n")
    return folder


def flip(file: Path) -> None:
    """Change a file in place, and keep its size and date."""
    before = file.stat()
    data = bytearray(file.read_bytes())
    data[-2] ^= 1
    file.write_bytes(data)
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))


def test_every_file_of_a_project_counts_whatever_its_date(small: Folder) -> None:
    project = open_project(small.path, build=small.path / "build")
    files = {f.relative_to(small.path).as_posix(): f for f in input_files(project)}
    assert {
        "network.yaml",
        "weights.safetensors",
        "data/x.npz",
        "operators/_notes.py",
        "operators/more/table.txt",
    } == {*files}
    seen = {inputs_digest(project)}
    for i, file in enumerate(files.values()):
        flip(file)
        seen.add(inputs_digest(project))
        assert len(seen) == i + 2, file
    (small.path / "operators" / "new.j2").write_text("x")
    (small.path / "weights.safetensors").unlink()
    assert inputs_digest(project) not in seen


def test_files_of_aieloom_and_versions_count(small: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    project = open_project(small.path, build=small.path / "build")
    digest = inputs_digest(project)
    for name, value in (
        ("code_digest", lambda: "another"),
        ("version_of", lambda _: "another"),
        ("TEMPLATES", ("pl_templates",)),
        ("package_files", lambda: (small.path / "network.yaml",)),
    ):
        with monkeypatch.context() as m:
            m.setattr(inputs, name, value)
            assert inputs_digest(project) != digest, name
    other = replace(project, weights_override=small.path / "weights.safetensors")
    assert inputs_digest(other) != digest


def test_a_project_that_is_edited_while_it_is_read_is_read_again(small: Folder) -> None:
    edits = iter([("[4, 8, 64]", "[4, 8, 32]"), ("[4, 8, 32]", "[4, 8, 16]")])
    texts = []

    def make() -> Project:
        project = open_project(small.path, build=small.path / "build")
        texts.append((small.path / "network.yaml").read_text())
        edit = next(edits, None)
        if edit:
            small.edit(*edit)
        return project

    project, digest = opened(make)
    again = open_project(small.path, build=small.path / "build")
    assert digest == inputs_digest(again)
    assert project.network.spec.source.data == again.network.spec.source.data and len(texts) > 2


def test_the_data_files_of_an_onnx_model_are_among_its_inputs(tmp_path: Path) -> None:
    onnx = pytest.importorskip("onnx")
    from tests.onnx.models import Builder  # noqa: PLC0415

    b = Builder((1, 6), opset=13)
    b.add("MatMul", b.weights("m", 6, 4)).add("Add", b.weights("n", 4)).add("Sigmoid")
    inside, beside = tmp_path / "inside.onnx", tmp_path / "p" / "model.onnx"
    beside.parent.mkdir()
    onnx.save(b.model(out_rank=2), inside)
    onnx.save(
        onnx.load(inside),
        beside,
        save_as_external_data=True,
        all_tensors_to_one_file=False,
        size_threshold=0,
        convert_attribute=True,
    )
    data = external_files(beside)
    assert len(data) == 2 and all(f.is_file() for f in data)
    assert external_files(inside) == external_files(tmp_path / "none.onnx") == ()
    (beside.parent / "network.yaml").write_text("name: p\ntarget: vck190\nweights: model.onnx\n")
    project = open_project(beside.parent, build=tmp_path / "build")
    assert {*data} <= {*project.description}
    before = inputs_digest(project)
    flip(data[0])
    assert inputs_digest(project) != before
    (tmp_path / "alone.onnx").write_bytes(whole_model(beside))
    tensors = [read_onnx(f, shown_as="m").tensors for f in (beside, tmp_path / "alone.onnx")]
    assert all(np.array_equal(tensors[0][n], tensors[1][n]) for n in tensors[0])
    first = read_onnx(beside, shown_as="m")
    assert read_onnx(beside, shown_as="m") is first, "read once while its files are as they were"
    flip(data[1])
    second = read_onnx(beside, shown_as="m").tensors
    assert any(not np.array_equal(first.tensors[n], second[n]) for n in second)


# Which project is meant.


@pytest.fixture
def several(tmp_path: Path) -> Path:
    for name in ("one", "two"):
        make_project(tmp_path / "all" / "projects" / name, SMALL.replace("small", name), {})
    make_project(tmp_path / "elsewhere", SMALL, {})
    return tmp_path / "all"


def test_a_project_is_found_by_its_name_or_path_and_never_another(
    several: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(several)
    assert find_project("two", several) == several / "projects" / "two"
    assert find_project("../elsewhere", several) == Path("../elsewhere")
    for wrong in ("tow", "../../etc", "..", "/etc", "two/..", ""):
        with pytest.raises(SpecError, match=r"there is no project"):
            find_project(wrong, several)


def test_a_folder_that_is_one_project_is_no_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    alone = make_project(tmp_path / "folder", SMALL, {}).path
    monkeypatch.chdir(alone)
    for name in (None, "small", "folder"):
        assert find_project(name, alone) == alone
    assert (find_project(".", alone) / "network.yaml").samefile(alone / "network.yaml")
    for wrong in ("smal", "xor", "../../etc", "espcn"):
        with pytest.raises(SpecError) as caught:
            find_project(wrong, alone)
        assert "folder, small" in str(caught.value)


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("project=smal", "there is no project 'smal'"),
        ("project=../../etc", "there is no project '../../etc'"),
        ("projct=small", "did you mean 'project'"),
        ("target=vck109", "vck190"),
    ],
)
def test_a_word_that_is_mistyped_runs_nothing(small: Folder, word: str, said: str) -> None:
    shown = small.doit("gen", word)
    text = shown.stdout + shown.stderr
    assert shown.returncode == 2 and said in text, text
    assert "Traceback" not in text and not (small.path / "build").exists()


def test_a_stamp_is_readable(made: Made) -> None:
    made.again()
    assert json.loads(made.results.stamp.read_text())["files"].keys() == {"deep/result"}
