@@ sha256: 7aefb752b8ba84af3c83c1646e5c3159f6495e72b764314b9930c0ec30aef090
// pl_c1_to_c2.cpp: no layer on programmable logic, 16x16x16 int8 to 16x16x16 int8.
// Made by aieloom 0.1.0 from lanes's network.yaml; edit that and run: doit gen project=lanes
// Why these numbers: aieloom explain pl_c1_to_c2, in the project's folder
@@ same: 9 in kernel.cpp.j2, pl_last.cpp, instance.cpp.j2
/// From what c1 sends to what c2 reads.
struct Work : Elements<Int8>, LineTraits {
  static constexpr int kChannels = 16, kHeight = 16, kWidth = 16, kReaders = 2, kTogether = 4, kSetChannels = 2,
      kBeat = 4, kBeatApart = 4, kInBits = 128, kInRounds = 2, kInGroups = 3, kInShare = 1,
      kInTileM = 8, kInTileRows = 3, kInSteps = 4, kInBlockRows = 4, kInBlockCols = 4;
  static constexpr int kRows = 8, kBanks = 4, kStep = 4;  // memories of 64 values
  static constexpr bool kOwnRows = true;
  static constexpr int kOutBits = 128, kPixels = 4, kWordApart = 4, kZero = -128, kPaddingX = 1, kWriters = 8;
  static constexpr int kOutRounds = 1, kOutRows = 2, kOutHeight = 16, kOutPasses = 1, kOutLines = 4, kOutBlocks = 2,
      kOutColumns = 6, kOutBlockRows = 8, kOutBlockCols = 4, kOutStrip = 4, kPaddingY = 1;
@@ same: 4 in instance.cpp.j2
extern "C" void pl_c1_to_c2(
    hls::stream<Axis<128>> in[6], hls::stream<Axis<128>> out[8]) {
@@ same: 4 in pl_act.cpp, pl_sum.cpp, pl_last.cpp
  hls_thread_local hls::stream<Beat<Work, Work::kTogether>> work_came[2];
#pragma HLS stream variable=work_came depth=32
  hls_thread_local hls::stream<Beat<Work>> work_shared[8];
#pragma HLS stream variable=work_shared depth=32
  hls_thread_local hls::task work_read_0(TileReader<Work, LaneTiles<Work>>::run, in[0], in[2], in[4],
      work_came[0]);
  hls_thread_local hls::task work_read_1(TileReader<Work, LaneTiles<Work>, 1>::run, in[1], in[3], in[5],
      work_came[1]);
  hls_thread_local hls::task work_gather(gather_beats<Work, LaneTiles<Work>>, work_came, work_beats);
  hls_thread_local hls::task work_share(share_beats<Work, LaneTiles<Work>>, work_beats, work_shared);
  hls_thread_local hls::task work_write_0(write_lane_lines<Work, LaneTiles<Work>>, work_shared[0], out[0]);
  hls_thread_local hls::task work_write_1(write_lane_lines<Work, LaneTiles<Work>, 1>, work_shared[1], out[1]);
  hls_thread_local hls::task work_write_2(write_lane_lines<Work, LaneTiles<Work>, 2>, work_shared[2], out[2]);
  hls_thread_local hls::task work_write_3(write_lane_lines<Work, LaneTiles<Work>, 3>, work_shared[3], out[3]);
  hls_thread_local hls::task work_write_4(write_lane_lines<Work, LaneTiles<Work>, 4>, work_shared[4], out[4]);
  hls_thread_local hls::task work_write_5(write_lane_lines<Work, LaneTiles<Work>, 5>, work_shared[5], out[5]);
  hls_thread_local hls::task work_write_6(write_lane_lines<Work, LaneTiles<Work>, 6>, work_shared[6], out[6]);
  hls_thread_local hls::task work_write_7(write_lane_lines<Work, LaneTiles<Work>, 7>, work_shared[7], out[7]);
}
