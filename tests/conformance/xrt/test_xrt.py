"""Whole systems: hosts in XRT's native and C API, PL kernels nobody annotated, and every line of system.cfg checked."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from aieloom.emulator.build import write_xclbin
from aieloom.emulator.program import Program, Result, build, run
from tests import documented, remedies

DESIGN = Path(__file__).parent / "design"
CONFIG = (DESIGN / "system.cfg").read_text(encoding="utf-8")
REFUSED = 2


@dataclass(frozen=True, slots=True)
class System:
    """The built design."""

    program: Path
    folder: Path

    def host(self, case: str, config: str = CONFIG) -> Result:
        """Run one of the host's cases on a design linked by `config`."""
        text = self.folder / "changed.cfg"
        text.write_bytes(config.encode("utf-8"))
        xclbin = self.folder / "changed.xclbin"
        write_xclbin(text, xclbin)
        return run(self.program, out=self.folder / "out", arguments=(str(xclbin), case), timeout=60)


@pytest.fixture(scope="module")
def system(tmp_path_factory: pytest.TempPathFactory) -> System:
    folder = tmp_path_factory.mktemp("xrt")
    design = Program(
        graph=DESIGN / "graph.cpp",
        pl=tuple(DESIGN / f"{name}.cpp" for name in ("movers", "middle", "poller")),
        host=(DESIGN / "host.cpp",),
        config=DESIGN / "system.cfg",
    )
    return System(build(design, folder), folder)


@pytest.mark.parametrize(
    "case",
    ["native", "too_long", "two_units", "gmio", "external", "buffers", "mistakes", "c_api", "describe"],
)
def test_hosts(system: System, case: str) -> None:
    result = system.host(case)
    assert (result.code, result.stdout) == (0, "ok\n"), result.stderr


def test_a_run_without_an_argument(system: System) -> None:
    result = system.host("missing")
    assert result.code == REFUSED
    assert "[pl-argument] compute unit loader is started without its argument 'mem'" in result.stderr


def test_buffers_that_the_host_does_not_synchronise_are_told(system: System) -> None:
    result = system.host("unsynced")
    assert (result.code, result.stdout) == (0, "ok\n"), result.stderr
    lines = (DESIGN / "host.cpp").read_text(encoding="utf-8").splitlines()
    first = lines.index("    xrt::bo in(l.device, 128, mm2s.group_id(0));") + 1
    told = [line for line in result.stderr.splitlines() if "[xrt-sync]" in line]
    assert len(told) == 3, result.stderr  # the third turn synchronises both
    written = f"the buffer object of 128 B made at host.cpp:{first} (loader: mem) was written by the host"
    stale = f"the buffer object of 256 B made at host.cpp:{first + 1} (store_a: mem) was given to a kernel"
    assert sum(written in line for line in told) == 1
    assert sum(stale in line for line in told) == 2
    for case in ("native", "c_api", "buffers", "two_units"):
        assert "[xrt-sync]" not in system.host(case).stderr


def test_an_early_registration_and_an_unknown_parameter(system: System) -> None:
    result = system.host("early")
    assert "[xrt-register] registerXRT() before the design is loaded" in result.stderr
    result = system.host("no_parameter")
    assert "[rtp-name] 'g.lost.in[3]' is no run-time parameter" in result.stderr


def test_a_kernel_that_reads_where_it_should_write(system: System) -> None:
    text = CONFIG.replace("sc=other.s:store_b.s", "sc=store_b.s:other.s")
    result = system.host("deadlock", text)
    assert result.code == REFUSED
    assert "[stream-direction]" in result.stderr


EXAMPLES = documented.examples("config")


@pytest.mark.parametrize("rule", EXAMPLES)
def test_an_example_says_what_the_document_says(system: System, rule: str) -> None:
    result = system.host("load", documented.edit(CONFIG, EXAMPLES[rule].of("diff")[0]))
    assert result.code == REFUSED
    said = result.stderr.replace("changed.cfg", "system.cfg").replace("aieloom: ", "")
    documented.compare(EXAMPLES[rule], said)


