@@ sha256: c948c501025c364b151234b1679155729ed7ecb986e6b2c81d529888aa865035
// array_weights.cpp: the engine on the array.
@@ same: 98 in array_load.cpp, array_load.cpp.j2, array_weights.cpp.j2
extern "C" void array_weights(const ap_uint<128>* w, int unit, hls::stream<Control>& control, hls::stream<Packet> out[kParts]) {
#pragma HLS interface m_axi port=w offset=slave bundle=w max_read_burst_length=64 max_write_burst_length=64 num_read_outstanding=16 num_write_outstanding=16
#pragma HLS interface s_axilite port=w bundle=control
@@ same: 10 in array_weights.cpp.j2
#pragma HLS bind_storage variable=even type=ram_s2p impl=uram
#pragma HLS bind_storage variable=odd type=ram_s2p impl=uram
@@ same: 27 in array_weights.cpp.j2
