"""The stand-ins refuse what the documents say the tools refuse: a flow that they accept means something."""

from __future__ import annotations

import json
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.toolchain import ai_engines, config, hls
from tests.toolchain.files import write_text_archive, write_zip
from tests.toolchain.install import Standin, install
from tests.toolchain.main import TOOLS
from tests.toolchain.options import Refused

MOVER = """
#include <ap_axi_sdata.h>
constexpr int kBits = 128;
using Word = ap_axiu<kBits, 0, 0, 0>;
extern "C" void mover(const ap_uint<512>* memory, int size, hls::stream<Word> out[2]) {
#pragma HLS interface m_axi port=memory offset=slave bundle=gmem
#pragma HLS interface s_axilite port=memory bundle=control
#pragma HLS interface s_axilite port=size bundle=control
#pragma HLS interface s_axilite port=return bundle=control
#pragma HLS interface axis port=out
  for (int i = 0; i < size; ++i) out[i % 2].write(Word());
}
"""
SYSTEM = """
[connectivity]
nk=mover:1:mover_1
nk=sink:1:sink_1
stream_connect=mover_1.out_0:ai_engine_0.a
stream_connect=mover_1.out_1:ai_engine_0.b
stream_connect=ai_engine_0.c:sink_1.in
sp=mover_1.memory:DDR
[clock]
freqHz=312500000:mover_1,sink_1
"""
HLS = """freqhz=312500000
[hls]
flow_target=vitis
syn.top=mover
syn.file=mover.cpp
package.output.format=xo
package.output.file=mover.xo
"""
PLIOS = [
    {"name": "a", "bits": 128, "is_input": True},
    {"name": "b", "bits": 128, "is_input": True},
    {"name": "c", "bits": 64, "is_input": False},
]


def port(name: str, direction: str, bits: int, kind: str = "axis") -> dict[str, object]:
    return {"name": name, "kind": kind, "direction": direction, "bits": bits}


KERNELS = {
    "mover": [port("memory", "both", 0, "m_axi"), port("out_0", "out", 128), port("out_1", "out", 128)],
    "sink": [port("in", "in", 64)],
}


@dataclass
class Bench:
    """A folder with all that the tools read, as a design would have it; each test spoils one thing."""

    folder: Path
    standin: Standin
    monkeypatch: pytest.MonkeyPatch

    def play(self, release: str) -> None:
        self.monkeypatch.setenv("AIELOOM_STANDIN_RELEASE", release)
        for file in (self.standin.root / "platforms").rglob("*.xpfm"):
            file.write_text(json.dumps({**json.loads(file.read_text()), "release": release}))

    def run(self, tool: str, line: str) -> None:
        words = line.replace(
            "$P", str(next((self.standin.root / "platforms").glob("*vck190*/*.xpfm")))
        ).split()
        TOOLS[tool](words)

    def put(self, name: str, text: str) -> None:
        (self.folder / name).write_text(text)


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    standin = install(tmp_path / "tools", "2024.2")
    folder = tmp_path / "work"
    folder.mkdir()
    monkeypatch.chdir(folder)
    for name, value in standin.environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("AIELOOM_STANDIN_RECORD")
    made = Bench(folder, standin, monkeypatch)
    made.put("mover.cpp", MOVER)
    made.put("hls.cfg", HLS)
    made.put("system.cfg", SYSTEM)
    for kernel, ports in KERNELS.items():
        write_zip(folder / f"{kernel}.xo", {"kind": "xo", "kernel": kernel, "ports": ports, "hz": 312500000})
    write_text_archive(folder / "libadf.a", {"kind": "libadf", "target": "hw", "plios": PLIOS})
    for name in ("rootfs.ext4", "Image", "host"):
        made.put(name, name)
    return made


LINK = "-l -t hw --platform $P --config system.cfg -o a.xsa mover.xo sink.xo libadf.a"
PACK = (
    "-p -t hw --platform $P --package.rootfs=rootfs.ext4 --package.kernel_image=Image --package.boot_mode=sd "
)
PACK += (
    "--package.image_format=ext4 --package.defer_aie_run --package.sd_file=host -o a.xclbin a.xsa libadf.a"
)
HLS_LINE = "-c --mode hls --platform $P --config hls.cfg --work_dir work"
KERNEL_LINE = "-c -t hw --platform $P -k mover --hls.clock 312500000:mover -o mover.xo mover.cpp"


