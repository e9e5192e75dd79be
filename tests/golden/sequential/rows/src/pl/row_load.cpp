@@ sha256: 13c914fa528797f7e3e91b44088ffb707e99ccb693b4542a8e2c60fc0d577ca0
// row_load.cpp: the engine on the array.
@@ same: 35
using Packet = ap_axiu<128, 0, 0, 0>;  // kLanes channels of a pixel
using Bits = ap_uint<128>;
@@ same: 70
using Lines = Bits[kParts][kLineWords];  // a band's rows of the input, once for each part of K

/// Where a pixel's window begins, in rows and columns of the band's lines.
struct Corner {
  int row, column;
};

using Corners = Corner[kBandPixels];

/// A word of a window: where it lies from the window's first, and its tap; beyond the last one a row that is outside of every image.
struct Place {
  int offset, dy, dx;
};

using Places = Place[kParts][kPlaces];

constexpr int kOutside = -(1 << 24);

/// The words of a window in the order in which the parts of K take them, pass after pass.
void place(const Layer& l, Places& places) {
  int word = 0;
  int dy = 0;
  int dx = 0;
  for (int pass = 0; pass < l.passes; ++pass) {
    for (int part = 0; part < kParts; ++part) {
      for (int k = 0; k < kTileWords; ++k) {
#pragma HLS pipeline II=1
        places[part][pass * kTileWords + k] = {(dy * l.width + dx) * l.tap_words + word, dy < l.kernel_y ? dy : kOutside, dx};
        ++word;
        if (word == l.tap_words) {
          word = 0;
          ++dx;
        }
        if (dx == l.kernel_x) {
          dx = 0;
          ++dy;
@@ same: 6
/// Asks for the rows that a band's windows see and takes them; notes where each pixel's window begins.
void load_band(const Layer& l, int band, hls::stream<Packet>& in, hls::stream<Control>& ask, Lines& lines, Corners& corners) {
  const int pixels = pixels_of(l, band);
  const int first = band * l.rows * l.stride_y - l.top;
  const int last = first + (pixels / l.out_width - 1) * l.stride_y + l.kernel_y;
  const int begin = first < 0 ? 0 : first;
  const int end = last < l.height ? last : l.height;
  const int row_words = l.width * l.tap_words;
  ask.write(token());
  for (int i = (begin - first) * row_words; i < (end - first) * row_words; ++i) {
#pragma HLS pipeline II=1
    const Bits word = in.read().data;
    for (int part = 0; part < kParts; ++part) {
#pragma HLS unroll
      lines[part][i] = word;
    }
  }
  int row = 0;
  int column = 0;
  for (int i = 0; i < (pixels + kTileM - 1) / kTileM * kTileM; ++i) {
#pragma HLS pipeline II=1
    corners[i] = {i < pixels ? row * l.stride_y : kOutside, column * l.stride_x - l.left};
    ++column;
    if (column == l.out_width) {
      column = 0;
      ++row;
@@ same: 4
/// What lies outside of an image.
Bits around(int element) {
  Bits word;
  for (int i = 0; i < kLanes; ++i) {
#pragma HLS unroll
    word.range(8 * i + 7, 8 * i) = element & 0xFF;
@@ same: 4
/// A word of the lines, of the pixel `dy`, `dx` from a window's corner.
Bits seen(const Bits* lines, const Layer& l, int first, const Corner& corner, const Place& place, const Bits& outside) {
#pragma HLS inline
  const int row = corner.row + place.dy;
  const int column = corner.column + place.dx;
  const bool inside = 0 <= first + row && first + row < l.height && 0 <= column && column < l.width;
  return inside ? lines[(corner.row * l.width + corner.column) * l.tap_words + place.offset] : outside;
}

/// Sends a band's tiles: for each block of pixels and pass over K one to every part, mmul by mmul, and whether it is the last.
void send_band(const Lines& lines, const Corners& corners, const Places& places, const Layer& l, int band, hls::stream<Packet> out[kParts]) {
  const Bits outside = around(l.outside);
  const int first = band * l.rows * l.stride_y - l.top;
  const int blocks = blocks_of(l, band);
  int m = 0;
  int k = 0;
  for (int block = 0; block < blocks; ++block) {
    for (int pass = 0; pass < l.passes; ++pass) {
      for (int step = 0; step <= kTileM / kBlockM * kTileWords; ++step) {
#pragma HLS pipeline II=kBlockM
        const bool ends = step == kTileM / kBlockM * kTileWords;
        for (int part = 0; part < kParts; ++part) {
#pragma HLS unroll
          Bits words[kBlockM];
          for (int i = 0; i < (ends ? 0 : kBlockM); ++i) {
            words[i] = seen(lines[part], l, first, corners[block * kTileM + m + i], places[part][pass * kTileWords + k], outside);
          }
          for (int i = 0; i < (ends ? kTailWords : kBlockM); ++i) {
            const int half = i / (kBlockM / 2) * 64;
            const int pair = i % (kBlockM / 2) * 2;
            Packet packet;
            if (ends) {
              packet.data = pass == l.passes - 1 ? 1 : 0;
            } else {
              packet.data.range(63, 0) = words[pair].range(half + 63, half);
              packet.data.range(127, 64) = words[pair + 1].range(half + 63, half);
            }
            packet.keep = -1;
            packet.last = ends && i == kTailWords - 1;
@@ same: 3
        ++k;
        if (k == kTileWords) {
          k = 0;
          m += kBlockM;
        }
        if (ends) {
          k = 0;
          m = 0;
@@ same: 55
/// What a window's fold becomes.
Element of_fold(int operation, Sum fold, int count, const Scaling& s) {
@@ same: 3
  const std::int64_t mean = to_even(fold * s.a, s.shift) + s.zero;
  const std::int64_t raised = mean < -128 ? -128 : mean;
  return Element(raised > 127 ? 127 : raised);
@@ same: 36
  Channel channels[kMostWords][kLanes];
};

/// Reads them: a word for each channel, then the weights.
void take_trained(const ap_uint<128>* from, const Layer& l, Trained& t) {
  const bool is_depthwise = l.opcode == kFold && l.operation == kDepthwise;
  const int channels = is_depthwise ? l.words * kLanes : 0;
  for (int i = 0; i < channels; ++i) {
#pragma HLS pipeline II=1
    const Bits word = from[i];
    t.channels[i / kLanes][i % kLanes] = {word.range(31, 0).to_int(), word.range(63, 32).to_int(), word.range(95, 64).to_int(), 0};
  }
  const int weights = is_depthwise ? l.kernel_y * l.kernel_x * l.words : 0;
  for (int i = 0; i < weights; ++i) {
#pragma HLS pipeline II=1
    const Bits word = from[channels + i];
    for (int lane = 0; lane < kLanes; ++lane) {
#pragma HLS unroll
      t.weights[i].lane[lane] = Element(word.range(8 * lane + 7, 8 * lane).to_uint());
@@ same: 9
template <typename Folds>
Element ended(int operation, const Folds& folds, const Trained& t, int lane, const Scaling& s) {
  const Finish f = {s.zero, s.shift, s.low, s.high};
  return operation == kDepthwise ? finished(folds.lane[lane], t.channels[folds.word][lane], f) : of_fold(operation, folds.lane[lane], folds.count, s);
}

/// Folds of a word of a pixel, and how many places of the image they saw.
struct Folds {
  Sum lane[kLanes];
  int count, word;
};
@@ same: 8
/// Folds the windows of a band: kParts taps in a cycle, each from its copy of the lines.
void fold_band(const Lines& lines, const Corners& corners, const Trained& trained, const Layer& l, const Scaling& s, int group, int band,
               hls::stream<Folds>& to) {
  const int taps = l.kernel_y * l.kernel_x;
  const int first = band * l.rows * l.stride_y - l.top;
  const int pixels = l.opcode == kFold ? pixels_of(l, band) : 0;
  const Bits outside = around(l.operation == kMaximum ? -128 : l.counts_padding != 0 ? s.zero_a : 0);
  for (int pixel = 0; pixel < pixels; ++pixel) {
    const Corner corner = corners[pixel];
    const int there = inside_of(first + corner.row, l.kernel_y, l.height) * inside_of(corner.column, l.kernel_x, l.width);
    for (int word = 0; word < l.tap_words; ++word) {
      Folds folds = {};
      folds.count = l.counts_padding != 0 ? taps : there > 0 ? there : 1;
      folds.word = group * l.tap_words + word;
      int dy = 0;
      int dx = 0;
      for (int tap = 0; tap < taps; tap += kParts) {
@@ same: 3
          const bool is_tap = tap + part < taps;
          const Bits bits = seen(lines[part], l, first, corner, {(dy * l.width + dx) * l.tap_words + word, dy, dx}, outside);
          for (int i = 0; i < (is_tap ? kLanes : 0); ++i) {
            const Element value = Element(bits.range(8 * i + 7, 8 * i).to_uint());
            folds.lane[i] = tapped(l.operation, tap + part == 0, folds.lane[i], value, trained, (tap + part) * l.words + folds.word, i, s);
          }
          ++dx;
          if (dx == l.kernel_x) {
            dx = 0;
            ++dy;
@@ same: 3
      to.write(folds);
@@ same: 4
/// Makes elements of a band's folds: largest elements are that, others are scaled.
void end_band(hls::stream<Folds>& from, const Trained& trained, const Layer& l, const Scaling& s, int band, hls::stream<Packet>& made) {
  const int words = l.opcode == kFold ? pixels_of(l, band) * l.tap_words : 0;
  for (int i = 0; i < (l.operation == kMaximum ? words : 0); ++i) {
#pragma HLS pipeline II=1
    const Folds folds = from.read();
    Packet packet;
    for (int lane = 0; lane < kLanes; ++lane) {
#pragma HLS unroll
      packet.data.range(8 * lane + 7, 8 * lane) = folds.lane[lane] & 0xFF;
    }
    packet.keep = -1;
    packet.last = 0;
    made.write(packet);
  }
  for (int i = 0; i < (l.operation == kMaximum ? 0 : words); ++i) {
#pragma HLS pipeline II=kFoldInterval
    const Folds folds = from.read();
    Packet packet;
    for (int lane = 0; lane < kLanes; ++lane) {
#pragma HLS unroll
      packet.data.range(8 * lane + 7, 8 * lane) = ended(l.operation, folds, trained, lane, s) & 0xFF;
    }
    packet.keep = -1;
    packet.last = 0;
    made.write(packet);
@@ same: 3
/// A band's folds and elements, side by side.
void fold(const Lines& lines, const Corners& corners, const Trained& trained, const Layer& l, int group, int band, hls::stream<Packet>& made) {
#pragma HLS dataflow
  const Scaling s = {l.zero_a, l.zero_b, l.zero_y, wide(l.a_low, l.a_high), wide(l.b_low, l.b_high), l.multiplier_y, l.shift_a, l.shift_b,
                     l.shift_y, l.sum_low, l.sum_high};
  hls::stream<Folds, 4> folds;
  fold_band(lines, corners, trained, l, s, group, band, folds);
  end_band(folds, trained, l, s, band, made);
}

void use_band(const Lines& lines, const Corners& corners, const Places& places, const Trained& trained, const Layer& l, int group, int band,
              int tiles, hls::stream<Packet>& made, hls::stream<Packet> out[kParts]) {
  if (l.opcode == kFold) {
    fold(lines, corners, trained, l, group, band, made);
  } else {
    for (int tile = 0; tile < tiles; ++tile) {
      send_band(lines, corners, places, l, band, out);
@@ same: 4
/// A band, sent once for every tile of output channels of a set, or folded: meanwhile the next one is loaded.
void band_of(const Places& places, const Trained& trained, const Layer& l, int group, int band, int tiles, hls::stream<Packet>& in,
             hls::stream<Control>& ask, hls::stream<Packet>& made, hls::stream<Packet> out[kParts]) {
@@ same: 3
#pragma HLS bind_storage variable=lines type=ram_s2p impl=bram
  static Corners corners;
#pragma HLS array_partition variable=corners type=cyclic factor=kBlockM
  load_band(l, band, in, ask, lines, corners);
  use_band(lines, corners, places, trained, l, group, band, tiles, made, out);
@@ same: 4
/// The inputs of a row of chains, layer after layer: windows of what the row's store sends; what it folds itself goes back to the store.
extern "C" void row_load(const ap_uint<128>* table, hls::stream<Control>& control, hls::stream<Packet>& in, hls::stream<Control>& ask,
                         hls::stream<Packet>& made, hls::stream<Packet> out[kParts]) {
#pragma HLS interface m_axi port=table offset=slave bundle=table max_read_burst_length=64 max_write_burst_length=64 num_read_outstanding=16 num_write_outstanding=16
#pragma HLS interface s_axilite port=table bundle=control
#pragma HLS interface s_axilite port=return bundle=control
#pragma HLS interface axis port=control
#pragma HLS interface axis port=in
#pragma HLS interface axis port=ask
#pragma HLS interface axis port=made
#pragma HLS interface axis port=out
  static Places places;
#pragma HLS array_partition variable=places type=complete dim=1
  static Trained trained;
  for (Layer l = take(control); l.opcode != kEnd; l = take(control)) {
    if (l.opcode == kProduct) {
      place(l, places);
    }
    take_trained(table + l.channels_at, l, trained);
    const int sets = sets_of(l);
    for (int set = 0; set < l.groups * sets; ++set) {
      for (int band = 0; band < l.bands; ++band) {
        band_of(places, trained, l, set / sets, band, tiles_of(l, set % sets), in, ask, made, out);
@@ same: 4
