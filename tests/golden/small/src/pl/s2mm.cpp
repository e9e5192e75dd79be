@@ sha256: bc3bc317325821ebd8cd9fb8d0efdbead8db6d4961c1bd2540c50ea6d0ad6cd8
// s2mm.cpp: memory from 1 stream of 128 bits.
@@ same: 8 in mm2s.cpp, mover.cpp.j2
  static constexpr int kBits = 128, kStreams = 1, kMemoryBits = 128;
@@ same: 4 in mover.cpp.j2
/// Streams to memory: images of `size` words from each.
extern "C" void s2mm(
    ap_uint<128>* memory, int size, int iterations, hls::stream<ap_axiu<128, 0, 0, 0>> &in) {
#pragma HLS interface m_axi port=memory offset=slave bundle=gmem max_write_burst_length=64 num_write_outstanding=16
@@ same: 4 in mm2s.cpp
#pragma HLS interface axis port=in
  streams_to_memory<Mover>(memory, size, iterations, in);
}