@pytest.mark.parametrize("rule", sorted(set(EXAMPLES) & set(remedies.APPLIED)))
def test_a_configuration_that_is_mended_as_the_message_says_breaks_the_rule_no_more(
    system: System, rule: str
) -> None:
    broken = documented.edit(CONFIG, EXAMPLES[rule].of("diff")[0])
    for remedy in remedies.APPLIED[rule]:
        for way in remedy.ways(EXAMPLES[rule].message):
            result = system.host("load", way.mend(broken))
            assert f"[{rule}]" not in result.stderr, f"{way} was applied: {result.stderr}"


def test_a_deadlock_says_who_waits_for_what(system: System) -> None:
    result = system.host("deadlock")
    assert result.code == REFUSED
    assert "[deadlock]" in result.stderr
    assert "store_b waits to read 4: stream other.s to store_b.s" in result.stderr


def test_the_linker_reads_what_editors_write(system: System) -> None:
    text = "\ufeff" + CONFIG.replace("\n", "\r\n").replace(
        "nk=s2mm:2:store_a,store_b", "  nk = s2mm:2:store_a.store_b"
    )
    result = system.host("load", text)
    assert (result.code, result.stderr) == (0, "")


def _line(part: str) -> int:
    return next(i for i, line in enumerate(CONFIG.splitlines(), 1) if part in line)


