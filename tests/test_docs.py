"""The documents keep pace: links lead somewhere, every rule that can be broken is explained, no path of a machine."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests import documented

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "scripts" / "aieloom"
SOURCES = (PACKAGE, ROOT / "serve" / "src")
DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda d: d.name)
def test_links_lead_somewhere(document: Path) -> None:
    text = re.sub(r"(?ms)^```.*?^```$|`[^`\n]+`", "", document.read_text(encoding="utf-8"))
    for link in re.findall(r"\]\(([^)#]+)(?:#[^)]*)?\)", text):
        if not link.startswith(("http://", "https://", "mailto:")):
            assert (document.parent / link).exists(), f"{document.name}: {link}"


def emulator_rules() -> set[str]:
    """Rules that the emulator's C++ refuses or warns by."""
    sources = [
        f for part in ("include", "src") for f in (PACKAGE / "emulator" / part).rglob("*") if f.is_file()
    ]
    found: set[str] = set()
    for file in sources:
        found |= set(
            re.findall(r'\b(?:refuse|warn)\w*\(\s*"([a-z][a-z0-9-]*)"', file.read_text(encoding="utf-8"))
        )
    return found


def python_rules() -> set[str]:
    """Rules in Problem(rule="...") and in calls whose first argument is a rule."""
    found: set[str] = set()
    for file in (f for top in SOURCES for f in top.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call):
                continue
            found |= {
                k.value.value
                for k in node.keywords
                if k.arg == "rule" and isinstance(k.value, ast.Constant) and isinstance(k.value.value, str)
            }
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if (
                name in {"problem", "report", "Finding"}
                and node.args
                and isinstance(node.args[0], ast.Constant)
            ):
                value = node.args[0].value
                found |= (
                    {value} if isinstance(value, str) and re.fullmatch(r"[a-z]+[a-z0-9-]*", value) else set()
                )
    return found


def test_every_rule_is_explained() -> None:
    explained = {*documented.rules()}
    rules = emulator_rules() | python_rules()
    assert len(rules) > 40
    assert sorted(rules - explained) == [], "explain these in docs/errors.md"
    code = "".join(
        f.read_text(encoding="utf-8") for f in PACKAGE.rglob("*") if f.suffix in {".py", ".h", ".hpp", ".cpp"}
    )
    gone = sorted(rule for rule in explained - rules if f'"{rule}"' not in code)
    assert gone == [], "docs/errors.md explains rules that no code has"


def test_no_file_names_a_path_of_a_machine() -> None:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip("not a git checkout")
    pattern = re.compile(r"/(?:work|root|farm|home/\w+)/[A-Za-z.]")
    wrong = []
    for name in listed.stdout.splitlines():
        path = ROOT / name
        if path.is_file() and path.suffix not in {".png", ".pt"} and path.name != Path(__file__).name:
            wrong += [name] if pattern.search(path.read_text(encoding="utf-8", errors="replace")) else []
    assert wrong == []


def test_readme_s_commands_are_real() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    for script in re.findall(r"bash (\S+)", readme):
        assert (ROOT / script).is_file(), script


def test_no_test_module_hides_one_of_python_s() -> None:
    """pytest puts test folders on sys.path, and processes that tests start inherit it: `numbers.py` there breaks NumPy."""
    hidden = [
        str(f.relative_to(ROOT)) for f in (ROOT / "tests").rglob("*.py") if f.stem in sys.stdlib_module_names
    ]
    assert hidden == []
