"""What `fix:` says, applied: for each rule of docs/errors.md how its example is mended by the message's own words, or why not.

`APPLIED` are the remedies that are mechanical: a key, a value, a flag or a command that the message names. Their values are taken out
of the message, so that one that names a wrong value fails. `STARTS` are those of rules whose example stands in another test,
`ELSEWHERE` those that another test applies. `BY_HAND` are those that only the author of the input can follow, with the reason.
A rule stands in one of the four.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import product

CONSOLE = "$"  # the `old` of a step that is another command in place of the example's


@dataclass(frozen=True, slots=True)
class Step:
    """One edit of the broken input: `old` becomes `new`, in which %0 and so on are the groups of the step's remedy."""

    old: str
    new: str
    file: str = "network.yaml"


@dataclass(frozen=True, slots=True)
class Remedy:
    """`said` finds the remedy and its values in the message; a group that is a list is applied value by value.

    `python` is run before the command, such as to write a file that the remedy asks for.
    """

    said: str
    steps: tuple[Step, ...]
    python: str = ""

    def ways(self, message: str) -> list[Remedy]:
        """Return the remedy with the values that the message offers, one for each."""
        found = re.search(self.said, message)
        assert found, f"{self.said!r} is not in: {message}"
        offers = [values_of(text) for text in found.groups()]
        return [
            Remedy(
                self.said,
                tuple(Step(s.old, _filled(s.new, chosen), s.file) for s in self.steps),
                _filled(self.python, chosen),
            )
            for chosen in product(*offers)
        ]

    def mend(self, text: str, file: str = "network.yaml") -> str:
        """Return a file's text with the edits that are about it."""
        for step in self.steps:
            if step.file == file and step.old != CONSOLE:
                assert text.count(step.old) == 1, f"{step.old!r} stands {text.count(step.old)} times"
                text = text.replace(step.old, step.new)
        return text

    @property
    def command(self) -> str:
        """Return the command in place of the example's, or ''."""
        return next((s.new for s in self.steps if s.old == CONSOLE), "")


def values_of(text: str) -> list[str]:
    """Return the values of a list as messages write it: of names, numbers, or what stands in brackets."""
    return re.split(r", (?![^(\[{]*[)\]}])| or ", text)


def _filled(text: str, values: tuple[str, ...]) -> str:
    return re.sub(r"%(\d)", lambda m: values[int(m[1])], text)


def one(said: str, old: str, new: str) -> tuple[Remedy, ...]:
    """Return a remedy of one edit."""
    return (Remedy(said, (Step(old, new),)),)


