@@ sha256: dd33b5d80cfe340c305f2588914e117ba2ecb30228a60b6131a02e4c854bc1c0
// row_memory.cpp: the engine on the array.
@@ same: 12 in array_weights.cpp, row_memory.cpp.j2
  static constexpr int kRows = 6;  // rows of chains, each with an image
  static constexpr int kTileM = 32;  // pixels of a core's tile
  static constexpr int kTileWords = 8;  // words of a pixel of a tile
  static constexpr int kStoreWords = 8192;  // words of a row's store
  static constexpr int kSettles = 8;  // turns after which a word of the store may be read
  static constexpr int kRowWords = 64;  // words of a row of an image that is brought, at most
@@ same: 6 in row_memory.cpp.j2
extern "C" void row_memory(const ap_uint<128>* images, ap_uint<128>* results, int unit, hls::stream<Control>& control, hls::stream<Control>& done,
@@ same: 2
#pragma HLS interface m_axi port=images offset=slave bundle=images max_read_burst_length=64 max_write_burst_length=64 num_read_outstanding=16 num_write_outstanding=16
#pragma HLS interface s_axilite port=images bundle=control
#pragma HLS interface m_axi port=results offset=slave bundle=images max_read_burst_length=64 max_write_burst_length=64 num_read_outstanding=16 num_write_outstanding=16
#pragma HLS interface s_axilite port=results bundle=control
@@ same: 4 in row_memory.cpp.j2, array_store.cpp.j2
#pragma HLS interface axis port=x
#pragma HLS interface axis port=ask_x
#pragma HLS interface axis port=other
#pragma HLS interface axis port=ask_other
#pragma HLS interface axis port=sums
#pragma HLS interface axis port=folds
@@ same: 14 in row_memory.cpp.j2
