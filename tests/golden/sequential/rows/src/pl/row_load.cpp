@@ sha256: 3eed1982b3e529168526bc6c96138194627c032e3be87bbd44a8d14a4efaee7b
// row_load.cpp: the engine on the array.
@@ same: 87 in array_weights.cpp, row_load.cpp.j2, array_load.cpp, row_layer.j2
      {number[49], number[50], number[51]}};
@@ same: 468 in row_layer.j2, row_load.cpp.j2, row_fold.j2, vector_unit.cpp, vector_held.j2, fold_int8.j2, row_fold_weighted.j2, finish_held.j2, finish_multiplier.j2
#pragma HLS bind_storage variable=lines type=ram_s2p impl=uram
@@ same: 10 in row_load.cpp.j2
extern "C" void row_load(const ap_uint<128>* table, hls::stream<Control>& control, hls::stream<Packet>& in, hls::stream<Control>& ask,
                         hls::stream<Packet>& made, hls::stream<Packet> out[kParts]) {
@@ same: 15 in vector_unit.cpp, row_load.cpp.j2
    take_trained(table + l.channels_at, l, trained);
@@ same: 3 in row_load.cpp.j2
