@@ sha256: 95c972471de071d87303dba9f95a759bbd9f2c1b94f3c3a8e02f5d9786f9eac1
// pl_sum.cpp: sum on programmable logic, 8x4x8 float32 to 8x4x8 float32.
// Made by aieloom 0.1.0 from streamed's network.yaml; edit that and run: doit gen project=streamed
// add: 256 sums in float32, one a cycle
// Why these numbers: aieloom explain pl_sum, in the project's folder
@@ same: 11 in kernel.cpp.j2, pl_act_pool.cpp, instance.cpp.j2
/// Brings what second sends in order of rows.
struct From0 : Elements<Float>, LineTraits {
  static constexpr int kChannels = 8, kHeight = 4, kWidth = 8, kSetChannels = 8, kBeat = 2, kInBits = 64,
      kInRounds = 1, kInGroups = 4, kInShare = 1, kInTileM = 8, kInTileRows = 1, kInSteps = 2,
      kInBlockRows = 4, kInBlockCols = 4;
  static constexpr int kRows = 8, kBanks = 4;  // memories of 128 values
  static constexpr int kOutBits = 128, kPixels = 4;
@@ same: 2
/// Keeps the lines that third reads.
struct To0 : Elements<Float>, LineTraits {
  static constexpr int kChannels = 8, kHeight = 4, kWidth = 8, kSetChannels = 8, kBeat = 4, kInBits = 128;
  static constexpr int kRows = 2, kBanks = 4;  // memories of 32 values
  static constexpr bool kOwnRows = true;
  static constexpr int kOutBits = 64, kPixels = 1, kWriters = 4;
  static constexpr int kOutRounds = 1, kOutPasses = 1, kOutTileK = 8, kOutTileN = 8, kOutBlockRows = 2,
      kOutBlockCols = 4, kOutHeight = 4, kOutWidth = 8, kKernelY = 1, kKernelX = 1;
@@ same: 2
/// What sum joins.
struct Join : Elements<Float> {
  static constexpr int kBits = 128, kWords = 64;
@@ same: 4 in instance.cpp.j2
extern "C" void pl_sum(
    hls::stream<Axis<64>> in0[4], hls::stream<Axis<128>>& in1, hls::stream<Axis<64>> out[4]) {
#pragma HLS interface axis port=in0
#pragma HLS interface axis port=in1
#pragma HLS interface axis port=out
#pragma HLS interface ap_ctrl_none port=return
  hls_thread_local hls::stream<Row<128>, 64> joining_0;  // what second sends; 1 image(s) of it wait for the others
#pragma HLS bind_storage variable=joining_0 type=fifo impl=lutram
  hls_thread_local hls::stream<Row<128>, 128> joining_1;  // what pl_act_pool sends; 2 image(s) of it wait for the others
#pragma HLS bind_storage variable=joining_1 type=fifo impl=bram
  hls_thread_local hls::stream<Row<128>, 32> joined;  // what leaves, or is worked on
@@ same: 4 in pl_act_pool.cpp
  hls_thread_local hls::task from0_read_0(TileReader<From0, PixelTiles<From0>>::run, in0[0], in0[1], in0[2],
      in0[3], from0_beats);
  hls_thread_local hls::task from0_write(write_rows<From0, PixelTiles<From0>>, from0_beats, joining_0);
  hls_thread_local hls::task to0_read(read_rows<To0>, joined, to0_beats);
  hls_thread_local hls::task to0_share(share_beats<To0, RowBands<To0>>, to0_beats, to0_shared);
  hls_thread_local hls::task to0_write_0(write_columns<To0, RowBands<To0>>, to0_shared[0], out[0]);
  hls_thread_local hls::task to0_write_1(write_columns<To0, RowBands<To0>, 1>, to0_shared[1], out[1]);
  hls_thread_local hls::task to0_write_2(write_columns<To0, RowBands<To0>, 2>, to0_shared[2], out[2]);
  hls_thread_local hls::task to0_write_3(write_columns<To0, RowBands<To0>, 3>, to0_shared[3], out[3]);
  hls_thread_local hls::task task_bring_1(bring_rows<128, 64>, in1, joining_1);
  hls_thread_local hls::task task_join(join_rows<Join, Plus>, joining_0, joining_1, joined);
}
