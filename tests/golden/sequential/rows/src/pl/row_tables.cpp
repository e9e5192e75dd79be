@@ sha256: 6588c0332534c9e657d90cd6982275c31225bdb4da342dcb24e3e816080a0dd2
// row_tables.cpp: the engine on the array.
@@ same: 86 in array_weights.cpp, row_tables.cpp.j2, array_load.cpp, vector_unit.cpp, row_layer.j2
      {number[49], number[50], number[51]}};
@@ same: 71 in row_layer.j2, row_tables.cpp.j2
extern "C" void row_tables(const ap_uint<128>* tables, hls::stream<Control>& control, hls::stream<Packet> to_stores[kRows], hls::stream<Packet> to_loads[kRows]) {
#pragma HLS interface m_axi port=tables offset=slave bundle=tables max_read_burst_length=64 max_write_burst_length=64 num_read_outstanding=16 num_write_outstanding=16
#pragma HLS interface s_axilite port=tables bundle=control
@@ same: 3 in row_tables.cpp.j2
#pragma HLS interface axis port=to_loads
@@ same: 9 in row_tables.cpp.j2
