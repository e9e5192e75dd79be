"""Files that are none: pipes, folders, devices; patterns of pictures of any form; names that doit would refuse."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from types import FrameType

import numpy as np
import pytest
from PIL import Image

from aieloom.errors import SpecError
from aieloom.flow.inputs import inputs_digest
from aieloom.flow.opening import open_project
from aieloom.flow.samples import load_samples
from aieloom.flow.scaffold import new_project
from aieloom.spec import types
from tests.flow.conftest import Folder

LIMIT_S = 60


@pytest.fixture(autouse=True)
def barks() -> Iterator[None]:
    """End a test that waits for a pipe's writer."""

    def bark(_signal: int, _frame: FrameType | None) -> None:
        raise TimeoutError("it waits")

    before = signal.signal(signal.SIGALRM, bark)
    signal.alarm(LIMIT_S)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


def named(project: Folder, data: str) -> None:
    with (project.path / "network.yaml").open("a") as f:
        f.write(f"data: {data}\n")


@pytest.mark.parametrize("kind", ["pipe", "folder", "device"])
def test_samples_that_are_no_file_are_refused(small: Folder, kind: str) -> None:
    place = small.path / "test.npz"
    make = {"pipe": os.mkfifo, "folder": os.mkdir, "device": lambda p: p.symlink_to("/dev/zero")}
    make[kind](place)
    named(small, "{samples: test.npz}")
    project = open_project(small.path)
    assert inputs_digest(project)
    with pytest.raises(SpecError, match=r"test.npz: \[data\] is no file that can be read"):
        load_samples(project)


@pytest.mark.parametrize("name", ["network.yaml", "weights.safetensors"])
def test_a_project_s_files_that_are_pipes_are_refused(small: Folder, name: str) -> None:
    (small.path / name).unlink()
    os.mkfifo(small.path / name)
    with pytest.raises(SpecError, match=r"no file that can be read|no such weights file"):
        _ = open_project(small.path).float_parameters


def test_patterns_of_pictures_take_every_form(small: Folder, tmp_path: Path) -> None:
    elsewhere = tmp_path / "else where" / "deep"
    elsewhere.mkdir(parents=True)
    picture = Image.fromarray(np.zeros((8, 8), np.uint8))
    for place in (elsewhere / "a.png", small.path / "axb.png"):
        picture.save(place)
    os.mkfifo(elsewhere / "pipe.png")
    yaml = (small.path / "network.yaml").read_text()
    found = {
        f"{elsewhere}/*.png": "a.png",
        f"{elsewhere.parent}/**/a.png": "a.png",
        "a**b.png": "axb.png",
        "**/axb.png": "axb.png",
        "[a]x?.png": "axb.png",
        "../nothing/*.png": "",
        "[": "",
        "": "",
        "\\0": "",
    }
    for pattern, name in found.items():
        (small.path / "network.yaml").write_text(yaml + f'data: {{images: "{pattern}"}}\n')
        project = open_project(small.path)
        assert [f.name for f in project.images] == ([name] if name else []), pattern
        if name:
            assert len(load_samples(project)) == 1
        else:
            with pytest.raises(SpecError, match="no picture matches"):
                load_samples(project)


def test_new_refuses_names_that_doit_would_refuse(tmp_path: Path) -> None:
    words = sorted(w for w in types._RESERVED if w.islower())
    assert "xor" in words
    for word in (*words, "import", "a__b"):
        with pytest.raises(SpecError, match="reserve"):
            new_project(tmp_path / word)
        assert not (tmp_path / word).exists()
    new_project(tmp_path / "xor_net")
    assert open_project(tmp_path / "xor_net", build=tmp_path / "build").name == "xor_net"
