@@ sha256: 42c0630e63c9b6a1ad418f83b3702f2a0921ebd670a1a21b76d07712cf6a9bb2
// pl_input_to_c0.cpp: no layer on programmable logic, 3x16x16 int8 to 3x16x16 int8.
// Made by aieloom 0.1.0 from lanes's network.yaml; edit that and run: doit gen project=lanes
// Why these numbers: aieloom explain pl_input_to_c0, in the project's folder
@@ same: 9 in kernel.cpp.j2, pl_last.cpp, instance.cpp.j2
/// From what mm2s sends to what c0 reads.
struct Work : Elements<Int8>, LineTraits {
  static constexpr int kChannels = 3, kHeight = 16, kWidth = 16, kSetChannels = 3, kBeat = 16, kInBits = 128;
  static constexpr int kRows = 32, kBanks = 16, kStep = 4, kSkew = 4;  // memories of 384 values
  using Storage = Bram;
  static constexpr int kOutBits = 128, kPixels = 4, kWordApart = 4, kZero = -1, kPaddingX = 1, kWriters = 2;
  static constexpr int kOutRounds = 4, kOutRows = 2, kOutHeight = 16, kOutPasses = 1, kOutLines = 4, kOutBlocks = 1,
      kOutColumns = 6, kOutBlockRows = 8, kOutBlockCols = 4, kOutStrip = 4, kPaddingY = 1;
@@ same: 4 in instance.cpp.j2
extern "C" void pl_input_to_c0(
    hls::stream<Axis<128>>& in, hls::stream<Axis<128>> out[2]) {
@@ same: 4 in pl_act.cpp, pl_sum.cpp, pl_last.cpp
  hls_thread_local hls::stream<Beat<Work>> work_shared[2];
#pragma HLS stream variable=work_shared depth=32
  hls_thread_local hls::task work_read(read_image<Work>, in, work_beats);
  hls_thread_local hls::task work_share(share_beats<Work, PlainImage<Work>>, work_beats, work_shared);
  hls_thread_local hls::task work_write_0(write_lane_lines<Work, PlainImage<Work>>, work_shared[0], out[0]);
  hls_thread_local hls::task work_write_1(write_lane_lines<Work, PlainImage<Work>, 1>, work_shared[1], out[1]);
}
