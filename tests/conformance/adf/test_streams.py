"""Streams, cascades, packets, GMIO, several graphs, file forms: against NumPy and the documented formats."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.conformance.adf.project import Ran, run_project, write_numbers, write_project

Ints = NDArray[np.int64]

KERNELS_H = """
#ifndef KERNELS_H
#define KERNELS_H
#include <adf.h>
#include <aie_api/aie.hpp>
#include <aie_api/aie_adf.hpp>
constexpr unsigned kWords = 16;
void words(input_stream<int32>* in, output_stream<int32>* out);
void vectors(input_stream_int16* in, output_stream_int16* out);
void first_half(adf::input_buffer<int16>& in, output_cascade<acc48>* out);
void second_half(adf::input_buffer<int16>& in, input_cascade<acc48>* sums, adf::output_buffer<int32>& out);
void lines(adf::input_buffer<cint16>& in, adf::output_buffer<cint16>& out);
void ports(input_stream<int32>* a, input_stream<int32>* b, output_stream<int32>* out);
void halve(adf::input_buffer<float>& in, adf::output_buffer<float>& out);
void add_one(adf::input_buffer<int32>& in, adf::output_buffer<int32>& out);
void tag_packets(input_pktstream* in, output_pktstream* out);
#endif
"""

KERNELS_CC = """
#include "kernels.h"
void words(input_stream<int32>* in, output_stream<int32>* out) {
  for (unsigned i = 0; i < kWords; ++i) {
    bool last = false;
    if (i % 2 == 0) {
      const int32 x = readincr(in, last);
      writeincr(out, x * 3, last);
    } else {  // as libraries name the port
      const int32 x = READINCRT(SS_rsrc1, in, last);
      WRITEINCRT(MS_rsrc1, out, x * 3, last);
    }
  }
}
void vectors(input_stream_int16* in, output_stream_int16* out) {
  for (unsigned i = 0; i < 2; ++i) {
    aie::vector<int16, 8> x = i == 0 ? readincr_v<8>(in) : READINCRW(WSS_rsrc2, in).cast_to<int16>();
    aie::vector<int16, 8> y = readincr_v8(in);
    x.push(y[0]);
    writeincr(out, x);
    if (i == 0) {
      writeincr_v<8>(out, y);
    } else {
      WRITEINCRW(WMS_rsrc1, out, y.cast_to<int32>());
    }
  }
}
void first_half(adf::input_buffer<int16>& in, output_cascade<acc48>* out) {
  const int16* p = in.data();
  for (unsigned i = 0; i < 2; ++i) {
    aie::accum<acc48, 8> sum;
    sum.from_vector(aie::load_v<8>(p + 8 * i), 4);
    writeincr_v(out, sum);
  }
}
void second_half(adf::input_buffer<int16>& in, input_cascade<acc48>* sums, adf::output_buffer<int32>& out) {
  for (unsigned i = 0; i < 2; ++i) {
    const aie::accum<acc48, 8> sum = readincr_v<8>(sums);
    const aie::vector<int32, 8> v = sum.to_vector<int32>(0);
    for (unsigned j = 0; j < 8; ++j) out.data()[8 * i + j] = v[j] + in.data()[8 * i + j];
  }
}
void lines(adf::input_buffer<cint16>& in, adf::output_buffer<cint16>& out) {
  for (unsigned i = 0; i < in.size(); ++i) {
    out.data()[i].real = in.data()[i].imag;
    out.data()[i].imag = in.data()[i].real;
  }
}
void ports(input_stream<int32>* a, input_stream<int32>* b, output_stream<int32>* out) {
  (void)a, (void)b, (void)out;
  for (unsigned i = 0; i < kWords; ++i) {
    const int32 x = get_ss(0);
    put_ms(0, x - get_ss(1));
  }
}
void halve(adf::input_buffer<float>& in, adf::output_buffer<float>& out) {
  for (unsigned i = 0; i < in.size(); ++i) out.data()[i] = in.data()[i] * 0.5f;
}
void add_one(adf::input_buffer<int32>& in, adf::output_buffer<int32>& out) {
  for (unsigned i = 0; i < in.size(); ++i) out.data()[i] = in.data()[i] + 1;
}
void tag_packets(input_pktstream* in, output_pktstream* out) {
  readincr(in);  // header
  writeHeader(out, 5, getPacketid(out, 0));
  bool last = false;
  while (!last) {
    const int32 x = readincr(in, last);
    writeincr(out, static_cast<uint32>(x * 2), last);
  }
}
"""

GRAPH = """
#include <cstdio>
#include "kernels.h"
using namespace adf;

