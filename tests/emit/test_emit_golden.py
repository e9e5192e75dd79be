"""Generated sources byte by byte: against the files in tests/golden, on another path and in another process.

How these are stored and written anew: golden.py.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

from aieloom.emit.project import render
from tests.designs import ESPCN, ROOT, SMALL, STREAMED, design_of, network_of
from tests.emit.golden import DESIGNS, GOLDEN, TEMPLATES, compare, plain_weights, printed, sources
from tests.ops.lines import WRAPPED
from tests.pl import lanes

# streaming: a pool behind lanes, a fork and a join of rows, words of skewed banks to memory


@pytest.mark.parametrize("name", DESIGNS)
def test_sources_equal_the_golden_files(name: str) -> None:
    compare(sources(DESIGNS[name]), GOLDEN / name)


def test_a_change_of_any_line_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also of lines that another golden file shows, and of their number."""
    monkeypatch.delenv("AIELOOM_REGEN", raising=False)
    path = "src/pl/pl_start.cpp"
    tree = sources(DESIGNS["split"])
    lines = tree[path].splitlines(keepends=True)
    for at in range(0, len(lines), 10):
        for changed in ("x" + lines[at], "", 2 * lines[at]):
            with pytest.raises(AssertionError, match=path):
                compare({**tree, path: "".join([*lines[:at], changed, *lines[at + 1 :]])}, GOLDEN / "split")


def test_a_change_of_a_file_that_is_stored_once_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AIELOOM_REGEN", raising=False)
    tree, path = sources(DESIGNS["split"]), "src/session.h"
    assert not (GOLDEN / "split" / path).exists()
    with pytest.raises(AssertionError, match=path):
        compare({**tree, path: tree[path] + "\n"}, GOLDEN / "split")


def test_every_line_is_shown_to_who_reviews_the_golden_files() -> None:
    """In one of them or, where it computes nothing, in a template; of tables of numbers three rows, of a project's name one."""
    files = [
        f for top in (GOLDEN, *(ROOT / name for name in TEMPLATES)) for f in top.rglob("*") if f.is_file()
    ]
    shown = {line for f in files for line in f.read_text(encoding="utf-8").splitlines()}
    hidden = {
        (path, line)
        for name in DESIGNS
        for path, text in sources(DESIGNS[name]).items()
        for line in text.splitlines()
        if line not in shown
        and line.replace(name, "small") not in shown
        and not re.fullmatch(r"[-+\s.,\deF]+", line)
    }
    assert hidden == set()


def test_streaming_kernels_equal_the_golden_files() -> None:
    tree = sources(STREAMED)
    compare({path: text for path, text in tree.items() if "/pl_" in path}, GOLDEN / "streamed")
    check_tidy(tree)


def test_a_kernel_of_rows_of_a_word_and_beats_on_two_rows_equals_the_golden_file() -> None:
    tree = {path: text for path, text in sources(WRAPPED).items() if "/pl_act_" in path}
    compare(tree, GOLDEN / "wrapped")
    check_tidy(tree)


def test_kernels_of_the_library_equal_the_golden_files() -> None:
    """Those without multipliers, which follow from sums of floats."""
    files = (f"src/pl/{name}.cpp" for name in ("pl_input_to_c0", "pl_c0_to_c1_and_s2", "pl_c1_to_c2"))
    tree = {path: lanes.sources()[path] for path in files}
    compare(tree, GOLDEN / "lanes")
    check_tidy(tree)


@pytest.mark.parametrize("name", ["ports", "pooled"])
def test_chains_equal_the_golden_files(name: str) -> None:
    """Tables for four bands, one beside a core of two streams of images; a feeder, and a pool on a core of its own."""
    from tests.strategies.chained import designs  # noqa: PLC0415 - the copy below has no tests/strategies

    text = {"ports": designs.TWO_PORTS, "pooled": designs.POOLED}[name]
    tree = render(designs.bfloat16_plan(text), plain_weights(network_of(text)))
    compare({path: text for path, text in tree.items() if "/pl_" not in path}, GOLDEN / name)
    check_tidy(tree)


PROGRAM = """
import hashlib, json, sys
from tests.emit.golden import DESIGNS, sources
print(json.dumps({n: {p: hashlib.sha256(t.encode()).hexdigest() for p, t in sources(DESIGNS[n]).items()} for n in DESIGNS}))
"""


def test_another_path_process_and_hash_seed_give_the_same_bytes(tmp_path: Path) -> None:
    elsewhere = tmp_path / "some where else"
    for name in (
        *TEMPLATES,
        "scripts",
        "tests/emit",
        "tests/ops",
        "projects/espcn/network.yaml",
        "tests/designs.py",
    ):
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, elsewhere / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            (elsewhere / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, elsewhere / name)
    found = []
    for folder, seed in ((ROOT, "1"), (elsewhere, "2")):
        env = {**os.environ, "PYTHONPATH": f"{folder / 'scripts'}:{folder}", "PYTHONHASHSEED": seed}
        run = subprocess.run(
            [sys.executable, "-c", PROGRAM], cwd=tmp_path, env=env, capture_output=True, text=True, check=True
        )
        found.append(json.loads(run.stdout))
    assert found[0] == found[1]
    assert len(found[0]["small"]) > 15