APPLIED: dict[str, tuple[Remedy, ...]] = {
    # network.yaml
    "yaml": one("keep one of the two", "target: vck190\ntarget: vek280\n", "target: vek280\n"),
    "file": one("name a project folder that has a network.yaml", CONSOLE, "aieloom check ."),
    "key": one(r"did you mean '(\w+)'", "kernal", "%0"),
    "value": one(r"should be greater than (\d)", "kernel: 0", "kernel: 1%0"),
    "op": one(r"did you mean '(\w+)'", "tahn", "%0"),
    "name": one("give each layer a name of its own", "name: First", "name: act"),
    "inputs": one("use what is above it: (.*)", "secnd", "%0"),
    "unused": one("name it in the inputs of a layer below", "inputs: [act]", "inputs: [second]"),
    "target": one("use one of: (.*)", "vck5000", "%0"),
    "shape": (
        Remedy("a smaller kernel", (Step("kernel: 9, padding: 0", "kernel: 5, padding: 0"),)),
        Remedy("more padding", (Step("kernel: 9, padding: 0", "kernel: 9, padding: 2"),)),
    ),
    "dtype": one(r"use dtype: (\w+)", "int16", "%0"),
    "quant-1": (
        Remedy(
            r"write calibration: (\S+), whose array '(\w+)' holds typical inputs",
            (Step("weights: int8}", "weights: int8, calibration: %0}"),),
            "Path('data').mkdir(); np.savez('%0', %1=np.ones((4, 2, 6, 6), np.float32))",
        ),
    ),
    "ps-1": one("leave engine: pl out", "both: {engine: pl}", "both: {}"),
    "ps-2": one(r"use engine: (ps)", "engine: pl", "engine: %0"),
    "gemm-1": one("use one of: (.*)", "[4, 4, 4]", "%0"),
    "gemm-2": one("use (.* or .*)", "[8, 17, 12]", "%0"),
    "gemm-3": one(r"use at most (\d+)", "groups: 9", "groups: %0"),
    "trust": one(r"then: (aieloom trust \S+)", CONSOLE, "%0\naieloom check ."),
    "aie-1": one(
        "add one that does, such as a (conv2d)",
        "  - {name: act, op: tanh}\n",
        "  - {name: conv, op: %0, out_channels: 4, kernel: 3, padding: 1}\n",
    ),
    "core-1": (
        *one(r"use groups: (\d+) or fewer", "groups: 400", "groups: %0"),
        *one("nearest legal tiles: (.*)", "[4, 18, 8], mmul: [4, 2, 4], groups: 400", "%0, mmul: [4, 2, 4]"),
    ),
    "mem-1": one(r"use tile: (\[.*\]), (cascade: \d+)", "[8, 2304, 36]", "%0, %1"),
    "weights-1": (
        *one("use weights: (constant)", "weights: stream", "weights: %0"),
        *one("leave cascade out", "[8, 10, 12], mmul: [4, 2, 4], cascade: 2", "[8, 18, 12], mmul: [4, 2, 4]"),
    ),
    "cascade-2": one(r"use K = (\d+) in the tile", "[8, 8, 12]", "[8, %0, 12]"),
    "matmul-1": one("use one of: (.*)", CONSOLE, "aieloom gemm 64 64 64 --target vck190 --dtype %0"),
    "matmul-2": one("leave the grid out", CONSOLE, "aieloom gemm 64 64 64"),
    "conv-1": (
        *one("leave cascade out", ", cascade: 2", ""),
        *one(r"use strategy: (\w+)", "strategy: direct", "strategy: %0"),
    ),
    "stream-1": one(r"use strategy: (\w+)", "streaming", "%0"),
    "stream-2": (*one(r"use one of (.*)", "readers: 3", "readers: %0"),),
    "tiles-1": one("leave 'tiles' out", "tiles: {size: [4, 4]}\n", ""),
    "tiles-2": one(r"use at least (\d+)", "[4, 2]", "[%0, %0]"),
    "tiles-3": one("use (.* or .*)", "[5, 6]", "[%0, 6]"),
    "array-1": (
        *one(r"mapping: \{(second: \{engine: ps\})\}", "second: {plio: 64}", "%0"),
        *one(r"\((execution: auto)\)", "target: vck190\n", "target: vck190\n%0\n"),
    ),
    "place-1": one(r"use (place: \{.*\})", "place: {col: 48, row: 0, cols: 4, rows: 1}", "%0"),
    "place-2": one(r"use (place: \{.*\})", "place: {col: 11, row: 0, cols: 2, rows: 2}", "%0"),
    "plio-1": (
        Remedy(
            r"use groups: (\d+) on 'first' and groups: (\d+) on 'second'",
            (Step("groups: 64", "groups: %0"), Step("tile: [4, 36, 20]", "tile: [4, 36, 20], groups: %1")),
        ),
    ),
    "clk-1": one(r"use at most (\d+) MHz", "clock_mhz: 600", "clock_mhz: %0"),
    "clk-2": one(r"use (\d+) for both", "clock_mhz: 200", "clock_mhz: %0"),
    "clk-3": one(r"use (\S+) MHz", "clock_mhz: 3}", "clock_mhz: %0}"),
    "noc-1": one(r"use copies: (\d+) or fewer", "copies: 15", "copies: %0"),
    "pl-1": one("use a smaller image", "1200, 1200", "12, 12"),
    # Commands and other files
    "dse-1": one(r"allow (\d+) or more", "aie_cores: 1", "aie_cores: %0"),
    "dse-2": one("use one of: (.*)", CONSOLE, "aieloom dse --project . --keep %0"),
    "settings": (Remedy(r"e\.g\. (link = \d+)", (Step('link = "long"', "%0", "aieloom.toml"),)),),
    "layer": one("use one of: (.*)", CONSOLE, "aieloom explain %0 --project ."),
    "new": one("use small letters, digits and _", CONSOLE, "aieloom new my_net"),
    "system": one("or none of them", CONSOLE, "aieloom emulate graph.cpp"),
    # Graphs: the constructor's text
    "kernel-source": one(
        r'write (source\(k\) = )"file\.cc"',
        "  // and no source(k)",
        '\n%0"kernels.cc";\ndimensions(k.in[0]) = {16};\ndimensions(k.out[0]) = {16};',
    ),
    "kernel-unset": one(
        r"assign (kernel::create)",
        "kernel k;\nconnect<>(in().out[0], k.in[0]);",
        "auto& k = K(copy);  // %0\nio(k, k);",
    ),
    "kernel-ratio": one(
        r"write runtime<ratio>\(k\) = (\S+):", "runtime<ratio>(a) = 0", "runtime<ratio>(a) = %0"
    ),
    "port-number": one(
        "ports are numbered in the order", "a.in[1]);", "a.in[0]);\nconnect<>(a.out[0], out().in[0]);"
    ),
    "direction": one(
        r"write connect<>\(producer\.out\[...\], consumer\.in\[...\]\)",
        "connect<>(a.in[0], b.in[0])",
        "io(a, b);\nconnect<>(a.out[0], b.in[0])",
    ),
    "connection-kind": one("write (connect<>)", "connect<window<64>>(a.", "%0(a."),
    "two-writers": one("one producer a port", "connect<>(in(1).out[0], a.in[0]);\n", ""),
    "unconnected": one("connect it", "a.in[0]);\n", "a.in[0]);\nconnect<>(a.out[0], out().in[0]);\n"),
    "event": one("as many PLIO or GMIO objects", "(ins[0], event", "(ins[0], outs[0], event"),
    "fifo-depth": one(r"a positive number of 32-bit words", "fifo_depth(n) = -1", "fifo_depth(n) = 1"),
    "plio-clock": one("give the PL's clock in MHz, or none", ", -5", ""),
    "rate": one(r"set repetition_count\(\)", "repetition_count(b) = 3", "repetition_count(b) = 2"),
    "stream-ports": one(
        "another core", "location<kernel>(b) = tile(10, 1)", "location<kernel>(b) = tile(10, 2)"
    ),
    "dma-channels": (Remedy("divide the buffer", (Step("1, 3", "1, 2"), Step("i < 3", "i < 2"))),),
    "cascade": one(r"place the second kernel on (tile\(\d+, \d+\))", "tile(11, 1)", "%0"),
    "cascade-type": one("one accumulator or vector type at both ends", "from_floats", "from_cascade"),
    "location": one("north, south, and west on even", "bank(11, 2, 0)", "bank(9, 2, 0)"),
    "area": one(r"columns are 0\.\.(\d+), rows 0\.\.(\d+)", "(45, 0, 60, 7)", "(45, 0, %0, %1)"),
    "buffer-size": one("say it once", "connect<window<128>>", "connect<>"),
    "buffer-count": one(r"use (\d) or more", "= -1", "= %0"),
    "buffer-unset": one(
        r"assign .* or (external_buffer)<T>::create",
        "external_buffer<int32> b;\nconnect<>(in().out[0], b.in[0]);",
        "auto b = %0<int32>::create({16}, 1, 1);\nconnect<>(in().out[0], b.in[0]);\nconnect<>(b.out[0], out().in[0]);",
    ),
    "shared-buffer": one("use (1), or (2)", "num_buffers(b) = 0", "num_buffers(b) = %0"),
    "external-buffer": one(
        r"call (setAddress)\(\) with memory from (GMIO::malloc)",
        "b.gm2aie_nb(b",
        "b.%0(static_cast<int32*>(%1(64))); b.gm2aie_nb(b",
    ),
    "arch": one(
        "keep the buffer in a tile", "auto b = shared_buffer<int32>::create({16}, 1, 1)", "auto& b = K(copy)"
    ),
    "tiling-rank": one(
        "the same number of dimensions", "{4, 4}, .tiling_dimension = {4}", "{16}, .tiling_dimension = {4}"
    ),
    "tiling-word": one("make it a multiple of (4) B", "{3}", "{%0}"),
    "tiling-traversal": one("dimensions count from (0)", ".dimension = 1", ".dimension = %0"),
    "tiling-buffer": one(
        "let buffer_dimension cover the buffer",
        "{4, 5}, .tiling_dimension = {4, 5}",
        "{4, 4}, .tiling_dimension = {4, 4}",
    ),
    "gmio-unset": one(
        r"assign (input_gmio::create)",
        "connect<>(g.out[0], a.in[0]);",
        'g = %0("ddr", 64, 100);\nconnect<>(g.out[0], a.in[0]);\nconnect<>(a.out[0], out().in[0]);',
    ),
    "gmio-burst": one(
        "use (.*)",
        "32, 100);",
        "%0, 100);\nauto& a = K(copy);\nconnect<>(g.out[0], a.in[0]);\nconnect<>(a.out[0], out().in[0]);",
    ),
    "gmio-channels": one(r"there are (\d+) each way", "i < 33", "i < %0"),
    "gmio-direction": one("use (gm2aie or gm2aie_nb)", "g.aie2gm(", "g.%0("),
    "gmio-memory": one("free each block once", "static int mine[16];", "void* mine = GMIO::malloc(64);"),
    "gmio-size": one("whole 32-bit words, at least one", ", 3)", ", 4)"),
    "graph-control": one(r"give run\(n\) a number", "run();\n  end();", "run(1);\n  wait();"),
    "plio-name": one("logical names are unique", "in();  // 'i' again", "in(1);"),
    "plio-unset": one(
        r"assign (input_plio::create)",
        "input_plio p;\nconnect<>(p.out",
        'ins.push_back(%0("p", plio_32_bits, "data/in.txt"));\nconnect<>(ins[0].out',
    ),
    "plio-width": one("use (.*)", "static_cast<plio_type>(48)", "%0"),
    "plio-file": one("create it", "data/lost.txt", "data/in.txt"),
    "plio-channels": one(r"a column has (\d) channels", "i < 9", "i < %0"),
    "memory": one("divide the data", "{16384}", "{4096}"),
    "rtp": one(
        "the kernel parameter's own type and number",
        "const int32 two[2] = {1, 2};\n  update(gain, two, 2);",
        "update(gain, int32{1});",
    ),
    "packet": one(
        r"assign its (create\(\))",
        "pktsplit<1> s;",
        "auto s = pktsplit<1>::%0;\nauto& a = K(packets);\nconnect<pktstream>(s.out[0], a.in[0]);",
    ),
    "packet-id": one("write the output's number", "data/id3.txt", "data/in.txt"),
    "packet-size": one("TLAST on the last word of every buffer", "data/short.txt", "data/whole.txt"),
    # system.cfg
    "cfg-section": one(r"use .*\[(clock)\]", "[clocks]", "[%0]"),
    "cfg-key": one(r"keys are: .*\b(id)\b", "ids=", "%0="),
    "cfg-line": one("begin comments with (#)", "\nadvanced\n", "\n%0 advanced\n"),
    "cfg-value": one(
        r"write sp=<unit>\.<argument>:<memory>, e\.g\. mm2s_1\.memory(:\w+)",
        "sp=loader.mem\n",
        "sp=loader.mem%0\n",
    ),
    "link-kernel": one(r"there are: .*\b(twice)\b", "twize", "%0"),
    "link-count": one("2 names for 3 units", "mm2s:3:", "mm2s:2:"),
    "link-name": one("a name of its own", "nk=twice:1:loader", "nk=twice:1:doubler"),
    "link-unit": one(r"units: .*\b(poller_1)\b", "poller_2", "%0"),
    "link-port": one(r"its ports: in, (out)\b", "poller_1.outs", "poller_1.%0"),
    "link-plio": one(r"it has: words_in, (words_out)", "ai_engine_0.words:", "ai_engine_0.%0:"),
    "link-memory": one("use the pointer argument's name", "loader.size", "loader.mem"),
    "link-board": one(r"its memories: (DDR)\b", "HBM[3]", "%0"),
    "link-direction": one(
        "swap the two ends", "ai_engine_0.words_in:doubler.out", "doubler.out:ai_engine_0.words_in"
    ),
    "link-self": one("connect different units", "sc=poller_1.out:poller_1.in", "sc=other.s:store_b.s"),
    "link-open": one(
        "write a stream_connect for it", "sp=loader", "stream_connect=other.s:store_b.s\nsp=loader"
    ),
    "link-twice": one("a stream has two ends", "sc=other.s:store_a.s", "sc=other.s:store_b.s"),
    # Vectors
    "aie-align": one("use .* (store_unaligned_v)", "store_v(p", "%0(p"),
    "aie-index": one("count from 0 to one less", "at(16)", "at(15)"),
    "aie-shift": one("shift by less than the element's width", "at(16)", "at(15)"),
    "aie-shuffle": one("at most the number of elements", "at(17)", "at(16)"),
    "aie-rounding": one(
        "use the names of (aie::rounding_mode)", "static_cast<aie::rounding_mode>(at(15))", "%0::floor"
    ),
    "aie-iterator": one("give whole vectors", "at(40)", "at(48)"),
    "aie-loop": one("lower the first template argument", "pipelined_loop<8>", "pipelined_loop<5>"),
    "aie-mac": one("use an even xstart", "mul16(x, at(1)", "mul16(x, at(2)"),
}

