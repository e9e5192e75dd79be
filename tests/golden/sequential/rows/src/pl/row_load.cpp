@@ sha256: a4167806b84ce85d094fbac2989560e6e2216e5e2e671666d79db32bf3330a18
// row_load.cpp: the engine on the array.
@@ same: 87 in array_weights.cpp, row_load.cpp.j2, array_load.cpp, row_layer.j2
      {number[49], number[50], number[51]}};
@@ same: 468 in row_layer.j2, row_load.cpp.j2, row_fold.j2, vector_unit.cpp, vector_held.j2, fold_int8.j2, row_fold_weighted.j2, finish_held.j2, finish_multiplier.j2
#pragma HLS bind_storage variable=lines type=ram_s2p impl=bram
@@ same: 10 in row_load.cpp.j2
extern "C" void row_load(hls::stream<Packet>& trained, hls::stream<Control>& control, hls::stream<Packet>& in, hls::stream<Control>& ask,
@@ same: 2
#pragma HLS interface axis port=trained
@@ same: 12 in row_load.cpp.j2
    take_trained(trained, l, taken);
@@ same: 3 in row_load.cpp.j2
