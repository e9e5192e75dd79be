// Data movers as the tutorials write them: no annotation for anybody's emulator.
#include <ap_axi_sdata.h>
#include <ap_int.h>
#include <hls_stream.h>

extern "C" {

void mm2s(ap_int<32>* mem, hls::stream<ap_axiu<32, 0, 0, 0>>& s, int size) {
#pragma HLS INTERFACE m_axi port=mem offset=slave bundle=gmem
#pragma HLS interface axis port=s
#pragma HLS INTERFACE s_axilite port=mem bundle=control
#pragma HLS INTERFACE s_axilite port=size bundle=control
#pragma HLS interface s_axilite port=return bundle=control
  for (int i = 0; i < size; i++) {
#pragma HLS PIPELINE II=1
    ap_axiu<32, 0, 0, 0> x;
    x.data = mem[i];
    x.keep = -1;
    x.last = i == size - 1;
    s.write(x);
  }
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
