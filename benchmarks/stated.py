"""Small graphs, a kernel each, for kernels whose cycles their authors state.

Configurations of onnx2versal that its own graphs do not run, and the matrix products of MaxEVA (Taka et al., FPT 2023).

A configuration says the class, its template arguments, what its constructor takes and its ports; the source and the header are
the checkout's. `make` writes the graph; benchmarks/timed.py runs it beside the repository's own graphs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

PLIO_MHZ = 500  # onnx2versal's Makefile: --pl-freq=500


@dataclass(frozen=True, slots=True)
class Function:
    """A kernel that is a function: its source and header in the checkout, and the cycles that are published."""

    source: str
    header: str
    name: str
    cycles: float
    ports: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Config:
    """A kernel to run: `stated` are the numbers under which the header states it, `nth` which of several that have them."""

    file: str
    kind: str
    arguments: str
    stated: str
    constructor: tuple[str, ...]
    ports: tuple[str, ...]  # in order: "in" or "out", "window BYTES" or "stream", as 'in window 1008'
    nth: int = 0

    @property
    def name(self) -> str:
        """Name of its graph's folder."""
        return f"{self.file}_{self.kind}_{self.stated.replace(',', '_')}_{self.nth}"


def _floats(n: int, of: str = "float") -> str:
    return f"std::vector<{of}>({n}, 1)"


def _gemm() -> list[Config]:
    stated, m, k = "7,36,10", 7, 36
    found = []
    for kind, n, is_stream in (
        ("GemmReluScalarMKNKStream", 10, True),
        ("GemmReluScalarMKNK", 10, False),
        ("GemmReluScalarMKKN", 10, False),
        ("GemmReluMKKNTwoAccsStream", 16, True),  # columns are padded to whole vectors
        ("GemmReluMKKNStream", 16, True),
        ("GemmReluMKKN", 16, False),
    ):
        ins = ("in stream", "in stream") if is_stream else (f"in window {4 * m * k}",)
        made = (_floats(n),) if is_stream else (_floats(k * n), _floats(n))
        ports = (*ins, f"out window {4 * m * n}")
        found.append(Config("gemm", kind, f"{m}, {k}, {n}, 1", stated, made, ports))
    return found


def _pool() -> list[Config]:
    # Of <24,32,16,1,6>: 24 rows of 32, six channels, 2 x 2. That of floats is the LeNet example's layer, of 24 x 24.
    stated, shape = "24,32,16,1,6", "24, 32, 12, 16, 1, 6, 2, 2, 2, 2"
    found = []
    for kind, of, size in (
        ("MaxpoolScalarBHWC", "float", 4),
        ("MaxpoolScalarBCHW", "float", 4),
        ("Maxpool2x2FloatBCHW", "float", 4),
        ("Maxpool2x2Int8BCHW", "int8_t", 1),
        ("AvgpoolScalarBCHW", "float", 4),
    ):
        w, is_lenet = (24, True) if kind == "Maxpool2x2FloatBCHW" else (32, False)
        ports = (f"in window {24 * w * 6 * size}", f"out window {12 * w // 2 * 6 * size}")
        arguments = f"{of}, 24, 24, 12, 12, 1, 6, 2, 2, 2, 2" if is_lenet else f"{of}, {shape}"
        found.append(Config("pool", kind, arguments, stated, (), ports))
    big = "int8_t, 114, 128, 56, 64, 1, 1, 3, 3, 2, 2"
    ports = (f"in window {114 * 128}", f"out window {56 * 64}")
    found.append(Config("pool", "Maxpool3x3Int8BCHW", big, "114,128,56,64,1,1,3,3,2,2", (), ports))
    return found


def _pad() -> list[Config]:
    shape = "2,30,30,32,1,1,1,1"
    ins, outs = 30 * 32, 32 * 32  # those with windows take an image a call
    rows = (
        ("Pad2DStreamFloat", "float", ("in stream", "out stream"), 0),
        ("Pad2DStreamInt8", "int8_t", ("in stream", "out stream"), 0),
        ("Pad2DWindowScalar", "float", (f"in window {4 * ins}", f"out window {4 * outs}"), 0),
        ("Pad2DWindowScalar", "int8_t", (f"in window {ins}", f"out window {outs}"), 1),
        ("Pad2DStream2WindowInt8", "int8_t", ("in stream", f"out window {outs}"), 0),
    )
    return [Config("pad", kind, f"{of}, {shape}", shape, ("0",), ports, n) for kind, of, ports, n in rows]