@pytest.mark.parametrize("text", [ESPCN, *DESIGNS.values()], ids=["espcn", *DESIGNS])
def test_no_source_names_a_machine_or_is_untidy(text: str) -> None:
    check_tidy(design_of(text).files())


def check_tidy(tree: Mapping[str, str]) -> None:
    for path, content in printed(tree).items():
        assert not re.search(r"(?<![\w.])/(home|root|tmp|usr|work|mnt|var|opt)/", content), path
        assert content.endswith("\n"), path
        assert not content.endswith("\n\n"), path
        assert not re.search(r"[ \t]+$", content, re.MULTILINE), path
        assert "\t" not in content, path
        assert "\n\n\n" not in content, path
        assert max(map(len, content.splitlines())) <= 150, path
        assert path.split("/")[-1] in content.splitlines()[0], "the header names the file"
        assert "doit gen project=" in content.splitlines()[1], "and the command that makes it again"


def test_templates_compute_nothing() -> None:
    """They loop, print, and ask whether a value of the plan is there; what follows from it the plan says."""
    asked = r"(?:if|elif) (?:not )?[a-z_]+(?:\.[a-z_]+)*|else|endif|for .*|endfor|include .*|with .*|endwith"
    asked += r"|filter indent\([a-z_.]+, true\)|endfilter"  # as deep as the loops are that the plan has
    files = [f for name in TEMPLATES for f in (ROOT / name).rglob("*.j2")]
    assert len(files) > 15
    computed = [
        (f.name, said)
        for f in files
        for said in re.findall(r"{%-?\s*(.*?)\s*-?%}|\{\{([^}]* if [^}]*)\}\}", f.read_text())
        if not re.fullmatch(asked, said[0])
    ]
    assert computed == []


def test_retiling_a_layer_changes_only_what_it_touches() -> None:
    before = sources(SMALL)
    after = sources(SMALL.replace("tile: [4, 36, 20]", "tile: [4, 36, 12]"))
    changed = {path for path in before if before[path] != after.get(path)}
    assert before.keys() == after.keys()
    touched = {
        "src/aie/second.cc",
        "src/aie/second_graph.h",
        "src/aie/second_kernel.h",
        "src/aie/graph.h",
        "src/system.cfg",
    }
    assert changed == touched | {"src/pl/pl_act.cpp", "src/pl/pl_shuffle.cpp"}


def test_one_kernel_source_per_layer_and_weights_in_one_place() -> None:
    tree = design_of(ESPCN).files()
    aie = sorted(p.removeprefix("src/aie/") for p in tree if p.startswith("src/aie/"))
    per_layer = [
        f"{n}{s}" for n in ("conv1", "conv2", "conv3") for s in (".cc", "_kernel.h", "_graph.h", "_weights.h")
    ]
    assert aie == sorted([*per_layer, "graph.h", "graph.cpp"])
    assert sorted(p for p in tree if p.startswith("src/pl/")) == [
        f"src/pl/{n}.cpp" for n in ("mm2s", "pl_shuffle", "pl_tanh1", "pl_tanh2", "s2mm")
    ]


def test_the_linkers_configuration_lists_every_stream_once() -> None:
    text = design_of(ESPCN).files()["src/system.cfg"]
    links = re.findall(r"^stream_connect=(\S+):(\S+)$", text, re.MULTILINE)
    assert len(links) == len(set(links)) == 213
    assert ("pl_tanh1_1.out_31", "ai_engine_0.conv2_in_31") in links
    kernels = re.findall(r"^nk=(\w+):1:(\w+)$", text, re.MULTILINE)
    assert [k for k, _ in kernels] == ["mm2s", "pl_tanh1", "pl_tanh2", "pl_shuffle", "s2mm"]
    assert re.findall(r"^freqHz=(\d+):(\S+)$", text, re.MULTILINE) == [
        ("312500000", "mm2s_1,s2mm_1"),
        ("260000000", "pl_tanh1_1,pl_tanh2_1,pl_shuffle_1"),
    ]
    assert re.findall(r"^sp=(\S+):(\S+)$", text, re.MULTILINE) == [
        ("mm2s_1.memory", "DDR"),
        ("s2mm_1.memory", "DDR"),
    ]


def test_printed_weights_are_the_tensors_in_the_kernels_order() -> None:
    design = design_of(SMALL)
    text = design.files()["src/aie/second_weights.h"]
    body, bias = text.split("second_bias")
    numbers = [np.float32(t) for t in re.findall(r"(-?[\d.e+-]+)F,", body)]
    grid = design.plan.aie[1].grid
    weight = design.parameters["second"]["weight"].reshape(4, 72)
    assert np.array_equal(np.array(numbers, np.float32), grid.weights.gather(weight))
    columns = [np.float32(t) for t in re.findall(r"(-?[\d.e+-]+)F,", bias)]
    assert np.array_equal(np.array(columns, np.float32), np.repeat(design.parameters["second"]["bias"], 4))