ELSEWHERE: dict[str, str] = {
    "onnx": "onnx/test_onnx_order.py",
    "quant-7": "sequential/test_sequential_without_products.py",
}

_VEK280 = Step("target: vck190\n", "target: vek280\nquantize: {activations: bfloat16, weights: bfloat16}\n")
_INT16 = Step(
    "target: vck190\n",
    "target: vck190\nquantize: {activations: int16, weights: int16, calibration: calib.npz}\n",
)
_TILE = "first: {tile: [8, 18, 12], mmul: [4, 2, 4]}"
_SECOND = Step("second: {tile: [4, 36, 20], mmul: [4, 2, 4]}", "second: {}")

# Rules whose example is in another test: the edits of the document's project that break them, and the remedies.
STARTS: dict[str, tuple[tuple[Step, ...], tuple[Remedy, ...]]] = {
    "release-1": (
        (Step("target: vck190\n", "target: vck190\nvitis: '2021.2'\n"),),
        one(r"use vitis: (\S+) or newer", "2021.2", "%0"),
    ),
    "arch-1": (
        (Step("target: vck190", "target: vek385"),),
        one("use another board: (vck190), (vek280|ve2302)", "vek385", "%0"),
    ),
    "array-2": (
        (Step("target: vck190", "target: zcu104"),),
        (
            *one(r"a board that has one \((.*?)\)", "zcu104", "%0"),
            *one("or (execution: auto)", "target: zcu104\n", "target: zcu104\n%0\n"),
        ),
    ),
    "unit-1": (
        (Step("target: vck190", "target: vck190\nunit: engine17"),),
        one("leave unit: out", "unit: engine17\n", ""),
    ),
    "engine-2": (
        (Step(_TILE, "first: {engine: pl}"),),
        (
            *one(
                "give second (engine: pl) or (engine: ps) too",
                "second: {tile: [4, 36, 20], mmul: [4, 2, 4]}",
                "second: {%0}",
            ),
            *one("or leave engine: pl out", "{engine: pl}", "{}"),
        ),
    ),
    "chain-1": (
        (Step(_TILE, "first: {strategy: chained}"),),
        one(r"use strategy: (\w+) on this layer", "chained", "%0"),
    ),
    "chain-3": (
        (_VEK280, Step(_TILE, "first: {strategy: chained, cores: 5, bands: 2}"), _SECOND),
        one(r"use cores: (\d+) with bands: (\d+)", "cores: 5, bands: 2", "cores: %0, bands: %1"),
    ),
    "gemm-4": (
        (_INT16, Step(_TILE, "first: {tile: [8, 8, 12]}"), _SECOND),
        (
            *one(r"use K = (\d+), or", "[8, 8, 12]", "[8, %0, 12]"),
            *one(r"or (cascade: \d+) with K = (\d+)", "tile: [8, 8, 12]", "tile: [8, %1, 12], %0"),
        ),
    ),
}