def _qlinearconv() -> list[Config]:
    found = []
    scales = ("0.004f", "0.003f", "0.002f", "1", "0", "2")
    whole = (  # kind, numbers of the template, as stated, bytes of weights; those with weights by stream: 0
        ("QLinearConvScalar", (28, 32, 28, 32, 1, 1, 1, 1, 6, 3, 3, 1), "28,32,28,32,1,1,1,1,6,3", 6 * 9),
        ("QLinearConvScalar", (26, 32, 28, 32, 1, 1, 1, 1, 6, 1, 1, 1), "26,32,28,32,1,1,1,1,6,1", 6),
        ("QLinearConvScalar", (26, 28, 13, 16, 2, 2, 1, 1, 6, 3, 3, 1), "26,28,13,16,2,2,1,1,6,3", 6 * 9),
        ("QLinearConv5x5", (30, 32, 28, 32, 1, 1, 1, 1, 6, 5, 5, 1), "30,32,28,32,1,1,1,1,6,5", 6 * 80),
        ("QLinearConv5x5Scale32bit", (30, 32, 28, 32, 1, 1, 1, 1, 6, 5, 5, 1), "30,32,28,32,1,1,1,1,6,5", 6 * 80),
        ("QLinearConv3x3", (28, 32, 28, 32, 1, 1, 1, 1, 6, 3, 3, 1), "28,32,28,32,1,1,1,1,6,3", 6 * 16),
        ("QLinearConvScalarStream", (28, 32, 28, 32, 1, 1, 1, 1, 6, 3, 3, 1), "28,32,28,32,1,1,1,1,6,3", 0),
        ("QLinearConvHx4Stream", (28, 32, 28, 32, 1, 1, 1, 1, 8, 3, 3, 1), "28,32,28,32,1,1,1,1,8,3,3,1", 0),
        ("QLinearConvHx4Stream", (26, 32, 13, 16, 2, 2, 1, 1, 8, 3, 3, 1), "26,32,13,16,2,2,1,1,8,3,3,1", 0),
        ("QLinearConvHx4StreamScale32bit", (28, 48, 28, 32, 1, 1, 1, 1, 8, 3, 3, 1), "28,48,28,32,1,1,1,1,8,3", 0),
        ("QLinearConvHx4StreamScale32bit", (26, 32, 13, 16, 2, 2, 1, 1, 8, 3, 3, 1), "26,32,13,16,2,2,1,1,8,3", 0),
        ("QLinearConvHx6x8bitStream", (28, 32, 28, 32, 1, 1, 1, 1, 8, 3, 3, 1), "28,32,28,32,1,1,1,1,8,3,3,1", 0),
        ("QLinearConv1x1Stream", (26, 32, 28, 32, 1, 1, 1, 3, 4, 1, 1, 1), "26,32,28,32,1,1,1,3,4,1,1,1", 0),
    )  # fmt: skip
    for kind, numbers, stated, weights in whole:
        inp_h, inp_w, _, pad_w, step, _, b, c, m, kh, _, _ = numbers
        ins, outs = b * c * inp_h * inp_w, b * m * ((inp_h - kh) // step + 1) * pad_w
        made = (*((_floats(weights, "int8_t"),) if weights else ()), _floats(m, "int32_t"), *scales)
        ports: tuple[str, ...] = (f"in window {ins}", f"out window {outs}")
        if not weights:
            ports = (f"in window {ins}", "in stream", "out stream")
        arguments = f"int8_t, int8_t, {', '.join(map(str, numbers))}"
        found.append(Config("qlinearconv", kind, arguments, stated, made, ports))
    return found


def _others() -> list[Config]:
    softmax, ports = ("0.02f", "0.004f", "1", "0"), (f"in window {10 * 16}", "out stream")
    lines = tuple(f"in window {4 * 4 * 32}" for _ in range(5))
    return [
        Config("argmax", "ArgmaxScalar", "100, 10", "100,10", (), ("in window 400", "out window 4")),
        Config("identity", "Identity", "float, 8", "8", (), ("in stream", "out stream")),
        Config("mac", "MacFloat", "float, 196, 128, 1", "196,128", (_floats(128), _floats(128)),
               (f"in window {4 * 14 * 128}", f"out window {4 * 14 * 128}")),
        Config("concat", "ConcatScalar", "float, 5, 4, 32, 144", "5,4,32,144", (), (*lines, "out stream")),
        Config("concat", "ConcatFloat", "float, 5, 4, 32, 144", "5,4,32,144", (), (*lines, "out stream")),
        Config("qlinearsoftmax", "QLinearSoftmaxFloatmul", "int8_t, 10, 10, 16", "10,10,16", softmax, ports),
        Config("qlinearsoftmax", "QLinearSoftmaxSingleaxis", "int8_t, 10, 10, 16", "10,10,16", softmax, ports),
        Config("qlinearpool", "QLinearAvgpoolScalarBCHW", "int8_t, 24, 32, 12, 16, 1, 6, 2, 2", "24,32,16,1,6",
               softmax, (f"in window {24 * 32 * 6}", "out stream")),
        Config("transpose", "TransposeScalarBHWC2BCHWStream", "float, 1, 4, 4, 16, 4", "1,4,4,16", (),
               ("in window 1024", "out stream")),
        Config("split", "SplitScalar", "float, 10, 64, 22, 1", "3,10,64,22", (),
               ("in stream", *(f"out window {4 * 10 * 22}",) * 3)),
    ]  # fmt: skip


CONFIGS = (*_gemm(), *_pool(), *_pad(), *_qlinearconv(), *_others())

_TILE = ("in window 4096", "in window 4096", "out window 4096")
MAXEVA = (
    Function(
        "Pattern1_fp32/src/kernels/kernels.cc", "Pattern1_fp32/src/kernels.h", "mm_kernel0", 4329, _TILE
    ),
    Function(
        "Pattern1_int8/src/kernels/kernels.cc",
        "Pattern1_int8/src/kernels.h",
        "opt_blocked_matrix_mult",
        1075,
        _TILE,
    ),
)

_GRAPH = """#include <adf.h>
#include "{header}"
class Stated : public adf::graph {{
 public:
  adf::kernel k[1];
{declared}
  Stated() {{
    k[0] = adf::kernel::{create};
    adf::source(k[0]) = "{source}";
    adf::headers(k[0]) = {{"{header}"}};
    adf::runtime<adf::ratio>(k[0]) = 0.9;
{connected}
  }}
}};
Stated g;
int main() {{ g.init(); g.run(1); g.end(); }}
"""


def make(config: Config | Function, sources: Path, folder: Path) -> Path:
    """Write a kernel's graph into a folder and return it; the kernel stays in the checkout."""
    name, create = config.name, f"create({config.name})"
    if isinstance(config, Config):
        kind = f"{config.kind}<{config.arguments}>"
        create = f"create_object<{kind}>({', '.join(config.constructor)})"
        source, header = f"{config.file}.cc", f"{config.file}.h"
    else:
        source, header = config.source, config.header
    declared, connected = _ports(config.ports, name)
    text = _GRAPH.format(
        source=sources / source,
        header=sources / header,
        declared=declared,
        create=create,
        connected=connected,
    )
    folder.mkdir(parents=True, exist_ok=True)
    graph = folder / f"graph_{name}.cpp"
    graph.write_text(text, encoding="utf-8")
    return graph


def _ports(ports: Sequence[str], files: str) -> tuple[str, str]:
    declared, connected = list[str](), list[str]()
    numbers = {"in": 0, "out": 0}
    for port in ports:
        way, how, *size = port.split()
        n = numbers[way]
        numbers[way] += 1
        name, side = f"{way}{n}", f"{way}put_plio"
        declared.append(f"  adf::{side} {name};")
        kind = f"window<{size[0]}>" if how == "window" else "stream"
        outer, inner = f"{name}.{'out' if way == 'in' else 'in'}[0]", f"k[0].{way}[{n}]"
        ends = f"{outer}, {inner}" if way == "in" else f"{inner}, {outer}"
        connected.append(
            f'    {name} = adf::{side}::create("{name}", adf::plio_64_bits, "{files}_{name}.txt", {PLIO_MHZ});\n'
            f"    adf::connect<adf::{kind}>({ends});"
        )
    return "\n".join(declared), "\n".join(connected)
