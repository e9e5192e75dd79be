// Data movers without an annotation for anybody's emulator: what they are, their signatures and pragmas tell.
#include <ap_axi_sdata.h>
#include <ap_int.h>
#include <hls_stream.h>

extern "C" {

/// `size` words in one packet; returns how many were negative.
ap_uint<21> mm2s(ap_int<32>* mem, hls::stream<ap_axiu<32, 0, 0, 0>>& s, int size) {
#pragma HLS interface m_axi port=mem offset=slave bundle=words
#pragma HLS interface s_axilite port=mem
#pragma HLS interface s_axilite port=size
#pragma HLS interface s_axilite port=return
#pragma HLS interface axis port=s
  ap_uint<21> negative = 0;
  for (int left = size; left > 0; --left) {
#pragma HLS pipeline II=1
    const ap_int<32>* next = mem + (size - left);
    ap_axiu<32, 0, 0, 0> beat;
    beat.set_data(*next);
    negative += *next < 0 ? 1 : 0;
    beat.keep_all();
    beat.set_last(left == 1);
    s << beat;
  }
  return negative;
}

/// Words until TLAST or `limit`; `received` tells how many they were, and `sum` their sum, through registers.
void s2mm(ap_int<32>* mem, hls::stream<ap_axiu<32, 0, 0, 0>>& s, int* received, long long& sum, float scale, int limit) {
#pragma HLS INTERFACE m_axi port=mem offset=slave bundle=gmem
#pragma HLS interface axis port=s
#pragma HLS INTERFACE s_axilite port=received
#pragma HLS INTERFACE s_axilite port=sum
#pragma HLS INTERFACE s_axilite port=scale
#pragma HLS INTERFACE s_axilite port=limit
#pragma HLS interface s_axilite port=return bundle=control
  int n = 0;
  long long total = 0;
  ap_axiu<32, 0, 0, 0> x;
  do {
    x = s.read();
    mem[n++] = static_cast<int>(static_cast<int>(x.data) * scale);
    total += static_cast<int>(x.data);
  } while (!x.last && n < limit);
  *received = n;
  sum = total;
}
}