class Streams : public graph {
 public:
  input_plio w_in, v_in, c_in, l_in, p_in[2], h_in;
  output_plio w_out, v_out, c_out, l_out, p_out, h_out;
  kernel w, v, first, second, l, p, h;
  template <typename F>
  void make(kernel& k, F* function) {
    k = kernel::create(function);
    source(k) = "kernels.cc";
    runtime<ratio>(k) = 0.8;
  }
  Streams() {
    make(w, words); make(v, vectors); make(first, first_half); make(second, second_half); make(l, lines); make(p, ports);
    make(h, halve);
    w_in = input_plio::create("w_in", plio_32_bits, "data/words.txt");
    w_out = output_plio::create("w_out", plio_64_bits, "words.txt");
    connect<stream> in_net(w_in.out[0], w.in[0]);
    fifo_depth(in_net) = 32;
    connect<stream>(w.out[0], w_out.in[0]);
    v_in = input_plio::create("v_in", plio_128_bits, "data/vectors.txt");
    v_out = output_plio::create("v_out", plio_32_bits, "vectors.txt");
    connect<>(v_in.out[0], v.in[0]);
    connect<>(v.out[0], v_out.in[0]);
    c_in = input_plio::create("c_in", plio_64_bits, "data/cascade.txt");
    c_out = output_plio::create("c_out", plio_32_bits, "cascade.txt");
    connect<>(c_in.out[0], first.in[0]);
    connect<>(c_in.out[0], second.in[0]);
    connect<cascade>(first.out[0], second.in[1]);
    connect<>(second.out[0], c_out.in[0]);
    dimensions(first.in[0]) = {16}; dimensions(second.in[0]) = {16}; dimensions(second.out[0]) = {16};
    location<kernel>(first) = tile(24, 0);
    location<kernel>(second) = location<kernel>(first) + relative_offset({.col_offset = 1, .row_offset = 0});
    l_in = input_plio::create("l_in", plio_64_bits, "data/lines.csv");
    l_out = output_plio::create("l_out", plio_64_bits, "lines.csv");
    connect<>(l_in.out[0], l.in[0]);
    connect<>(l.out[0], l_out.in[0]);
    dimensions(l.in[0]) = {8}; dimensions(l.out[0]) = {8};
    for (int i = 0; i < 2; ++i) {
      p_in[i] = input_plio::create("p_in" + std::to_string(i), plio_32_bits, "data/ports" + std::to_string(i) + ".txt");
      connect<>(p_in[i].out[0], p.in[i]);
    }
    p_out = output_plio::create("p_out", plio_32_bits, "ports.txt");
    connect<>(p.out[0], p_out.in[0]);
    h_in = input_plio::create("h_in", plio_32_bits, "data/floats.txt");
    h_out = output_plio::create("h_out", plio_128_bits, "floats.txt");
    connect<>(h_in.out[0], h.in[0]);
    connect<>(h.out[0], h_out.in[0]);
    dimensions(h.in[0]) = {8}; dimensions(h.out[0]) = {8};
  }
};

class Packets : public graph {
 public:
  input_plio in;
  output_plio out;
  pktsplit<3> split;
  pktmerge<3> merge;
  kernel k[2], tagger;
  Packets() {
    in = input_plio::create("packets_in", plio_32_bits, "data/packets.txt");
    out = output_plio::create("packets_out", plio_32_bits, "packets.txt");
    split = pktsplit<3>::create();
    merge = pktmerge<3>::create();
    connect<pktstream>(in.out[0], split.in[0]);
    connect<pktstream>(merge.out[0], out.in[0]);
    for (int i = 0; i < 2; ++i) {
      k[i] = kernel::create(add_one);
      source(k[i]) = "kernels.cc";
      runtime<ratio>(k[i]) = 0.3;
      connect<pktstream>(split.out[i], k[i].in[0]);
      connect<pktstream>(k[i].out[0], merge.in[i]);
      dimensions(k[i].in[0]) = {4};
      dimensions(k[i].out[0]) = {4};
      location<kernel>(k[i]) = tile(10 + i, 3);
    }
    tagger = kernel::create(tag_packets);
    source(tagger) = "kernels.cc";
    runtime<ratio>(tagger) = 0.3;
    connect<pktstream>(split.out[2], tagger.in[0]);
    connect<pktstream>(tagger.out[0], merge.in[2]);
  }
};

