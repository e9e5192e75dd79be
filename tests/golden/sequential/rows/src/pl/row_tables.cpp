@@ sha256: 302eab28d835ce463589ce82e9dc3e8bee0a05c49283ca380972e45e53c4c7ef
// row_tables.cpp: the engine on the array.
@@ same: 56 in array_weights.cpp, row_tables.cpp.j2, array_load.cpp, vector_unit.cpp
extern "C" void row_tables(const ap_uint<128>* tables, hls::stream<Control>& control, hls::stream<Packet> to_stores[kRows], hls::stream<Packet> to_loads[kRows]) {
#pragma HLS interface m_axi port=tables offset=slave bundle=tables max_read_burst_length=64 max_write_burst_length=64 num_read_outstanding=16 num_write_outstanding=16
#pragma HLS interface s_axilite port=tables bundle=control
@@ same: 3 in row_tables.cpp.j2
#pragma HLS interface axis port=to_loads
@@ same: 9 in row_tables.cpp.j2
