@@ sha256: ad4ca8f7c138c47bcad3117dc7607f1ce7e791932d6591988f057f77bf8d5e51
// array_weights.cpp: the engine on the array.
@@ same: 137 in array_load.cpp, array_weights.cpp.j2, array_layer.j2
#pragma HLS bind_storage variable=cache type=ram_s2p impl=uram
@@ same: 7 in array_weights.cpp.j2
extern "C" void array_weights(const ap_uint<128>* w, int unit, hls::stream<Control>& control, hls::stream<Packet> out[kParts]) {
#pragma HLS interface m_axi port=w offset=slave bundle=w max_read_burst_length=64 max_write_burst_length=64 num_read_outstanding=16 num_write_outstanding=16
#pragma HLS interface s_axilite port=w bundle=control
@@ same: 11 in array_weights.cpp.j2
