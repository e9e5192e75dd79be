"""What every host program has from the library: its command line, its files and its elements, in a program without a device."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import pytest

from aieloom.emit.library import template_folder
from tests.emit.compiling import compiler

SOURCE = Path(__file__).with_name("host_program.cpp")
STRICT = ("-std=c++17", "-O1", "-Wall", "-Wextra", "-Wconversion", "-Werror", "-pthread")
# Four values an image: halves that go to even, what saturates at both ends, what is not a number.
VALUES = np.array([[0.25, 0.75, 1e9, -1e9], [np.nan, np.inf, -np.inf, -0.25], [1, 2, 3, 4]], np.float32)


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("host") / "echo_host"
    library = template_folder("host_templates") / "lib"
    subprocess.run([compiler("g++"), *STRICT, f"-I{library}", SOURCE, "-o", made], check=True)
    return made


def said(program: Path, *words: object) -> tuple[int, str, str]:
    run = subprocess.run(
        [program, *map(str, words)], capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL
    )
    return run.returncode, run.stdout, run.stderr


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "two files are wanted, XCLBIN and INPUT"),
        (("x.xclbin",), "two files are wanted, XCLBIN and INPUT"),
        (("x.xclbin", "a", "b"), "two files are wanted, XCLBIN and INPUT"),
        (("--serve",), "one file is wanted with --serve, XCLBIN"),
        (("x.xclbin", "a", "--serve"), "one file is wanted with --serve, XCLBIN"),
        (("x.xclbin", "a", "--fast"), "there is no option --fast"),
        (("--fast", "x.xclbin", "a"), "there is no option --fast"),
        (("x.xclbin", "a", "--output"), "--output wants a value"),
        (
            ("x.xclbin", "a", "--tolerance", "-1"),
            "--tolerance wants a number that is not negative, not '-1'",
        ),
        (
            ("x.xclbin", "a", "--tolerance", "nan"),
            "--tolerance wants a number that is not negative, not 'nan'",
        ),
        (("x.xclbin", "a", "--tolerance", ""), "--tolerance wants a number that is not negative, not ''"),
        (("x.xclbin", "a", "--batch", "2x"), "--batch wants a number that is not negative, not '2x'"),
        *(
            (
                ("x.xclbin", "a", option, text),
                f"{option} wants a whole number from 1 to 1000000000, not '{text}'",
            )
            for option in ("--batch", "--repeat")
            for text in ("0", "2.5", "1e30", "inf")
        ),
        (("x.xclbin", "nowhere"), "cannot read nowhere"),
    ],
)
def test_a_mistake_is_told_in_one_sentence_with_the_usage(
    program: Path, words: tuple[str, ...], message: str
) -> None:
    code, out, err = said(program, *words)
    first, second = err.splitlines()[:2]
    assert (code, first) == (2, f"error: {message}")
    assert second.startswith("usage: echo_host XCLBIN INPUT")
    assert "images, 1 x 2 x 2 float32 values each" in err
    assert "(default 7)" in err and "(default 0.125)" in err and "(int8)" in err
    assert out == ""


def test_a_file_of_no_whole_images_is_refused(program: Path, tmp_path: Path) -> None:
    for size, wanted in (
        (20, "of the 16 of an image"),
        (0, "of the 16 of an image"),
        (3, "of the 4 of a value"),
    ):
        (tmp_path / "in").write_bytes(bytes(size))
        code, _, err = said(program, "x.xclbin", tmp_path / "in")
        assert code == 2
        assert f"has {size} bytes, not a multiple {wanted}" in err


def test_elements_are_those_of_numpy_and_repeats_and_batches_reach_the_runner(
    program: Path, tmp_path: Path
) -> None:
    VALUES.tofile(tmp_path / "in")
    code, out, _ = said(
        program, "x.xclbin", tmp_path / "in", "--output", tmp_path / "out", "--batch", 2, "--repeat", 5
    )
    assert code == 0
    assert "x.xclbin in batches of 2\n5 times\n" in out
    with np.errstate(invalid="ignore"):
        steps = np.round(VALUES / np.float32(0.5)) + 3  # to even, as numpy rounds
    elements = np.clip(np.where(np.isnan(steps), -128, steps), -128, 127).astype(np.int8)
    assert np.array_equal(
        np.fromfile(tmp_path / "out", np.float32).reshape(3, 4), (elements + np.float32(1)) * np.float32(0.25)
    )
    elements.tofile(tmp_path / "in8")
    code, out, _ = said(
        program,
        "x.xclbin",
        tmp_path / "in8",
        "--elements",
        "--output",
        tmp_path / "out8",
        "--golden",
        tmp_path / "in8",
    )
    assert code == 0 and "TEST PASSED" in out
    assert "in batches of 3" in out, "no more than there are images"
    assert (tmp_path / "out8").read_bytes() == elements.tobytes()


@pytest.mark.parametrize(
    ("change", "tolerance", "passes"),
    [
        (0.125, None, True),
        (0.25, None, False),
        (0.25, 0.25, True),
        (np.nan, None, False),
        (np.inf, 1e9, False),
    ],
)
def test_results_are_compared_with_a_golden_file(
    program: Path, tmp_path: Path, change: float, tolerance: float | None, passes: bool
) -> None:
    """One value differs: by no more than is allowed, by more, or by no number."""
    np.zeros((3, 4), np.float32).tofile(tmp_path / "in")
    golden = np.full((3, 4), 1, np.float32)  # (3 - -1) / 4
    golden[1, 1] += change
    golden.tofile(tmp_path / "golden")
    more = () if tolerance is None else ("--tolerance", tolerance)
    code, out, _ = said(program, "x.xclbin", tmp_path / "in", "--golden", tmp_path / "golden", *more)
    assert code == (0 if passes else 1)
    assert "1 of 12 values differ" in out
    assert ("TEST PASSED" if passes else "TEST FAILED") in out


def test_a_golden_file_of_another_size_fails(program: Path, tmp_path: Path) -> None:
    np.zeros((3, 4), np.float32).tofile(tmp_path / "in")
    np.ones((2, 4), np.float32).tofile(tmp_path / "golden")
    code, out, _ = said(program, "x.xclbin", tmp_path / "in", "--golden", tmp_path / "golden")
    assert code == 1
    assert "the golden file has 8 values, the results are 12" in out
