@@ sha256: dc4d24fa85d704829aa52a7ab152443d66a46698b2fd89e412a5fd2890bc1c13
// weights_two.cpp: memory to 1 stream of 64 bits.
@@ same: 13 in mm2s.cpp, instance.cpp.j2
/// Memory to streams: images of `size` words for each.
extern "C" void weights_two(
    const ap_uint<64>* memory, int size, int iterations, hls::stream<Axis<64>>& out) {
@@ same: 8 in mm2s.cpp
