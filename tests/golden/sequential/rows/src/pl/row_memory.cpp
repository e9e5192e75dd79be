@@ sha256: b01520bec932d0df94d31bd4888fb9b895d4e89972e922c56be6f3cbbf32e243
// row_memory.cpp: the engine on the array.
@@ same: 88 in array_weights.cpp, row_memory.cpp.j2, array_load.cpp, row_layer.j2
      {number[49], number[50], number[51]}};
@@ same: 340 in row_layer.j2, row_memory.cpp.j2
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
@@ same: 29 in row_memory.cpp.j2