def test_a_sound_system_is_compiled_linked_and_packaged(bench: Bench) -> None:
    bench.run("v++", HLS_LINE)
    bench.run("v++", KERNEL_LINE)
    bench.run("v++", LINK)
    bench.run("v++", PACK)
    assert (bench.folder / "a.xclbin").read_bytes().startswith(b"xclbin2\0")


def test_ports_are_what_the_source_says() -> None:
    ports = hls.read_ports(MOVER, "mover", default_axi=False)
    assert [(p.name, p.kind, p.direction, p.bits) for p in ports] == [
        ("memory", "m_axi", "both", 0),
        ("size", "s_axilite", "both", 0),
        ("out_0", "axis", "out", 128),
        ("out_1", "axis", "out", 128),
    ]


# file to edit, what is replaced, by what, the command, what the refusal says
EDITS = [
    ("system.cfg", "nk=mover:1:mover_1", "nk=mover:2:mover_1", "link", "2 units, but 1 names"),
    ("system.cfg", "nk=sink", "nk=drain", "link", "no kernel 'drain'"),
    ("system.cfg", "ai_engine_0.b", "ai_engine_0.d", "link", "no PLIO 'd'"),
    ("system.cfg", "mover_1.out_1", "mover_1.out_2", "link", "no stream port 'out_2'"),
    ("system.cfg", "mover_1.out_1", "mover_2.out_1", "link", "no instance 'mover_2'"),
    ("system.cfg", "mover_1.out_0:ai_engine_0.a", "ai_engine_0.a:mover_1.out_0", "link", "is an input"),
    ("system.cfg", "ai_engine_0.c:sink_1.in", "mover_1.out_1:sink_1.in", "link", "128 bits drive 64 bits"),
    ("system.cfg", "mover_1.out_1:ai_engine_0.b", "mover_1.out_0:ai_engine_0.b", "link", "connected twice"),
    ("system.cfg", "stream_connect=ai_engine_0.c:sink_1.in\n", "", "link", "is not connected"),
    ("system.cfg", "memory:DDR", "memory:HBM", "link", "no HBM"),
    ("system.cfg", "sp=mover_1.memory", "sp=mover_1.size", "link", "no memory port"),
    (
        "system.cfg",
        "freqHz=312500000:mover_1,sink_1",
        "freqHz=312500000:mover_9",
        "link",
        "no instance 'mover_9'",
    ),
    ("system.cfg", "freqHz=312500000", "freqHz=3000000", "link", "no MMCM derives this clock"),
    ("system.cfg", "freqHz=312500000", "freqHz=300000000", "link", "compiled for 312500000"),
    ("system.cfg", "[clock]", "[clocks]", "link", "unknown section"),
    ("system.cfg", "stream_connect=mover_1.out_1", "stream=mover_1.out_1", "link", "unknown key 'stream'"),
    ("system.cfg", "nk=mover:1:mover_1", "nk=mover:1:mover_1.mover_2", "link", "is no value for nk"),
    ("hls.cfg", "syn.top=mover", "syn.top=remover", "hls", "top function 'remover'"),
    ("hls.cfg", "syn.file=mover.cpp", "syn.file=lost.cpp", "hls", "does not exist"),
    ("hls.cfg", "syn.top=mover\n", "", "hls", "syn.top and syn.file are needed"),
    ("hls.cfg", "[hls]\n", "[hls]\nclock=5ns\n", "hls", "contradicts freqhz"),
    ("hls.cfg", "[hls]\n", "", "hls", "unknown key 'flow_target'"),
    ("hls.cfg", "freqhz=312500000", "freqhz=312.5 MHz", "hls", "is no value for freqhz"),
    ("hls.cfg", "package.output.format=xo", "package.output.format=ip_catalog", "hls", "is needed to link"),
    ("mover.cpp", "kBits = 128", "kBits = 96", "hls", "of 96 bits"),
    ("mover.cpp", 'extern "C" ', "", "hls", "is not in the source"),
    ("mover.cpp", "out[i % 2].write(Word());", ";", "hls", "never read or written"),
]


