@@ sha256: a224770f512750f50841b7e1e9d47aacfb54be51f4077fe58f21f907da6def57
// row_load.cpp: the engine on the array.
@@ same: 87 in array_weights.cpp, row_load.cpp.j2, array_load.cpp, row_layer.j2
      {number[49], number[50], number[51]}};
@@ same: 468 in row_layer.j2, row_load.cpp.j2, row_fold.j2, vector_unit.cpp, vector_held.j2, fold_int8.j2, row_fold_weighted.j2, finish_held.j2, finish_multiplier.j2
#pragma HLS bind_storage variable=lines type=ram_s2p impl=bram
@@ same: 10 in row_load.cpp.j2
extern "C" void row_load(const ap_uint<128>* table, hls::stream<Control>& control, hls::stream<Packet>& in, hls::stream<Control>& ask,
                         hls::stream<Packet>& made, hls::stream<Packet> out[kParts]) {
@@ same: 15 in vector_unit.cpp, row_load.cpp.j2
    take_trained(table + l.channels_at, l, trained);
@@ same: 3 in row_load.cpp.j2
