@@ sha256: 241b5977852448b95bea290fa0e04e6621bb2153c688934fc3b4f4f336e9415c
// s2mm.cpp: memory from 1 stream of 128 bits.
@@ same: 7 in mm2s.cpp, instance.cpp.j2
struct Mover {
  static constexpr int kBits = 128, kStreams = 1, kMemoryBits = 128;
@@ same: 4 in instance.cpp.j2
/// Streams to memory: images of `size` words from each.
extern "C" void s2mm(
    ap_uint<128>* memory, int size, int iterations, hls::stream<Axis<128>>& in) {
#pragma HLS interface m_axi port=memory offset=slave bundle=gmem max_write_burst_length=64 num_write_outstanding=16
@@ same: 3 in mm2s.cpp
#pragma HLS interface axis port=in
#pragma HLS interface s_axilite port=return bundle=control
  streams_to_memory<Mover>(memory, size, iterations, in);
}
