@@ sha256: 4a339c8efb12597eea99e920aa52f09484d7434d0bb18408d2b4ac2834b2604e
// weights_one.cpp: memory to 1 stream of 64 bits.
@@ same: 15 in mm2s.cpp, instance.cpp.j2, weights_one.cpp
    const ap_uint<64>* memory, int size, int iterations, hls::stream<Axis<64>>& out) {
@@ same: 8 in mm2s.cpp
