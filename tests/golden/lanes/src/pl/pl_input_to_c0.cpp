@@ sha256: 48460afb311ff6539391a7bf18a2c43379d3e12c66f66213b68d7f5da8d35a15
// pl_input_to_c0.cpp: no layer on programmable logic, 3x16x16 int8 to 3x16x16 int8.
// Made by aieloom 0.1.0 from lanes's network.yaml; edit that and run: doit gen project=lanes
// 1 reader(s), one beat of 16 value(s) a cycle each, 16 values side by side: 68 cycles an image
// 2 writer(s), one word of 16 values a cycle each: 192 cycles an image
// each writer's line buffer: 32 rows in 1 x 4 x 16 memories (ways x copies x banks) of 384 values in bram
@@ same: 9 in kernel.cpp.j2, pl_c1_to_c2.cpp
/// From what mm2s sends to what c0 reads.
struct Work {
@@ same: 2
  static constexpr bool kOwnRows = false;
  static constexpr int kChannels = 3, kHeight = 16, kWidth = 16, kPaddingX = 1;
  static constexpr int kInBits = 128;
  static constexpr int kReaders = 1, kTogether = 1, kSetChannels = 3, kBeat = 16, kBeatApart = 1;
  static constexpr int kRows = 32, kBanks = 16, kStep = 4, kSkew = 4;  // memories of 384 values
  static constexpr int kOutBits = 128, kPixels = 4, kWordApart = 4, kZero = -1, kOutGroups = 2;
  static constexpr int kOutRounds = 4, kOutRows = 2, kOutHeight = 16, kOutPasses = 1, kOutLines = 4,
      kOutBlocks = 1, kOutColumns = 6, kOutBlockRows = 8, kOutBlockCols = 4, kStrideY = 1,
      kPaddingY = 1;
@@ same: 4 in kernel.cpp.j2
extern "C" void pl_input_to_c0(
    hls::stream<ap_axiu<128, 0, 0, 0>> &in, hls::stream<ap_axiu<128, 0, 0, 0>> out[2]) {
@@ same: 3 in pl_act.cpp, pl_last.cpp
  hls_thread_local hls::stream<Beat<Work>> work_beats[2];
#pragma HLS stream variable=work_beats depth=32
  hls_thread_local hls::task task_work_read(share_image<Work>, in, work_beats);
  hls_thread_local hls::task task_work_write_0(write_lane_lines<Work, WholeImage<Work>>, work_beats[0],
      out[0]);
  hls_thread_local hls::task task_work_write_1(write_lane_lines<Work, WholeImage<Work>, 1>, work_beats[1],
      out[1]);
}
