"""Operators from elsewhere: a project's own `operators/*.py`, and packages with the entry point group `aieloom.operators`.

Both register by `@operator`, as aieloom's own do. A name that is taken is refused. A project's file is read again when
its text has changed, and its operators then replace their former selves. Templates are found in the folder of the file
that uses them; aieloom's own come first, then the folders of the project that was opened last.
"""

from __future__ import annotations

import hashlib
import importlib
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import entry_points
from pathlib import Path
from types import ModuleType

from aieloom.errors import SpecError
from aieloom.network.readers.registry import plug_in, use
from aieloom.ops.registry import REGISTRY, UNITS

GROUP = "aieloom.operators"
FOLDER = "operators"
RULE = "plug-in"


@dataclass(frozen=True, slots=True)
class _Loaded:
    digest: str
    operators: tuple[str, ...]
    units: tuple[str, ...]


_files: dict[Path, _Loaded] = {}
_folders: list[Path] = []
_packages: set[str] = set()
_package_folders: list[Path] = []


def template_folders() -> tuple[Path, ...]:
    """Return the folders in which plug-ins keep their templates, the project opened last first."""
    return tuple(_folders)


def project_files(project: Path) -> tuple[Path, ...]:
    """Return the files of a project's own operators: modules, templates, and whatever else lies with them."""
    found = (project / FOLDER).rglob("*")
    return tuple(sorted(f for f in found if f.is_file() and f.parent.name != "__pycache__"))


def program_files(project: Path) -> tuple[Path, ...]:
    """Return the modules of a project's own operators that are run."""
    return tuple(f for f in sorted((project / FOLDER).glob("*.py")) if not f.name.startswith("_"))


def package_files() -> tuple[Path, ...]:
    """Return the modules and templates of the installed packages whose operators are registered."""
    kinds = ("*.py", "*.j2")
    return tuple(sorted({f for folder in _package_folders for kind in kinds for f in folder.rglob(kind)}))


def load_plugins(project: Path) -> None:
    """Register the operators of installed packages, and of the project in folder `project`: the one place that runs them.

    Raises:
        SpecError: the project has operators and is not trusted; a plug-in fails, is none, or takes a name that exists.
    """
    load_packages()
    folder = project / FOLDER
    if not folder.is_dir():
        return
    from aieloom.trust import refuse_strangers  # noqa: PLC0415 - few projects have operators

    folder = folder.resolve()
    files = program_files(project)
    refuse_strangers(project, files)
    for file in files:
        _load_file(folder / file.name)
    use((*_packages, *(str(folder / file.name) for file in files)))
    if folder in _folders:
        _folders.remove(folder)
    _folders.insert(0, folder)


def load_packages() -> None:
    """Register the operators of installed packages, and let models be read by theirs and aieloom's alone.

    Raises:
        SpecError: a package fails, or takes a name that exists.
    """
    for point in entry_points(group=GROUP):
        key = f"{point.name} = {point.value}"
        if key in _packages:
            continue
        try:
            with plug_in(key), _taken_back():
                found = point.load()
        except Exception as e:  # whatever the package raises, the user must hear which one it was
            raise _problem(
                f"the entry point '{key}'", f"cannot be loaded: {_what(e)}", "correct or uninstall it"
            ) from e
        _packages.add(key)
        place = found if isinstance(found, ModuleType) else importlib.import_module(found.__module__)
        if place.__file__:
            folder = Path(place.__file__).resolve().parent
            _folders.append(folder)
            _package_folders.append(folder)
    use(_packages)


def _load_file(file: Path) -> None:
    text = file.read_bytes()
    digest = hashlib.sha256(text).hexdigest()
    known = _files.get(file)
    if known and known.digest == digest:
        return
    try:
        with plug_in(str(file)), _taken_back():
            for name in known.operators if known else ():
                REGISTRY.remove(name)
            for name in known.units if known else ():
                del UNITS[name]
            kept, units_kept = set(REGISTRY), set(UNITS)
            _run(file, text, digest)
    except Exception as e:  # whatever the user's code raises, the message names its file
        where = [f.lineno for f in traceback.extract_tb(e.__traceback__) if f.filename == str(file)]
        line = int(where[-1] or 0) if where else int(getattr(e, "lineno", 0) or 0)
        remedy = "correct it, see docs/adding-an-operator.md"
        if "are called '" in str(e):
            remedy = "give it another name; a project cannot replace what there is"
        raise _problem(f"{FOLDER}/{file.name}", _what(e), remedy, line) from e
    made = tuple(n for n in REGISTRY if n not in kept)
    units = tuple(n for n in UNITS if n not in units_kept)
    if not made and not units:
        raise _problem(
            f"{FOLDER}/{file.name}",
            "registers no operator and no unit",
            "decorate its class with @operator, register a Maker, or begin the file's name with _",
        )
    _files[file] = _Loaded(digest, made, units)


@contextmanager
def _taken_back() -> Iterator[None]:
    """Register what stood before again where something fails, and nothing else."""
    operators, units = dict(REGISTRY), dict(UNITS)
    try:
        yield
    except BaseException:
        REGISTRY.keep(())
        for op in operators.values():
            REGISTRY.add(op)
        UNITS.clear()
        UNITS.update(units)
        raise


def _run(file: Path, text: bytes, digest: str) -> None:
    """Execute the file as a module of its own, from its text: compiled files could be older than it."""
    module = ModuleType(f"aieloom_plugin_{digest[:16]}_{file.stem}")
    module.__file__ = str(file)
    sys.modules[module.__name__] = module  # dataclasses and pydantic look their own module up
    exec(compile(text, str(file), "exec"), module.__dict__)


def _what(e: Exception) -> str:
    return f"{type(e).__name__}: {str(e).splitlines()[0] if str(e) else ''}"


def _problem(where: str, text: str, remedy: str, line: int = 0) -> SpecError:
    return SpecError(rule=RULE, file=where, line=line, text=text, remedy=remedy)
