@@ sha256: 9389ee32fbc21636170586c6a4baf6ba57e4507aebb6934bb962a6d1efa5ee78
// row_memory.cpp: the engine on the array.
@@ same: 4 in array_weights.cpp
#include "../include/aieloom/pl/engine/row_memory.h"
@@ same: 5 in instance.cpp.j2
struct Engine {
  static constexpr int kRows = 6, kTileM = 32, kTileWords = 8, kStoreWords = 8192, kSettles = 8, kRowWords = 64;
@@ same: 4 in instance.cpp.j2
/// The store of row `unit` of chains: tells the sequencer when a layer's result lies there, or in device memory.
extern "C" void row_memory(
    const ap_uint<128>* images, ap_uint<128>* results, int unit, hls::stream<Control>& control,
    hls::stream<Control>& done, hls::stream<Axis<128>>& x, hls::stream<Control>& ask_x,
    hls::stream<Axis<128>>& other, hls::stream<Control>& ask_other, hls::stream<Axis<128>>& sums,
    hls::stream<Axis<128>>& folds) {
#pragma HLS interface m_axi port=images offset=slave bundle=images max_read_burst_length=64 max_write_burst_length=64 num_read_outstanding=16 num_write_outstanding=16
#pragma HLS interface s_axilite port=images bundle=control
#pragma HLS interface m_axi port=results offset=slave bundle=images max_read_burst_length=64 max_write_burst_length=64 num_read_outstanding=16 num_write_outstanding=16
#pragma HLS interface s_axilite port=results bundle=control
@@ same: 2
#pragma HLS interface axis port=done
#pragma HLS interface axis port=x
#pragma HLS interface axis port=ask_x
#pragma HLS interface axis port=other
#pragma HLS interface axis port=ask_other
#pragma HLS interface axis port=sums
#pragma HLS interface axis port=folds
#pragma HLS interface s_axilite port=return bundle=control
  row::memory<Engine>(images, results, unit, control, done, x, ask_x, other, ask_other, sums, folds);
}
