@@ sha256: 2b4912b487c60ddf0a909ca9b2f76a086616420c7141d5406e68ecd9cb40c7ce
// row_load.cpp: the engine on the array.
@@ same: 481 in array_weights.cpp, row_load.cpp.j2, array_load.cpp, row_layer.j2, row_fold.j2, vector_held.j2, fold_int8.j2, row_fold_weighted.j2, finish_held.j2, finish_multiplier.j2
#pragma HLS bind_storage variable=lines type=ram_s2p impl=bram
@@ same: 9 in row_load.cpp.j2
extern "C" void row_load(const ap_uint<128>* table, hls::stream<Control>& control, hls::stream<Packet>& in, hls::stream<Control>& ask,
                         hls::stream<Packet>& made, hls::stream<Packet> out[kParts]) {
@@ same: 15 in vector_unit.cpp, row_load.cpp.j2
    take_trained(table + l.channels_at, l, trained);
@@ same: 8 in row_load.cpp.j2
