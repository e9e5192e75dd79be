"""The libraries' headers in a project: those that its sources include, word by word, and no other."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from aieloom.emit import library
from aieloom.emit.library import LIBRARIES, included, library_file
from aieloom.emit.printer import Printer, environment_of
from aieloom.flow import inputs
from aieloom.flow.opening import open_any
from tests.emit.compiling import INCLUDE, compiler, complaints
from tests.ops.system import CLASSIFIER, project

HEADERS = {
    "host_templates/lib/aieloom/host/main.h": '#pragma once\n#include "files.h"\n#include <vector>\n',
    "host_templates/lib/aieloom/host/files.h": '#pragma once\n#include "main.h"\n',
    "host_templates/lib/aieloom/host/other.h": "#pragma once\n",
    "pl_templates/lib/aieloom/pl/words.h": "#pragma once\n",
    "pl_templates/lib/aieloom/pl/engine/rows.h": '#pragma once\n  #  include "../words.h"\n',
    "host_templates/one.j2": '{{ header }}\n#include "../include/aieloom/host/main.h"\n',
}


@pytest.fixture
def templates(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of templates with two small libraries, in place of aieloom's."""
    top = tmp_path / "templates"
    for name, text in HEADERS.items():
        (top / name).parent.mkdir(parents=True, exist_ok=True)
        (top / name).write_text(text)
    for module in (library, inputs):
        monkeypatch.setattr(module, "template_folder", lambda name: top / name)
    return top


@pytest.mark.usefixtures("templates")
@pytest.mark.parametrize(
    ("text", "copied"),
    [
        ('#include "../include/aieloom/host/main.h"\n', {"host/files.h", "host/main.h"}),
        ('#include "aieloom/pl/engine/rows.h"\n', {"pl/engine/rows.h", "pl/words.h"}),
        ('#include "../include/aieloom/host/other.h"\n#include <adf.h>\n', {"host/other.h"}),
        ('#include "weights.h"\n// aieloom/host/main.h\n#include <aieloom/pl/words.h>\n', set()),
    ],
)
def test_what_a_source_includes_is_copied_with_what_that_includes(text: str, copied: set[str]) -> None:
    found = included([text])
    assert found.keys() == {f"src/include/aieloom/{name}" for name in copied}
    for path, header in found.items():
        name = path.removeprefix("src/include/")
        assert header == HEADERS[f"{name.split('/')[1]}_templates/lib/{name}"]


def test_a_printed_file_brings_its_headers(templates: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("aieloom.emit.printer.template_folder", lambda name: templates / name)
    environment_of.cache_clear()
    try:
        printer = Printer("p")
        printer.print("host_templates", "one.j2", "src/host/p_host.cpp", "a host")
    finally:
        environment_of.cache_clear()
    assert sorted(printer.tree) == [
        "src/host/p_host.cpp",
        "src/include/aieloom/host/files.h",
        "src/include/aieloom/host/main.h",
    ]


@pytest.mark.usefixtures("templates")
def test_a_header_that_is_not_there_is_named() -> None:
    with pytest.raises(FileNotFoundError, match=r"aieloom/host/none\.h is included"):
        included(['#include "../include/aieloom/host/none.h"\n'])


def test_results_follow_from_every_header_of_a_library(templates: Path, tmp_path: Path) -> None:
    for name in inputs.TEMPLATES:
        (templates / name).mkdir(exist_ok=True)
    opened = open_any(project(tmp_path, CLASSIFIER), build=tmp_path / "build")
    seen = {inputs.inputs_digest(opened)}
    for name in HEADERS:
        file = templates / name
        file.write_text(file.read_text() + "// more\n")
        seen.add(inputs.inputs_digest(opened))
    assert len(seen) == len(HEADERS) + 1


def test_the_installations_headers_include_only_what_is_there() -> None:
    tops = {name: library.template_folder(folder) / "lib" for name, folder in LIBRARIES.items()}
    headers = [f.relative_to(top).as_posix() for top in tops.values() for f in top.rglob("*.h")]
    copied = included(f'#include "{header}"\n' for header in headers)
    assert copied == {f"{library.FOLDER}/{h}": library_file(h).read_text(encoding="utf-8") for h in headers}


@pytest.mark.integration
def test_each_header_of_host_programs_is_read_by_itself(tmp_path: Path) -> None:
    """It includes what it uses; the emulator's headers stand for XRT's."""
    for name in library.LIBRARIES.values():  # beside each other, as in a project: one may include the other's
        shutil.copytree(library.template_folder(name) / "lib", tmp_path / "lib", dirs_exist_ok=True)
    headers = sorted((tmp_path / "lib" / "aieloom" / "host").rglob("*.h"))
    strict = ("-std=c++17", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-isystem", str(INCLUDE))
    assert len(headers) > 20
    for header in headers:
        (tmp_path / f"{header.stem}.cpp").write_text(f'#include "{header}"\n')
    assert complaints([[compiler("g++"), *strict, *map(str, sorted(tmp_path.glob("*.cpp")))]]) == ""
