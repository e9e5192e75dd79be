// A free-running kernel with an array of streams and processes that run one after another in C simulation.
#include <ap_axi_sdata.h>
#include <hls_stream.h>

namespace {

using Word = ap_axiu<32, 0, 0, 0>;
constexpr int kPorts = 2;

void split(hls::stream<Word>& in, hls::stream<Word> (&halves)[kPorts]) {
  Word word;
  do {
    word = in.read();
    halves[0].write(word);
    halves[1].write(word);
  } while (!word.last);
}

void add(hls::stream<Word> (&halves)[kPorts], hls::stream<Word>& out) {
  Word a;
  do {
    a = halves[0].read();
    const Word b = halves[1].read();
    a.data = a.data + b.data;
    out.write(a);
  } while (!a.last);
}

}  // namespace

void twice(hls::stream<Word> in[1], hls::stream<Word>& out) {
#pragma HLS interface axis port=in
#pragma HLS interface axis port=out
#pragma HLS interface ap_ctrl_none port=return
#pragma HLS dataflow
  hls::stream<Word> halves[kPorts];
  split(in[0], halves);
  add(halves, out);
}