class Ddr : public graph {
 public:
  input_gmio in;
  output_gmio out;
  kernel k;
  Ddr() {
    in = input_gmio::create("ddr_in", 64, 1000);
    out = output_gmio::create("ddr_out", 256, 1000);
    k = kernel::create(add_one);
    source(k) = "kernels.cc";
    runtime<ratio>(k) = 0.9;
    connect<>(in.out[0], k.in[0]);
    connect<>(k.out[0], out.in[0]);
    dimensions(k.in[0]) = {8};
    dimensions(k.out[0]) = {8};
  }
};

Streams streams;
Packets packets;
Ddr ddr;

int main() {
  streams.init();
  packets.init();
  ddr.init();
  auto* from = static_cast<int32*>(GMIO::malloc(128));
  auto* to = static_cast<int32*>(GMIO::malloc(128));
  for (int i = 0; i < 32; ++i) from[i] = i * i;
  ddr.out.aie2gm_nb(to, 64);
  ddr.run(4);
  ddr.in.gm2aie(from, 32);
  ddr.out.aie2gm_nb(to + 16, 32);  // more, while the first is on its way
  ddr.out.aie2gm_nb(to + 24, 4);
  ddr.in.gm2aie_nb(from + 8, 96);
  ddr.out.wait();
  ddr.out.aie2gm(to + 25, 28);
  for (int i = 0; i < 32; ++i) std::printf("%d ", to[i]);
  ddr.end();
  GMIO::free(from);
  GMIO::free(to);
  streams.run(2);
  packets.run();  // as long as there are packets
  packets.wait(1000);
  streams.wait();
  packets.end();
  streams.end();
}
"""


def header(packet_id: int, kind: int = 0, row: int = 0, col: int = 0) -> int:
    """UG1079 Packet Processing: id 4..0, type 14..12, source row 20..16, column 27..21, odd parity in 31."""
    word = packet_id | kind << 12 | row << 16 | col << 21
    return word | (1 << 31 if bin(word).count("1") % 2 == 0 else 0)


def signed(word: int) -> int:
    return word - (1 << 32) if word >> 31 else word


PACKETS = ((1, 4), (0, 4), (2, 3), (1, 4), (2, 5))  # id and length in words


def packet_words() -> list[list[int]]:
    rng = np.random.default_rng(3)
    return [[int(v) for v in rng.integers(-50, 50, n)] for _, n in PACKETS]


def packet_file() -> str:
    lines: list[str] = []
    for (packet_id, _), words in zip(PACKETS, packet_words(), strict=True):
        body = [str(w) for w in words]
        lines += ["T 12 ns", str(header(packet_id)), *body[:-1], "TLAST", body[-1]]
    return "\n".join(lines) + "\n"


def data(name: str) -> Ints:
    rng = np.random.default_rng(sum(map(ord, name)))
    return rng.integers(-1000, 1000, 64 if name == "vectors" else 32)


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Ran:
    folder = tmp_path_factory.mktemp("streams")
    write_project(folder, {"kernels.h": KERNELS_H, "kernels.cc": KERNELS_CC, "graph.cpp": GRAPH})
    words = [str(v) for v in data("words")]
    words.insert(16, "TLAST")  # the 17th word is the last of its run
    write_project(folder, {"data/words.txt": "\n".join(words) + "\n", "data/packets.txt": packet_file()})
    write_numbers(folder / "data/vectors.txt", data("vectors"), 8)
    write_numbers(folder / "data/cascade.txt", data("cascade"), 4)
    write_numbers(folder / "data/ports0.txt", data("ports0"))
    write_numbers(folder / "data/ports1.txt", data("ports1"))
    write_numbers(folder / "data/floats.txt", data("floats")[:16] / 8)
    rows = "\n".join("DATA," + ",".join(map(str, r)) + ",0,-1" for r in data("lines").reshape(-1, 4))
    write_project(folder, {"data/lines.csv": f"CMD,D,D,D,D,TLAST,TKEEP\nSTALL:20\n{rows}\n"})
    done = run_project(folder)
    assert (done.result.code, done.result.stderr) == (0, "")
    return done


@pytest.mark.integration
def test_scalar_stream_keeps_tlast(ran: Ran) -> None:
    lines = ran.lines("words.txt")
    assert lines.index("TLAST") == 8  # the run ends with the first word of line 8, of 64 bits
    want = data("words") * 3
    got = [int(v) for line in lines if line != "TLAST" for v in line.split()]
    np.testing.assert_array_equal(got, want)
    assert lines[9].split() == [str(want[16])]


def test_vector_stream(ran: Ran) -> None:
    x = data("vectors").reshape(4, 2, 8)
    pushed = np.concatenate([x[:, 1, :1], x[:, 0, :-1]], axis=1)
    np.testing.assert_array_equal(
        ran.ints("vectors.txt").reshape(4, 2, 8), np.stack([pushed, x[:, 1]], axis=1)
    )
    assert {len(line.split()) for line in ran.lines("vectors.txt")} == {2}


def test_cascade_of_accumulators(ran: Ran) -> None:
    np.testing.assert_array_equal(ran.ints("cascade.txt"), data("cascade") * 17)


def test_complex_numbers_in_csv_files(ran: Ran) -> None:
    lines = ran.lines("lines.csv")
    assert lines[0] == "CMD,D,D,D,D,TLAST,TKEEP"
    rows = np.array([line.split(",")[1:5] for line in lines[1:]], dtype=np.int64)
    np.testing.assert_array_equal(rows, data("lines").reshape(-1, 4)[:, [1, 0, 3, 2]])
    assert {(line.split(",")[0], *line.split(",")[5:]) for line in lines[1:]} == {("DATA", "0", "-1")}


def test_physical_stream_ports(ran: Ran) -> None:
    np.testing.assert_array_equal(ran.ints("ports.txt"), data("ports0") - data("ports1"))


def test_floats_four_a_line(ran: Ran) -> None:
    np.testing.assert_array_equal(ran.floats("floats.txt"), data("floats")[:16] / 16)
    assert {len(line.split()) for line in ran.lines("floats.txt")} == {4}


def test_packets_reach_their_kernels_and_come_back_with_headers(ran: Ran) -> None:
    got: dict[int, list[list[int]]] = {}
    packet: list[int] = []
    last = False
    for line in ran.lines("packets.txt"):
        if line == "TLAST":
            last = True
            continue
        packet.append(int(line))
        if last:
            got.setdefault(packet[0], []).append(packet[1:])
            packet, last = [], False
    assert packet == []
    words = list(zip([p for p, _ in PACKETS], packet_words(), strict=True))
    want = {
        signed(header(i, 0, 3, 10 + i)): [[w + 1 for w in ws] for p, ws in words if p == i] for i in range(2)
    }
    want[signed(header(2, 5))] = [[2 * w for w in ws] for p, ws in words if p == 2]
    assert got == want


def test_gmio_transfers(ran: Ran) -> None:
    assert ran.result.stdout.split() == [str(i * i + 1) for i in range(32)]


def test_numbers_that_do_not_fit_their_type_are_named(tmp_path: Path, ran: Ran) -> None:
    # The same program once more, with one bad line: file and line are in the message.
    built = ran.result.out.parent
    for name in (built / "data").iterdir():
        write_project(tmp_path, {f"data/{name.name}": name.read_text()})
    (tmp_path / "data/cascade.txt").write_text("1 2 3 4\n5 6 40000 8\n")
    from aieloom.emulator.program import run  # noqa: PLC0415

    done = run(built / "build" / "program", data=tmp_path, out=tmp_path / "out")
    assert done.code == 2
    assert "cascade.txt:2: '40000' is no int16" in done.stderr
    (tmp_path / "data/cascade.txt").write_text("1 2 3 4\n5 6 7\n")
    done = run(built / "build" / "program", data=tmp_path, out=tmp_path / "out")
    assert "cascade.txt:2: 3 numbers; a 64-bit PLIO takes 4 of int16 a line" in done.stderr
