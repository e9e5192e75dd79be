"""The report: one file that says everything the plan and the run say, legible in a real browser, whatever the width."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from html import unescape
from html.parser import HTMLParser
from io import BytesIO
from itertools import combinations
from pathlib import Path
from typing import Any, cast
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image

from aieloom.errors import SpecError
from aieloom.flow.designs import design_of
from aieloom.flow.opening import open_project
from aieloom.flow.project import Project
from aieloom.flow.reproduce import reproduce
from aieloom.plan.energy import peak_macs
from aieloom.plan.types import ArrayPart
from aieloom.plan.whole import whole
from aieloom.report.cards import arithmetic_of
from aieloom.report.floorplan import SCALE, as_png, floorplan
from aieloom.report.in_numbers import batches
from aieloom.report.memorymap import blocks, memory_map
from aieloom.report.parts import Cell
from aieloom.report.roofline import points, roofline
from aieloom.report.routing import routing
from aieloom.report.shape import Summary
from aieloom.report.site import write_page
from aieloom.report.summary import performance, resources
from aieloom.report.svg import PALETTE
from aieloom.report.timeline import round_step, stage_times, union
from aieloom.simulation.events import Process, Simulation, Tokens, Wait
from aieloom.simulation.of_plan import modelled_rates, simulate_plan
from tools.measured_keys import MEASURED

ESPCN = Path(__file__).resolve().parents[2] / "projects" / "espcn"
SVG = "{http://www.w3.org/2000/svg}"
BROWSER = shutil.which("chromium") or shutil.which("google-chrome")
SECTIONS = (
    "tables",
    "network",
    "floorplan",
    "routing",
    "time",
    "timeline",
    "layers",
    "roofline",
    "memory",
    "logic",
    "quality",
    "rules",
    "again",
)


@pytest.fixture(scope="module")
def project() -> Project:
    return open_project(ESPCN)


@pytest.fixture(scope="module")
def plan(project: Project) -> ArrayPart:
    return project.array


def summary_of(project: Project, **more: Any) -> dict[str, Any]:
    """What a run leaves behind, without running."""
    return {
        "project": project.name,
        "target": project.target,
        "passed": True,
        "faults": [],
        "golden": {"max_abs_err": 0.0, "bit_exact": True, "samples": 24},
        "quality": {"psnr_emulated_db": 29.09, "max_abs_err_pytorch": 0.01},
        "resources": resources(whole(project.array)),
        "performance": performance(project.array),
        "layers": [{"layer": "conv2", "max_abs_err": 0.02, "mean_abs_err": 0.001, "sqnr_db": 54.5}],
        "reproduce": reproduce(project),
        "timing_s": {"plan": 0.3, "run": 12.0},
        "network_yaml": project.network.spec.source.data,
        "processor_baseline": {
            "produced_by": "measured: PyTorch 2.9, float32, on this machine",
            "machine": "2 x Some Processor",
            "rows": [{"images": 1, "seconds": 0.0014, "images_per_s": 714.3}],
            "noise": "",
        },
        **more,
    }


@pytest.fixture(scope="module")
def page(project: Project, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of a run that is compared with a slower design and has pictures, confusion and vendor runs."""
    root = tmp_path_factory.mktemp("report")
    other = summary_of(project)
    other["performance"] = {**other["performance"], "throughput_fps": 1000.0}
    other["resources"] = {**other["resources"], "aie_cores": 96}
    written = json.loads(json.dumps(project.network.spec.source.data))
    written["mapping"]["conv2"]["tile"] = [8, 288, 8]
    other["network_yaml"] = written
    (root / "other/report").mkdir(parents=True)
    (root / "other/report/summary.json").write_text(json.dumps(other))
    folder = root / "report"
    folder.mkdir()
    Image.new("L", (40, 30), 128).save(folder / "images.png")
    confusion = {"labels": ["zero", "one"], "counts": [[9, 1], [0, 12]]}
    runs = {"aie": {"produced_by": "aiesimulator, Vitis 2024.2", "lines": ["PASS <b>3</b> streams"]}}
    (folder / "summary.json").write_text(json.dumps(summary_of(project, confusion=confusion, runs=runs)))
    write_page(design_of(project).shown, folder, compare=root / "other")
    return folder / "index.html"