@pytest.mark.parametrize("edit", EDITS, ids=[e[4] for e in EDITS])
def test_inconsistent_input_is_refused(bench: Bench, edit: tuple[str, str, str, str, str]) -> None:
    file, old, new, step, said = edit
    text = (bench.folder / file).read_text()
    assert text.count(old) == 1
    bench.put(file, text.replace(old, new))
    with pytest.raises(Refused) as refused:
        bench.run("v++", LINK if step == "link" else HLS_LINE)
    assert said in str(refused.value)


LINES = [
    ("v++", LINK.replace("a.xsa mover", "a.xclbin mover"), "makes an .xsa"),
    ("v++", LINK.replace("-t hw", "-t sw_em"), "use hw"),
    ("v++", LINK + " --stacksize 9", "unrecognised option"),
    ("v++", LINK + " -t hw", "more than once"),
    ("v++", LINK.replace("--platform $P", ""), "platform is needed"),
    ("v++", LINK.replace("mover.xo", "lost.xo"), "does not exist"),
    ("v++", LINK.replace("-l", "-l -c"), "exactly one"),
    ("v++", "-c --mode aie --target=hw --platform=$P --stacksize=2048 mover.cpp", "write --aie.stacksize"),
    ("v++", "-c --mode aie --target=hw_emu --platform=$P mover.cpp", "use hw or x86sim"),
    ("v++", "-c --mode aie --target=hw mover.cpp", "one of --platform and --part"),
    ("v++", "-c --mode aie --target=hw --platform=$P lost.cpp", "it must exist"),
    ("aiecompiler", "--target=hw --platform=$P --aie.workdir=Work mover.cpp", "prefix --aie."),
    ("aiecompiler", "--target=hw_emu --platform=$P mover.cpp", "use hw or x86sim"),
    ("v++", HLS_LINE.replace("--config hls.cfg", ""), "needs --config"),
    ("v++", HLS_LINE.replace("hls.cfg", "lost.cfg"), "does not exist"),
    ("v++", KERNEL_LINE.replace("-o mover.xo", ""), "needs -o"),
    ("v++", KERNEL_LINE.replace("-k mover", "-k remover"), "--hls.clock 312500000:mover"),
    ("v++", KERNEL_LINE.replace("-t hw", "-t x86sim"), "use hw or hw_emu"),
    ("x86simulator", "--pkg-dir=nowhere", "has no compiled graph"),
    ("x86simulator", "--pkg-dir", "argument for option"),
    ("aiesimulator", "--pkg-dir=Work --gui", "unrecognised option"),
]


@pytest.mark.parametrize(("tool", "line", "said"), LINES, ids=[f"{t}: {s}" for t, _, s in LINES])
def test_wrong_command_lines_are_refused(bench: Bench, tool: str, line: str, said: str) -> None:
    with pytest.raises(Refused) as refused:
        bench.run(tool, line)
    assert said in str(refused.value)


PACKS = [
    (" libadf.a", "", "libadf.a is needed"),
    ("--package.defer_aie_run ", "", "defer_aie_run"),
    ("--package.rootfs=rootfs.ext4 ", "", "package.rootfs is needed"),
    ("--package.kernel_image=Image", "--package.kernel_image=Lost", "does not exist"),
    ("--package.sd_file=host", "--package.sd_file=lost", "sd_file=lost does not exist"),
    ("--package.boot_mode=sd ", "", "60-2351"),
    ("-t hw ", "-t hw_emu ", "was linked for hw"),
]


@pytest.mark.parametrize(("old", "new", "said"), PACKS, ids=[p[2] for p in PACKS])
def test_wrong_packages_are_refused(bench: Bench, old: str, new: str, said: str) -> None:
    bench.run("v++", LINK)
    with pytest.raises(Refused) as refused:
        bench.run("v++", PACK.replace(old, new))
    assert said in str(refused.value)