INPUT = "what stands at the named place has to be written anew by who knows what was meant"
DESIGN = "it names what of the design to change, not to which value: every choice has another cost"
GUARD = "aieloom's own plans keep it, so that the examples bend a plan: no key of network.yaml breaks it"
KERNEL = "a kernel's or a host's own code is at fault: the message names the line"
ELSE = "it is about the machine, a board, a lock or a connection: the remedy is outside of the project"
CALL = "it is about the arguments of a call, whose values are the caller's"

_REASONS: dict[str, str] = {
    INPUT: """weights keras pt2 torch plug-in template data quality sweep project bn-2 quant-2 quant-4 quant-5 quant-6
        hls-config hls-script hls-component project-config project-files kernel-header kernel-init kernel-class kernel-parameter
        main pl-interface pl-kernel ap-string net link-array stream-direction deadlock tiling-range xrt-register""",
    DESIGN: """circuit-1 sequential-1 sequential-2 sequential-3 hybrid-1 engine-1 route-1 quant-3 chain-2 chain-4 chain-5 name-1
        plio-4 reg-1 reg-2 bypass tiling-dimensions build-1""",
    GUARD: """core-2 mem-2 mem-3 mem-4 dma-1 dma-2 dma-3 lock-1 prog-1 bank-1 cascade-1 plio-2 plio-3 rate-1 conn-1 skip-1 skip-2
        memtile-1 memtile-2 memtile-3 memtile-4 memtile-5 memtile-6 memtile-7 memtile-8 memtile-9""",
    KERNEL: """crash core-id endless-kernel stream-port buffer-overrun buffer-overread buffer-acquire buffer-margin packet-header left-over
        memory-overrun memory-freed memory-foreign tiling-length xrt-sync aie-undefined aie-fft aie-intrinsic aie-mmul-undefined
        aie-sliding aie-sparse aie-tensor ap-divide ap-float ap-range hls-axis hls-blocks hls-burst hls-fft hls-fir hls-gather
        hls-leftover hls-shift hls-vector""",
    ELSE: "board locked serve serve-frame write discover report option",
    CALL: "session kernel-alone plio-array pl-argument rtp-name",
}
BY_HAND: dict[str, str] = {rule: why for why, rules in _REASONS.items() for rule in rules.split()}