class _Parser(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.words.append(data)


@pytest.fixture(scope="module")
def parsed(page: Path) -> _Parser:
    parser = _Parser()
    parser.feed(page.read_text(encoding="utf-8"))
    return parser


def test_the_page_is_one_file_that_fetches_nothing(parsed: _Parser, page: Path, project: Project) -> None:
    assert {tag for tag, _ in parsed.tags} & {"script", "link", "iframe", "object"} == set()
    for tag, attributes in parsed.tags:
        for name in ("src", "href"):
            value = attributes.get(name) or "#"
            beside = tag == "a" and value in {"trace.json", "https://ui.perfetto.dev"}  # for who follows them
            assert beside or value.startswith(("#", "data:image/png;base64,")), (tag, value)
    assert "url(http" not in page.read_text(encoding="utf-8")
    assert all((page.parent / name).stat().st_size > 500 for name in design_of(project).shown.files)


def test_every_section_is_there_and_linked(parsed: _Parser) -> None:
    ids = [a["id"] for tag, a in parsed.tags if tag == "section"]
    assert ids == ["compare", *SECTIONS[:-2], "vendor", *SECTIONS[-2:]]
    links = {a["href"] for tag, a in parsed.tags if tag == "a" and (a["href"] or "").startswith("#")}
    assert links == {f"#{i}" for i in ids}


def test_the_page_says_what_plan_and_run_say(parsed: _Parser, plan: ArrayPart) -> None:
    words = " ".join(" ".join(parsed.words).split())
    for check in plan.checks:
        assert f" {check.rule} " in words
    for stage in plan.cost.stages:
        assert f"{stage.cycles:,}" in words
    assert "modelled, not measured" in words and "measured in the emulator" in words
    assert "54.5 dB" in words and "at the design's rate" in words
    assert "doit sim project=espcn target=vck190" in words and "sha256" in words
    assert "PASS <b>3</b> streams" in words, "text of others is escaped"
    assert "9" in words and "zero" in words
    macs, cycles = 32 * 576 * 256, next(s.cycles for s in plan.cost.stages if s.name == "conv2")
    assert f"{macs / (128 * cycles * 8):.0%}" in words  # 8 float32 MACs a cycle [AM009]


def test_pages_of_timed_runs_are_linked_where_they_are(project: Project, page: Path, tmp_path: Path) -> None:
    assert "timed.html" not in page.read_text()
    shutil.copy(page.parent / "summary.json", tmp_path)
    (tmp_path / "timed.html").write_text("of a timed run")
    write_page(design_of(project).shown, tmp_path)
    text = (tmp_path / "index.html").read_text()
    assert '<a href="timed.html">the array alone</a>' in text
    assert "system.html" not in text


def test_the_bars_show_the_stages_and_mark_the_slowest(page: Path, plan: ArrayPart) -> None:
    text = page.read_text(encoding="utf-8")
    rows = re.findall(r"<tr( class=\"slowest\")?><td>(\w+)(?:<br>)?.*?width: ([\d.]+)%", text)
    slowest = max(s.interval_us for s in plan.cost.stages)
    assert {name: float(width) for _, name, width in rows} == {
        s.name: round(100 * s.interval_us / slowest, 2) for s in plan.cost.stages
    }
    assert [name for mark, name, _ in rows if mark] == [plan.cost.bottleneck]


def test_the_whole_design_s_arithmetic_is_two_operations_a_product(plan: ArrayPart) -> None:
    """ESPCN: 64 x 1 x 5 x 5, 32 x 64 x 3 x 3 and 4 x 32 x 3 x 3 products for each of 16 x 16 pixels; AIE: 8 float32 MACs a cycle."""
    products = 256 * (64 * 25 + 32 * 576 + 4 * 288)
    found = arithmetic_of(plan, 1000.0)
    assert found.gops == pytest.approx(2 * products * 1000 / 1e9)
    assert found.utilisation == pytest.approx(products * 1000 / (plan.cores * 8 * 1250e6))


def test_a_rule_that_is_kept_or_not_is_not_shown_as_nearly_broken(page: Path, plan: ArrayPart) -> None:
    """One kernel on a core is all of one, and no warning; a full budget is one."""
    text = page.read_text(encoding="utf-8")
    rows = re.findall(r'<tr><td class="id">([a-z0-9-]+)</td>(.*?)</tr>', text[text.index('id="rules"') :])
    assert [rule for rule, _ in rows] == [c.rule for c in plan.checks]
    for (rule, row), c in zip(rows, plan.checks, strict=True):
        plain = not c.limit or c.limit == np.inf or rule in ("core-2", "dma-3", "name-1")
        assert ("✔" in row) == plain, rule
        assert ('class="near"' in row) == (not plain and c.used > 0.9 * c.limit), rule
    assert any(rule == "core-2" and "✔" in row for rule, row in rows)


def test_the_comparison_judges_what_can_be_judged(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    row = re.search(r"<tr><td>images/s end.*?</tr>", text, re.DOTALL)
    assert row and "1,000.0" in row[0] and "better" in row[0]
    row = re.search(r"<tr><td>AIE cores.*?</tr>", text, re.DOTALL)
    assert row and ">160<" in row[0] and ">96<" in row[0] and "worse" in row[0]
    section = text[text.index('id="compare"') : text.index('id="tables"')]
    assert "AIE tiles" not in section, "what is the same is left out, and counted"
    assert re.search(r"[1-9]\d* more figures are the same", section)
    assert "96 cores, in " in section and "160 cores, in " in section, "which builds they are"
    assert "mapping.conv2.tile: [8, 288, 8] -&gt; [8, 576, 8]" in section, "what differs in network.yaml"


def test_nothing_to_compare_with_is_refused(project: Project, page: Path, tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="of a run"):
        write_page(design_of(project).shown, page.parent, compare=tmp_path)


def test_a_run_without_extras_has_a_page_too(project: Project, tmp_path: Path) -> None:
    bare = summary_of(project, quality={}, passed=False, faults=["3 samples differ"])
    for key in ("layers", "reproduce"):
        del bare[key]
    (tmp_path / "summary.json").write_text(json.dumps(bare))
    write_page(design_of(project).shown, tmp_path)
    text = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert "FAIL" in text and "3 samples differ" in text and "Compared with" not in text


def test_the_roofline_s_points_are_the_layers_arithmetic(plan: ArrayPart) -> None:
    found = {p.layer: p for p in points(plan)}
    conv2 = found["conv2"]
    moved = 4 * (32 * 576 * 8 + 128 * 8 * 8)  # each group's input tile, each core's output tile
    assert conv2.intensity == pytest.approx(32 * 576 * 256 / moved)
    stage = next(s for s in plan.cost.stages if s.name == "conv2")
    assert conv2.gmacs == pytest.approx(32 * 576 * 256 / stage.interval_us / 1e3)
    assert conv2.compute_roof == pytest.approx(128 * 8 * 1.25)
    assert conv2.stream_roof == pytest.approx((32 + 128) * 8 * 0.26 * conv2.intensity)
    assert peak_macs(plan, plan.aie[1]) == 8
    for p in found.values():
        assert 0 < p.gmacs < p.roof, "no layer is faster than its own roof"
    words = [t.text or "" for t in ElementTree.fromstring(roofline(plan)).iter(f"{SVG}text")]
    assert all(any(w.startswith(f"{i}  {name}: ") for w in words) for i, name in enumerate(found, 1))


@pytest.mark.parametrize("project", ["mnist", pytest.param("resnet8", marks=pytest.mark.slow), "espcn-fast"])
def test_no_number_of_the_roofline_covers_a_point(project: str, tmp_path: Path) -> None:
    drawn = ElementTree.fromstring(roofline(open_project(ESPCN.parent / project, build=tmp_path).array))
    circles = [r for r in drawn.iter(f"{SVG}rect") if r.get("rx") == "6"]
    numbers = [
        t
        for t in drawn.iter(f"{SVG}text")
        if re.fullmatch(r"[\d,]+", t.text or "") and t.get("font-size") == "12"
    ]
    assert circles and numbers
    for number in numbers:
        left, base = float(number.get("x", "0")), float(number.get("y", "0"))
        right = left + 7 * len(number.text or "")
        for c in circles:
            x, y = float(c.get("x", "0")), float(c.get("y", "0"))
            assert right <= x or x + 12 <= left or base <= y or y + 12 <= base - 9
    assert sum((n.text or "").count(",") + 1 for n in numbers) == len(circles)


def test_the_memory_map_shows_every_block_once_without_overlap(plan: ArrayPart) -> None:
    size = plan.device.tile.memory_bytes
    for layer in plan.aie:
        found = blocks(plan, layer)
        assert len(found) == sum(n.copies for n in layer.draft.needs) + 1
        for a, b in combinations(found, 2):
            if a.memory == b.memory:
                assert a.offset + a.bytes <= b.offset or b.offset + b.bytes <= a.offset
        assert all(b.offset >= 0 and b.offset + b.bytes <= size for b in found)
        titles = [t.text or "" for t in ElementTree.fromstring(memory_map(plan, layer)).iter(f"{SVG}title")]
        assert len(titles) == len(found)


def test_the_png_has_the_svg_s_colours_where_its_tiles_are(plan: ArrayPart) -> None:
    svg = floorplan(plan)
    with Image.open(BytesIO(as_png(svg))) as picture:
        for rect in ElementTree.fromstring(svg).iter(f"{SVG}rect"):
            title = rect.find(f"{SVG}title")
            if title is None or not re.search(r"conv\d\[\d+\]: group", title.text or ""):
                continue
            at = [round((float(rect.get(k, "0")) + 3) * SCALE) for k in ("x", "y")]
            seen = picture.convert("RGB").crop((at[0], at[1], at[0] + 1, at[1] + 1)).tobytes()
            assert f"#{seen.hex().upper()}" == rect.get("fill")


def test_the_palette_is_told_apart_by_colour_blind_people() -> None:
    """Simulated protanopia and deuteranopia (Vienot 1999, linear RGB): the colours stay apart, with a frame around each."""
    simulations = {
        "protanopia": [[0.11238, 0.88762, 0], [0.11238, 0.88762, 0], [0.00401, -0.00401, 1]],
        "deuteranopia": [[0.29275, 0.70725, 0], [0.29275, 0.70725, 0], [-0.02234, 0.02234, 1]],
    }
    rgb = np.array([[int(c[i : i + 2], 16) for i in (1, 3, 5)] for c in PALETTE]) / 255
    for matrix in simulations.values():
        seen = np.clip(rgb**2.2 @ np.array(matrix).T, 0, 1) ** (1 / 2.2)
        for a, b in combinations(range(len(PALETTE) - 1), 2):
            assert np.abs(seen[a] - seen[b]).max() > 0.08, (PALETTE[a], PALETTE[b])


PROBE = """
<script>
const bad = [];
for (const svg of document.querySelectorAll('svg')) {
  const boxes = [...svg.querySelectorAll('text')].map(t => [t.textContent, t.getBoundingClientRect()]);
  const frame = svg.getBoundingClientRect();
  for (let i = 0; i < boxes.length; i++) {
    const [words, a] = boxes[i];
    if (a.left < frame.left - 1 || a.right > frame.right + 1 || a.bottom > frame.bottom + 1) bad.push('outside: ' + words);
    for (let j = i + 1; j < boxes.length; j++) {
      const b = boxes[j][1];
      const w = Math.min(a.right, b.right) - Math.max(a.left, b.left);
      const h = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
      if (w > 1.5 && h > 3) bad.push(words + ' over ' + boxes[j][0]);
    }
  }
}
const root = document.documentElement;
if (root.scrollWidth > root.clientWidth + 1) bad.push('the page is ' + root.scrollWidth + ' wide in ' + root.clientWidth);
for (const t of document.querySelectorAll('.card b, h1, h2, .bars td')) {
  if (t.scrollWidth > t.clientWidth + 1) bad.push('cut: ' + t.textContent);
}
document.title = 'PROBED ' + JSON.stringify(bad);
</script>
"""


def probed(text: str, folder: Path, width: int) -> list[str]:
    """Return what the probe finds in a page, in Chromium."""
    file = folder / "probed.html"
    file.write_text(text.replace("</body>", f"{PROBE}</body>"), encoding="utf-8")
    done = subprocess.run(
        [
            *(str(BROWSER), "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom"),
            *(f"--user-data-dir={folder / 'profile'}", f"--window-size={width},2000", file.as_uri()),
        ],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    said = re.search(r"<title>PROBED (.*?)</title>", done.stdout)
    assert said, done.stderr[-2000:]
    found: list[str] = json.loads(unescape(said[1]))
    return found


@pytest.mark.skipif(BROWSER is None, reason="no Chromium here")
def test_the_probe_finds_what_it_looks_for(tmp_path: Path) -> None:
    svg = "<svg width='200' height='50'><text x='5' y='20'>one</text><text x='9' y='22'>two</text></svg>"
    found = probed(f"<body>{svg}<div style='width: 3000px'>wide</div></body>", tmp_path, 800)
    assert "one over two" in found and any("the page is" in f for f in found)


@pytest.mark.skipif(BROWSER is None, reason="no Chromium here")
@pytest.mark.parametrize("width", [1280, 420])
def test_in_a_browser_nothing_overlaps_and_nothing_sticks_out(page: Path, tmp_path: Path, width: int) -> None:
    assert probed(page.read_text(encoding="utf-8"), tmp_path, width) == []


@pytest.mark.skipif(BROWSER is None, reason="no Chromium here")
def test_many_small_layers_on_each_other_stay_legible(tmp_path: Path) -> None:
    """Five layers of one core with the same rate, 8-bit, with classes."""
    project = open_project(ESPCN.parent / "iris")
    layers = [{"layer": la.name, "max_abs_err": None, "sqnr_db": 40.0} for la in project.array.aie]
    confusion = {"labels": [0, 1, 2], "counts": [[170, 0, 0], [0, 170, 0], [0, 4, 156]]}
    run = summary_of(project, layers=layers, confusion=confusion, quality={"accuracy_emulated": 0.992})
    (tmp_path / "summary.json").write_text(json.dumps({**run, "quantisation": {}}))
    write_page(design_of(project).shown, tmp_path)
    text = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert "int8" in text and "40.0 dB" in text and ">156</td>" in text and "the float network" in text
    assert probed(text, tmp_path, 1280) == []


def test_the_tables_have_shares_of_the_device(page: Path) -> None:
    """The thesis' figures of ESPCN: 160 of 400 cores are 40 %; 212 streams of 64 or 128 bits take 232 of 39 columns' 8 + 6."""
    text = page.read_text(encoding="utf-8")
    section = re.sub(r"<[^>]*>", " ", text[text.index('id="tables"') : text.index('id="network"')])
    assert re.search(r"AI Engine cores\s+160\s+400\s+40\.0", section)
    assert re.search(r"PL streams of 64 bits\s+232\s+546\s+42\.5", section)
    assert "2 x Some Processor; PyTorch 2.9" in section


def test_what_was_measured_is_marked_on_the_page(project: Project, tmp_path: Path) -> None:
    """Pages of two machines differ in marked elements alone; each key of `MEASURED` that is shown is marked."""
    pages = []
    for n, factor in enumerate((1, 3)):
        summary = summary_of(project, peak_memory_bytes=factor << 20)
        summary["timing_s"] = {name: factor * s for name, s in summary["timing_s"].items()}
        rows = [{"images": 1, "seconds": factor * 0.0014, "images_per_s": 714.3 / factor}]
        baseline = {"produced_by": f"PyTorch 2.{n}", "machine": f"machine {n}", "rows": rows, "noise": ""}
        summary["processor_baseline"] = baseline
        assert set(summary) >= MEASURED
        (tmp_path / "summary.json").write_text(json.dumps(summary))
        write_page(design_of(project).shown, tmp_path)
        pages.append((tmp_path / "index.html").read_text(encoding="utf-8"))
    assert pages[0] != pages[1]
    one, other = (re.sub(r"<(\w+)[^>]* data-measured>.*?</\1>", "", text) for text in pages)
    assert one == other


def test_a_design_compared_with_itself_is_told_to_be_the_same(project: Project, tmp_path: Path) -> None:
    (tmp_path / "summary.json").write_text(json.dumps(summary_of(project)))
    write_page(design_of(project).shown, tmp_path, compare=tmp_path)
    text = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert "Compared with" in text and re.search(r"\d+ figures are the same in both", text)
    assert "the other</th>" not in text


def test_the_time_of_many_images_is_a_latency_and_intervals(plan: ArrayPart, project: Project) -> None:
    rows = batches(plan, cast(Summary, summary_of(project)))
    run, rates = simulate_plan(plan), modelled_rates(plan)
    one, ten, *_, most = rows
    assert one.device_us == pytest.approx(run.latency_us)
    assert ten.device_us - one.device_us == pytest.approx(9 * rates.memory.interval_us)
    assert 1e6 * most.images / most.device_us == pytest.approx(rates.memory.images_per_s, rel=1e-3)
    assert all(r.system_us > r.device_us for r in rows)
    assert one.processor_us == pytest.approx(1400) and ten.processor_us is None
    assert one.cells["device_quicker"] == Cell(text=f"{1400 / run.latency_us:,.3g} x", measured=True)


@pytest.mark.integration
@pytest.mark.parametrize("name", ["espcn", "espcn-fast", pytest.param("resnet8", marks=pytest.mark.slow)])
def test_what_a_stage_does_and_waits_for_fills_its_time(name: str) -> None:
    """One stage at least works all the time; no share is above one, and a stage waits for another one's process."""
    plan = open_project(ESPCN.parent / name).array
    times = stage_times(plan, simulate_plan(plan, waits=True))
    known = {s.name for s in plan.cost.stages} | {"its other half"}
    assert {t.name for t in times} == {s.name for s in plan.cost.stages}
    assert max(t.busy for t in times) == pytest.approx(1, abs=0.05)
    for t in times:
        assert 0 < t.busy <= 1 + 1e-6, t
        assert sum(share for _, share in t.waits) <= 1 + 1e-6, t
        assert {who for who, _ in t.waits} <= known, t


def test_waits_name_who_gave_what_was_waited_for() -> None:
    """Two processes in turn: the second stands still until the first has given, and not a moment longer."""
    sim = Simulation(waits=True)
    token = Tokens("an image")

    def maker() -> Process:
        yield 3.0
        sim.give(token)

    def taker() -> Process:
        yield 1.0
        yield token
        yield 2.0

    sim.start("maker", maker())
    sim.start("taker", taker())
    sim.run()
    assert sim.waits == [Wait("taker", "an image", "maker", 1.0, 2.0)]


@pytest.mark.parametrize("span", [0.7, 3.0, 19.0, 504.0, 1925.0, 99_999.0])
def test_ticks_are_round_and_few(span: float) -> None:
    step = round_step(span)
    assert float(f"{step:e}"[:8]) in (1, 2, 5)
    assert 3 <= span / step <= 8 + 1e-9


def test_the_routing_names_every_plio(plan: ArrayPart) -> None:
    words = " ".join(t.text or "" for t in ElementTree.fromstring(routing(plan)).iter(f"{SVG}text"))
    for stem in {p.name.rstrip("0123456789") for p in plan.plios}:
        assert stem in words
    assert words.count("conv2_out_") >= 32


def test_union_joins_what_overlaps_or_is_near() -> None:
    assert union([(3, 4), (0, 1), (0.5, 2)]) == [(0, 2), (3, 4)]
    assert union([(3, 4), (0, 1), (0.5, 2)], apart=1) == [(0, 4)]


def test_times_that_were_noise_are_no_figures(project: Project, tmp_path: Path) -> None:
    """Without them nothing is said to be so many times as fast; without PyTorch nothing is said to be its."""
    summary = summary_of(project)
    baseline = summary["processor_baseline"]
    quality = {k: v for k, v in summary["quality"].items() if "pytorch" not in k and "float" not in k}
    texts = []
    changes: tuple[dict[str, Any], ...] = (
        {"processor_baseline": {**baseline, "rows": [], "noise": "calls of 1 images took 1 to 9 ms"}},
        {"processor_baseline": None, "quality": quality, "layers": []},
    )
    for more in changes:
        changed = {k: v for k, v in {**summary, **more}.items() if v is not None}
        (tmp_path / "summary.json").write_text(json.dumps(changed))
        write_page(design_of(project).shown, tmp_path)
        texts.append((tmp_path / "index.html").read_text(encoding="utf-8"))
    assert "not measured: calls of 1 images took 1 to 9 ms, which is noise" in texts[0]
    assert not any(re.search(r">[\d.,]+ x<", text) for text in texts)
    assert re.findall(r"[^.<>;]*PyTorch[^.<]*", texts[1]) == [
        "s times are not measured: PyTorch is not installed"
    ]
