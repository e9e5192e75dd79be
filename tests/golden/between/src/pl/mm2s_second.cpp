@@ sha256: 3e2d7c4ccb879e9df43aff97acd12b1e6d7735923c7d1245a485b2bba0397809
// mm2s_second.cpp: memory to 1 stream of 64 bits.
@@ same: 13 in mm2s.cpp, instance.cpp.j2
/// Memory to streams: images of `size` words for each.
extern "C" void mm2s_second(
    const ap_uint<64>* memory, int size, int iterations, hls::stream<Axis<64>>& out) {
@@ same: 8 in mm2s.cpp
