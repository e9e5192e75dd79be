@@ sha256: 2fa94924a7aa33f0adfa84d3e2cd8315e094679db380632d765aba2de40fb2b4
// row_load.cpp: the engine on the array.
@@ same: 507 in array_weights.cpp, row_load.cpp.j2, array_load.cpp, row_fold.j2, vector_unit.cpp, vector_held.j2, requantise.h, fold_int8.j2, row_fold_weighted.j2, finish_held.j2, finish_multiplier.j2
#pragma HLS bind_storage variable=lines type=ram_s2p impl=bram
@@ same: 10 in row_load.cpp.j2
extern "C" void row_load(hls::stream<Packet>& trained, hls::stream<Control>& control, hls::stream<Packet>& in, hls::stream<Control>& ask,
@@ same: 2
#pragma HLS interface axis port=trained
@@ same: 12 in row_load.cpp.j2
    take_trained(trained, l, taken);
@@ same: 3 in row_load.cpp.j2