def test_a_stale_archive_is_refused(bench: Bench) -> None:
    bench.run("v++", LINK)
    write_text_archive(
        bench.folder / "libadf.a", {"kind": "libadf", "target": "hw", "plios": PLIOS, "digest": "new"}
    )
    with pytest.raises(Refused, match="not the one that was linked"):
        bench.run("v++", PACK)


def test_what_a_release_does_not_know_is_refused(bench: Bench) -> None:
    bench.play("2022.2")
    for line in ("-c --mode aie --target=hw --platform=$P mover.cpp", HLS_LINE):
        with pytest.raises(Refused, match="--mode"):
            bench.run("v++", line)
    with pytest.raises(Refused, match="unrecognised option '--freqhz"):
        bench.run("v++", f"{LINK} --freqhz=300000000:mover_1.ap_clk")
    bench.run("v++", KERNEL_LINE.replace("-t hw", "-t sw_emu"))
    bench.play("2025.1")
    with pytest.raises(Refused, match="use hw"):
        bench.run("v++", LINK.replace("-t hw", "-t sw_emu"))
    bench.play("2026.1")
    bench.put("mover.cpp", MOVER.replace("#pragma HLS interface axis port=out\n", ""))
    with pytest.raises(Refused, match="default_axi is not set"):
        bench.run("v++", HLS_LINE)
    bench.put("hls.cfg", HLS.replace("flow_target=vitis", "syn.interface.default_axi=1"))
    bench.run("v++", HLS_LINE)


def test_a_platform_of_another_release_is_refused(bench: Bench) -> None:
    bench.monkeypatch.setenv("AIELOOM_STANDIN_RELEASE", "2025.2")
    with pytest.raises(Refused, match="60-1299"):
        bench.run("v++", LINK)


def test_every_documented_key_of_a_configuration_is_read(tmp_path: Path) -> None:
    file = tmp_path / "all.cfg"
    file.write_text(
        "platform=p\nsave-temps=1\n[connectivity]\nnk=k:2:a,b\nsc=a.x:b.y:128\nslr=a:SLR0\n"
        "[clock]\ndefaultFreqHz=100000000\nid=1:a,b\n[advanced]\nparam=compiler.addOutputTypes=hw_export\n"
        "[vivado]\nprop=run.impl_1.STRATEGY=x\n[profile]\ndata=all:all:all\n[package]\nboot_mode=sd\ndefer_aie_run=true\n"
    )
    assert len(config.read(file)) == 12


def test_programs_are_started_by_the_vendors_names(bench: Bench) -> None:
    vitis = bench.standin.environment["XILINX_VITIS"]
    done = subprocess.run(
        [f"{vitis}/bin/v++", "--version"], capture_output=True, text=True, check=True, env={**os.environ}
    )
    assert done.stdout.startswith("****** v++ v2024.2 (64-bit)")
    refused = subprocess.run([f"{vitis}/bin/v++", "-l"], capture_output=True, text=True, check=False)
    assert refused.returncode == 1 and refused.stdout.startswith("ERROR: ")


@pytest.mark.parametrize(
    ("code", "before", "first"),
    [
        ("void run(adf::input_buffer<float>& in);", "2022.1", "2022.2"),
        ("void run(input_cascade<accfloat>* in);", "2023.1", "2023.2"),
        ("using Slide = aie::sliding_mul_ops<8, 1, 1, 1, 1, float, float>;", "2023.1", "2023.2"),
    ],
)
def test_sources_use_what_the_release_has(
    code: str, before: str, first: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = f"// {code}\n{code}\n"
    monkeypatch.setenv("AIELOOM_STANDIN_RELEASE", first)
    ai_engines.check_features({"kernel.h": text})
    monkeypatch.setenv("AIELOOM_STANDIN_RELEASE", before)
    with pytest.raises(Refused, match=rf"kernel\.h:2: .*first in {first}"):
        ai_engines.check_features({"kernel.h": text})
    ai_engines.check_features({"kernel.h": f"// {code}\n"})
    ai_engines.check_features(
        {"kernel.h": "using Slide = aie::sliding_mul_ops<8, 1, 1, 1, 1, int16, int16>;"}
    )
