@@ sha256: b9774aeab356244575b244b7f0bbe305da2783514ffe49ff179e3e19a47b2096
// row_tables.cpp: the engine on the array.
@@ same: 4 in array_weights.cpp
#include "../include/aieloom/pl/engine/row_tables.h"
@@ same: 5 in instance.cpp.j2
struct Engine {
  static constexpr int kRows = 6, kColumns = 4, kTileN = 32;
@@ same: 4 in instance.cpp.j2
/// What all rows of chains need beside weights, layer after layer, by one port to memory.
extern "C" void row_tables(
    const ap_uint<128>* tables, hls::stream<Control>& control, hls::stream<Axis<128>> to_stores[6],
    hls::stream<Axis<128>> to_loads[6]) {
#pragma HLS interface m_axi port=tables offset=slave bundle=tables max_read_burst_length=64 max_write_burst_length=64 num_read_outstanding=16 num_write_outstanding=16
#pragma HLS interface s_axilite port=tables bundle=control
#pragma HLS interface axis port=control
#pragma HLS interface axis port=to_stores
#pragma HLS interface axis port=to_loads
#pragma HLS interface s_axilite port=return bundle=control
  row::tables<Engine>(tables, control, to_stores, to_loads);
}
