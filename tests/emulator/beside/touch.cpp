// Reads or writes one word of its memory.
#include <hls_stream.h>

extern "C" void touch(int* mem, int at, int writes) {
#pragma HLS interface m_axi port=mem offset=slave bundle=gmem
#pragma HLS interface s_axilite port=mem
#pragma HLS interface s_axilite port=at
#pragma HLS interface s_axilite port=writes
#pragma HLS interface s_axilite port=return
  volatile int* words = mem;
  if (writes) {
    words[at] = 5;
  } else {
    words[0] = words[at];
  }
}
