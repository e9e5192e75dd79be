@@ sha256: 0190a20dbff0de9dc9222a1713637a423a6b7c7dec2d5eec997529055ea60ed4
// row_memory.cpp: the engine on the array.
@@ same: 36
using Bits = ap_uint<128>;  // kLanes channels of a pixel
@@ same: 71
using Store = Bits[kStoreWords];

/// The words of the input in the order in which row_load takes them: group after group of channels, for each set of tiles, band after band.
struct Input {
  int set, band, word;  // where it stands; word of a pixel
  int at;               // of the store
  int left;             // words of the band
  int sets;             // in all

  bool more() const { return set < sets; }

  /// Goes to the first word of a band.
  void begin(const Layer& l, int sets_of_group) {
    const int first = band * l.rows * l.stride_y - l.top;
    const int last = first + (pixels_of(l, band) / l.out_width - 1) * l.stride_y + l.kernel_y;
    const int from = first < 0 ? 0 : first;
    const int to = last < l.height ? last : l.height;
    word = 0;
    left = (to - from) * l.width * l.tap_words;
    at = l.x_at + from * l.width * l.words + set / sets_of_group * l.tap_words;
  }

  void next(const Layer& l) {
    --left;
    ++at;
    ++word;
    if (word == l.tap_words) {
      word = 0;
      at += l.words - l.tap_words;
    }
@@ same: 3
/// The words of a result in the order in which they are made: band after band, tile after tile, pixel after pixel.
struct Output {
  int set, band, tile, pixel, word;
  int at;
  int pixels, words;  // of the band, of a pixel of the tile
  int tile_words;
  int sets;  // in all
  int base;  // where the tensor begins

  bool more() const { return set < sets; }

  /// Goes to the first word of a band's tile.
  void begin(const Layer& l, int sets_of_group) {
    const int first = (set % sets_of_group * l.together + tile) * tile_words;
    pixels = pixels_of(l, band);
    words = l.group_words - first < tile_words ? l.group_words - first : tile_words;
    pixel = 0;
    word = 0;
    at = base + band * l.rows * l.out_width * l.out_words + set / sets_of_group * l.group_words + first;
  }

  /// Words of the block that begins here.
  int block() const { return (pixels - pixel < kTileM ? pixels - pixel : kTileM) * words; }

  void next(const Layer& l, int sets_of_group) {
    ++word;
    ++at;
    if (word == words) {
      word = 0;
      ++pixel;
      at += l.out_words - words;
    }
    if (pixel == pixels) {
      ++tile;
      if (tile == tiles_of(l, set % sets_of_group)) {
        tile = 0;
        ++band;
      }
      if (band == l.bands) {
        band = 0;
        ++set;
      }
      begin(l, sets_of_group);
    }
@@ same: 3
Packet packet_of(const Bits& bits) {
  Packet packet;
  packet.data = bits;
  packet.keep = -1;
  packet.last = 0;
  return packet;
}

/// A layer: sends x where there is room for a band, the other tensor where there is room for a block, and takes what is made. Both are
/// sent only after they were asked for, so that nothing here waits but for what is made.
void serve(Store& store, const Layer& l, hls::stream<Packet>& x, hls::stream<Control>& ask_x, hls::stream<Packet>& other,
           hls::stream<Control>& ask_other, hls::stream<Packet>& sums, hls::stream<Packet>& folds) {
  const int sets = sets_of(l);
  const int all = l.groups * sets;
  const int tile_words = l.opcode == kProduct ? kColumns * kTileN / kLanes : l.group_words;
  Input from = {0, 0, 0, 0, 0, all};
  Output to = {0, 0, 0, 0, 0, 0, 0, 0, tile_words, all, l.y_at};
  Output beside = {0, 0, 0, 0, 0, 0, 0, 0, tile_words, l.sum != 0 ? all : 0, l.other_at};
  from.begin(l, sets);
  to.begin(l, sets);
  beside.begin(l, sets);
  bool sending = false;  // a band of x
  int left = 0;          // words of a block of the other tensor
  while (from.more() || to.more()) {
#pragma HLS pipeline II=1
#pragma HLS dependence variable=store type=inter dependent=false  // a layer's tensors lie apart; a sum takes a place that was read
    if (left > 0) {
      other.write(packet_of(store[beside.at]));
      beside.next(l, sets);
      --left;
    } else if (sending) {
      x.write(packet_of(store[from.at]));
      from.next(l);
      if (from.left == 0) {
        sending = false;
        ++from.band;
        if (from.band == l.bands) {
          from.band = 0;
          ++from.set;
        }
        from.begin(l, sets);
      }
    } else {
      Control asked;
      if (beside.more() && ask_other.read_nb(asked)) {
        left = beside.block();
      } else if (from.more() && ask_x.read_nb(asked)) {
        sending = true;
      }
    }
    Packet made;
    if (to.more() && (l.opcode == kProduct ? sums.read_nb(made) : folds.read_nb(made))) {
      store[to.at] = made.data;
      to.next(l, sets);
@@ same: 4
/// Brings an image of the batch, where there is one for this row.
void bring(const Bits* from, const Layer& l, int image, Store& store) {
  for (int i = 0; i < (image < l.images ? l.words : 0); ++i) {
#pragma HLS pipeline II=1
    store[l.y_at + i] = from[l.x_at + std::int64_t(image) * l.words + i];
@@ same: 3
/// Brings an image whose rows lie one after another, channel after channel, and makes pixels of it: kernel_y x kernel_x of the image's
/// are one, with the image's channels within.
void bring_rows(const Bits* from, const Layer& l, int image, Store& store) {
  static Bits rows[kLanes][kRowWords];
#pragma HLS array_partition variable=rows type=complete dim=1
  int row_of[kLanes] = {};
  int column_of[kLanes] = {};
  const int lanes = l.kernel_y * l.kernel_x * l.groups;
  for (int lane = 0; lane < lanes; ++lane) {
#pragma HLS pipeline II=1
    row_of[lane] = lane / (l.groups * l.kernel_x) * l.groups + lane % l.groups;
    column_of[lane] = lane / l.groups % l.kernel_x;
  }
  for (int y = 0; y < (image < l.images ? l.out_height : 0); ++y) {
    for (int row = 0; row < l.kernel_y * l.groups; ++row) {
      const int line = row % l.groups * l.out_height * l.kernel_y + y * l.kernel_y + row / l.groups;
      for (int i = 0; i < l.tap_words; ++i) {
#pragma HLS pipeline II=1
        rows[row][i] = from[l.x_at + std::int64_t(image) * l.words + line * l.tap_words + i];
      }
    }
    for (int x = 0; x < l.out_width; ++x) {
#pragma HLS pipeline II=1
      Bits word = 0;
      for (int lane = 0; lane < kLanes; ++lane) {
#pragma HLS unroll
        if (lane < lanes) {
          const int at = x * l.kernel_x + column_of[lane];
          const int bit = at % kLanes * 8;
          word.range(8 * lane + 7, 8 * lane) = rows[row_of[lane]][at / kLanes].range(bit + 7, bit);
        }
      }
      store[l.y_at + y * l.out_width + x] = word;
@@ same: 4
/// Gives an image's results.
void give(const Store& store, const Layer& l, int image, Bits* to) {
  for (int i = 0; i < (image < l.images ? l.words : 0); ++i) {
#pragma HLS pipeline II=1
    to[l.y_at + std::int64_t(image) * l.words + i] = store[l.x_at + i];
@@ same: 5
/// The store of row `unit` of chains: an image's tensors, pixel by pixel, kLanes channels in a word. Tells the sequencer when a layer's lies
/// there, or in device memory.
extern "C" void row_memory(const ap_uint<128>* images, ap_uint<128>* results, int unit, hls::stream<Control>& control, hls::stream<Control>& done,
                           hls::stream<Packet>& x, hls::stream<Control>& ask_x, hls::stream<Packet>& other, hls::stream<Control>& ask_other,
                           hls::stream<Packet>& sums, hls::stream<Packet>& folds) {
#pragma HLS interface m_axi port=images offset=slave bundle=images max_read_burst_length=64 max_write_burst_length=64 num_read_outstanding=16 num_write_outstanding=16
#pragma HLS interface s_axilite port=images bundle=control
#pragma HLS interface m_axi port=results offset=slave bundle=images max_read_burst_length=64 max_write_burst_length=64 num_read_outstanding=16 num_write_outstanding=16
#pragma HLS interface s_axilite port=results bundle=control
@@ same: 4
#pragma HLS interface axis port=x
#pragma HLS interface axis port=ask_x
#pragma HLS interface axis port=other
#pragma HLS interface axis port=ask_other
#pragma HLS interface axis port=sums
#pragma HLS interface axis port=folds
  static Store store;
#pragma HLS bind_storage variable=store type=ram_t2p impl=uram
  for (Layer l = take(control); l.opcode != kEnd; l = take(control)) {
    const int image = l.group * kRows + unit;
    if (l.opcode == kBring && l.kernel_y > 0) {
      bring_rows(images, l, image, store);
    } else if (l.opcode == kBring) {
      bring(images, l, image, store);
    } else if (l.opcode == kGive) {
      give(store, l, image, results);
      hls::fence(results, done);  // the results are in memory before the token leaves [UG1399 hls::fence]
    } else {
      serve(store, l, x, ask_x, other, ask_other, sums, folds);
    }
    done.write(token());
  }
}