# What is replaced, by what, and what the message says.
WRONG = {
    "section": ("[clock]", "[clocks]", "[cfg-section] system.cfg:{n}: [clocks]: v++ has no such section"),
    "key": (
        "id=1:doubler",
        "ids=1:doubler",
        "[cfg-key] system.cfg:{n}: ids=1:doubler: [clock] has no key 'ids'",
    ),
    "option": ("platform=", "plattform=", "[cfg-key] system.cfg:{n}: plattform="),
    "line": (
        "[advanced]",
        "advanced",
        "[cfg-line] system.cfg:{n}: advanced: neither a section nor key=value",
    ),
    "form": (
        "sp=loader.mem:DDR",
        "sp=loader.mem",
        "[cfg-value] system.cfg:{n}: sp=loader.mem: not of the form of this key",
    ),
    "frequency": ("freqHz=250000000:", "freqHz=250 MHz:", "[cfg-value] system.cfg:{n}: freqHz=250 MHz:"),
    "setting": (
        "prop=run.impl_1.STEPS.PLACE_DESIGN.ARGS.DIRECTIVE=Explore",
        "prop=fast",
        "[cfg-value] system.cfg:{n}: prop=fast",
    ),
    "depth": (":64", ":deep", "'deep' is no depth of a FIFO"),
    "number": (
        "nk=mm2s:2:loader,other",
        "nk=mm2s:0:loader,other",
        "[cfg-value] system.cfg:{n}: nk=mm2s:0:loader,other",
    ),
    "names": (
        "nk=mm2s:2:loader,other",
        "nk=mm2s:3:loader,other",
        "[link-count] system.cfg:{n}: nk=mm2s:3:loader,other: 2 names for 3 units",
    ),
    "kernel": ("nk=twice:1:doubler", "nk=twize:1:doubler", "no PL source has a kernel 'twize'; there are: "),
    "name": (
        "nk=twice:1:doubler",
        "nk=twice:1:loader",
        "[link-name] system.cfg:{n}: nk=twice:1:loader: 'loader' is taken",
    ),
    "unit": (
        "sc=poller_1.out:",
        "sc=poller_2.out:",
        "[link-unit] system.cfg:{n}: sc=poller_2.out:store_a.s: there is no compute unit",
    ),
    "port": ("sc=poller_1.out:", "sc=poller_1.outs:", "kernel 'poller' has no stream port 'outs'"),
    "array": ("doubler.in_0", "doubler.in", "kernel 'twice' has no stream port 'in'"),
    "plio": ("ai_engine_0.words_in", "ai_engine_0.words", "[link-plio]"),
    "memory": ("sp=loader.mem:DDR", "sp=loader.size:DDR", "kernel 'mm2s' has no memory argument 'size'"),
    "clock": ("id=1:doubler", "id=1:tripler", "[link-unit] system.cfg:{n}: id=1:tripler"),
    "direction": (
        "sc=doubler.out:ai_engine_0.words_in",
        "sc=ai_engine_0.words_in:doubler.out",
        "is an input of the array, not a source",
    ),
    "twice": (
        "sc=other.s:store_b.s",
        "sc=other.s:store_a.s",
        "[link-twice] system.cfg:{n}: sc=other.s:store_a.s: 'store_a.s' is connected twice",
    ),
    "open": ("sc=other.s:store_b.s", "", "[link-open] the stream port 'other.s' is not connected"),
    "self": ("sc=other.s:store_b.s", "sc=poller_1.out:poller_1.in", "[link-self]"),
    "profile": ("data=all:all:all", "data=mm2s:mover:all", "[link-unit] system.cfg:{n}: data=mm2s:mover:all"),
    "HBM": (
        "sp=loader.mem:DDR",
        "sp=loader.mem:HBM[3]",
        "[link-board] system.cfg:{n}: sp=loader.mem:HBM[3]: VCK190 has no memory 'HBM[3]'",
    ),
    "bank": (
        "sp=loader.mem:DDR",
        "sp=loader.mem:DDR[1]",
        "VCK190 has no memory 'DDR[1]'\n  fix: its memories: DDR LPDDR",
    ),
    "banks": ("sp=loader.mem:DDR", "sp=loader.mem:HBM[0:3]", "VCK190 has no memory 'HBM[0:3]'"),
    "port's bank": ("sp=loader.mem:DDR", "sp=loader.m_axi_words:PLRAM[0]", "VCK190 has no memory 'PLRAM[0]'"),
    "SLR": (
        "id=1:doubler",
        "[connectivity]\nslr=doubler:SLR1",
        "slr=doubler:SLR1: VCK190 has one SLR, counted from 0",
    ),
    "Hz": (
        "freqHz=250000000:",
        "freqHz=900000000:",
        "VCK190 has no clock of 900 MHz: its platform's fastest has 625",
    ),
    "MHz": ("freqHz=250000000:", "freqHz=700.5MHz:", "VCK190 has no clock of 700.5 MHz"),
    "default clock": ("id=1:doubler", "defaultFreqHz=1000000000", "VCK190 has no clock of 1000 MHz"),
    "clock's number": (
        "id=1:doubler",
        "id=7:doubler",
        "id=7:doubler: VCK190 has no clock 7: its platform has 7, counted from 0",
    ),
    "default clock's number": ("id=1:doubler", "defaultId=12", "VCK190 has no clock 12"),
    "both": ("sc=other.s:store_b.s", "sc=ai_engine_0.words_out:ai_engine_0.words_in", "[link-array]"),
}


TAKEN = {
    "bank 0": ("sp=loader.mem:DDR", "sp=loader.mem:DDR[0]"),
    "port": ("sp=loader.mem:DDR", "sp=loader.m_axi_words:LPDDR"),
    "SLR": ("id=1:doubler", "[connectivity]\nslr=doubler:SLR0"),
    "fastest": ("freqHz=250000000:", "freqHz=625MHz:"),
    "last clock": ("id=1:doubler", "id=6:doubler"),
}


@pytest.mark.parametrize("what", TAKEN)
def test_the_linker_takes_what_the_board_has(system: System, what: str) -> None:
    result = system.host("load", CONFIG.replace(*TAKEN[what]))
    assert (result.code, result.stderr) == (0, "")


@pytest.mark.parametrize("what", WRONG)
def test_the_linker_refuses(system: System, what: str) -> None:
    old, new, message = WRONG[what]
    result = system.host("load", CONFIG.replace(old, new))
    assert result.code == REFUSED
    assert message.format(n=_line(old)) in result.stderr
    assert "\n  fix: " in result.stderr
