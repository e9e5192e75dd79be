"""What is released: wheel and source distribution, installed into empty environments and used as a newcomer would.

pytest -m slow tests/release                                     # with this Python and what it has installed
AIELOOM_PYTHONS=python3.12:python3.13 pytest -m slow tests/release    # also with these, which fetch packages by pip
"""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CORE = "aieloom-*.whl"
OTHERS = [p for p in os.environ.get("AIELOOM_PYTHONS", "").split(":") if p]
pytestmark = pytest.mark.slow


def call(*words: str, cwd: Path, **environment: str) -> str:
    """Run a program outside of this checkout; return what it says."""
    env = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "VIRTUAL_ENV"))}
    done = subprocess.run(
        words,
        cwd=cwd,
        env=env | environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{' '.join(words)}\n{done.stdout}"
    return done.stdout


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the wheels and the source distribution."""
    folder = tmp_path_factory.mktemp("dist")
    call(
        sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-t", "wheel", "-d", str(folder), cwd=ROOT
    )
    call(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder), cwd=ROOT / "serve")
    return folder


def one(folder: Path, pattern: str) -> Path:
    (found,) = folder.glob(pattern)
    return found


def wheels(folder: Path) -> list[str]:
    """Return aieloom's wheel and that of `aieloom serve`."""
    return [str(one(folder, pattern)) for pattern in (CORE, "aieloom_serve-*.whl")]


def test_the_source_distribution_is_complete(made: Path, tmp_path: Path) -> None:
    with tarfile.open(one(made, "*.tar.gz")) as archive:
        names = {n.partition("/")[2] for n in archive.getnames()}
        archive.extractall(tmp_path, filter="data")
    for wanted in (
        "tests/conftest.py",
        "tests/plan/test_plan_rules.py",
        "docs/errors.md",
        "projects/espcn/weights.pt",
        "LICENSE",
        "serve/pyproject.toml",
        "serve/src/aieloom_serve/server.py",
        "dodo.py",
    ):
        assert wanted in names
    assert not [n for n in names if "/build/" in n or n.startswith("build/") or n.endswith((".o", ".pyc"))]
    (source,) = tmp_path.iterdir()
    tests = ["tests/plan/test_plan_rules.py", "tests/spec"]
    said = call(
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        *tests,
        cwd=source,
        PYTHONPATH=f"{source / 'scripts'}:{source}",
    )
    assert " passed" in said
    call(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path / "again"), cwd=source)
    with zipfile.ZipFile(one(made, CORE)) as a, zipfile.ZipFile(one(tmp_path / "again", "*.whl")) as b:
        assert a.namelist() == b.namelist(), "the source distribution makes the same wheel"
        headers = [f.relative_to(ROOT) for f in ROOT.glob("*_templates/lib/**/*.h")]
        assert {f"aieloom/templates/{h.as_posix()}" for h in headers} <= {*a.namelist()}


def environment(folder: Path, python: str) -> Path:
    """Make an environment with nothing in it but pip; return its programs' folder."""
    call(python, "-m", "venv", str(folder / "env"), cwd=folder)
    return folder / "env" / "bin"


def smoke(programs: Path, folder: Path) -> None:
    """Do what the README says after an installation."""
    where = call(str(programs / "python"), "-c", "import aieloom; print(aieloom.__file__)", cwd=folder)
    assert str(programs.parent) in where, "it is the wheel's"
    where = call(
        str(programs / "python"), "-c", "import aieloom_serve; print(aieloom_serve.__file__)", cwd=folder
    )
    assert str(programs.parent) in where, "it is the wheel's"
    assert "--token-file" in call(str(programs / "aieloom"), "serve", "--help", cwd=folder)
    assert "mine: " in call(str(programs / "aieloom"), "new", "mine", "--template", "mlp", cwd=folder)
    path = f"{programs}:{os.environ['PATH']}"
    said = call(
        str(programs / "doit"), "sim", cwd=folder / "mine", PATH=path, AIELOOM_CACHE=str(folder / "cache")
    )
    assert "PASS" in said and "bit for bit equal" in said
    build = folder / "mine" / "build" / "mine" / "vck190"
    assert (build / "report" / "index.html").is_file()
    assert [*build.glob("emu/runtime_*.o")] and not [*build.glob("emu/runtime_*.d")], (
        "the wheel brings them compiled"
    )
    assert "cores" in call(str(programs / "aieloom"), "check", "mine", cwd=folder)


def test_the_wheel_works_in_an_empty_environment(made: Path, tmp_path: Path) -> None:
    programs = environment(tmp_path, sys.executable)
    packages = Path(
        call(
            str(programs / "python"), "-c", "import site; print(site.getsitepackages()[0])", cwd=tmp_path
        ).strip()
    )
    call(str(programs / "pip"), "install", "--no-deps", "--no-index", *wheels(made), cwd=tmp_path)
    (packages / "others.pth").write_text(
        sysconfig.get_paths()["purelib"]
    )  # its dependencies, without gigabytes
    (programs / "doit").write_text(
        f"#!{programs / 'python'}\nimport sys\nfrom doit.__main__ import main\nsys.exit(main())\n"
    )
    (programs / "doit").chmod(0o755)
    smoke(programs, tmp_path)


@pytest.mark.parametrize("python", OTHERS)
def test_other_pythons(made: Path, tmp_path: Path, python: str) -> None:
    programs = environment(tmp_path, python)
    constraints = str(ROOT / "constraints.txt")
    call(str(programs / "pip"), "install", "-q", "-c", constraints, *wheels(made), cwd=tmp_path)
    smoke(programs, tmp_path)
