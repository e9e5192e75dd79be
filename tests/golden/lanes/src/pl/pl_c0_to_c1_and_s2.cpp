@@ sha256: 3cdc2b5b824ad9b44ad832214c6113a9686f821e1d904e3fe50993cac647b2a3
// pl_c0_to_c1_and_s2.cpp: no layer on programmable logic, 16x16x16 int8 to 16x16x16 int8.
// Made by aieloom 0.1.0 from lanes's network.yaml; edit that and run: doit gen project=lanes
// Why these numbers: aieloom explain pl_c0_to_c1_and_s2, in the project's folder
@@ same: 10 in kernel.cpp.j2, pl_act_pool.cpp, instance.cpp.j2
/// Brings what c0 sends in order of rows.
struct From0 : Elements<Int8>, LineTraits {
  static constexpr int kChannels = 16, kHeight = 16, kWidth = 16, kReaders = 2, kTogether = 4, kSetChannels = 2,
      kBeat = 4, kBeatApart = 4, kInBits = 128, kInRounds = 4, kInGroups = 2, kInShare = 1,
      kInTileM = 8, kInTileRows = 2, kInSteps = 4, kInBlockRows = 4, kInBlockCols = 4;
  static constexpr int kRows = 8, kBanks = 16;  // memories of 16 values
  static constexpr int kOutBits = 128, kPixels = 16, kZero = -128;
@@ same: 2
/// Keeps the lines that c1 reads.
struct To0 : Elements<Int8>, LineTraits {
  static constexpr int kChannels = 16, kHeight = 16, kWidth = 16, kSetChannels = 16, kBeat = 16, kInBits = 128;
  static constexpr int kRows = 16, kBanks = 16, kStep = 4, kSkew = 4;  // memories of 1024 values
  using Storage = Bram;
  static constexpr bool kOwnRows = true;
  static constexpr int kOutBits = 128, kPixels = 4, kWordApart = 4, kZero = -128, kPaddingX = 1, kWriters = 3;
  static constexpr int kOutRounds = 2, kOutRows = 3, kOutHeight = 16, kOutPasses = 1, kOutLines = 5, kOutBlocks = 2,
      kOutColumns = 6, kOutBlockRows = 8, kOutBlockCols = 4, kOutStrip = 4, kPaddingY = 1;
@@ same: 4 in instance.cpp.j2
extern "C" void pl_c0_to_c1_and_s2(
    hls::stream<Axis<128>> in[4], hls::stream<Axis<128>> out0[3], hls::stream<Axis<128>>& out1) {
@@ same: 5 in pl_act_pool.cpp
  hls_thread_local hls::stream<Row<128>, 256> forked_0;  // an image for c1, whatever the others do
#pragma HLS bind_storage variable=forked_0 type=fifo impl=bram
  hls_thread_local hls::stream<Row<128>, 256> forked_1;  // an image for pl_s2, whatever the others do
#pragma HLS bind_storage variable=forked_1 type=fifo impl=bram
  hls_thread_local hls::stream<Beat<From0>, 32> from0_beats;
  hls_thread_local hls::stream<Beat<From0, From0::kTogether>> from0_came[2];
#pragma HLS stream variable=from0_came depth=32
  hls_thread_local hls::stream<Beat<To0>, 32> to0_beats;
  hls_thread_local hls::stream<Beat<To0>> to0_shared[3];
#pragma HLS stream variable=to0_shared depth=32
  hls_thread_local hls::task from0_read_0(TileReader<From0, LaneTiles<From0>>::run, in[0], in[2], from0_came[0]);
  hls_thread_local hls::task from0_read_1(TileReader<From0, LaneTiles<From0>, 1>::run, in[1], in[3],
      from0_came[1]);
  hls_thread_local hls::task from0_gather(gather_beats<From0, LaneTiles<From0>>, from0_came, from0_beats);
  hls_thread_local hls::task from0_write(write_rows<From0, LaneTiles<From0>>, from0_beats, joined);
@@ same: 2
  hls_thread_local hls::task to0_write_0(write_lane_lines<To0, RowBands<To0>>, to0_shared[0], out0[0]);
  hls_thread_local hls::task to0_write_1(write_lane_lines<To0, RowBands<To0>, 1>, to0_shared[1], out0[1]);
  hls_thread_local hls::task to0_write_2(write_lane_lines<To0, RowBands<To0>, 2>, to0_shared[2], out0[2]);
  hls_thread_local hls::task task_fork(ForkRows<128, 256, 2>::run, joined, forked_0, forked_1);
  hls_thread_local hls::task task_send_1(send_rows<128, 256>, forked_1, out1);
}
