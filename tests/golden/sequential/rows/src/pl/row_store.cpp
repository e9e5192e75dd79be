@@ sha256: 9b789a78f1d1cf72fd38fc2fdcebfdec3b4b5ac0c0cb9b31b630862a2993a862
// row_store.cpp: the engine on the array.
@@ same: 37
using Packet = ap_axiu<128, 0, 0, 0>;  // four sums, or kLanes channels of a pixel
@@ same: 162
/// What each element of both tensors is of a sum: tables, since elements are few and products of them dear.
struct Parts {
  Part a[kLanes][256];
  Part b[kLanes][256];
  Scaling s;
};

void prepare(const Layer& l, Parts& parts) {
  parts.s = {l.zero_a, l.zero_b, l.zero_y, wide(l.a_low, l.a_high), wide(l.b_low, l.b_high), l.multiplier_y, l.shift_a, l.shift_b, l.shift_y,
             l.sum_low, l.sum_high};
  for (int i = 0; i < (l.sum != 0 ? 256 : 0); ++i) {
#pragma HLS pipeline II=1
    const Part a = part_a(Element(i - 128), parts.s);
    const Part b = part_b(Element(i - 128), parts.s);
    for (int lane = 0; lane < kLanes; ++lane) {
#pragma HLS unroll
      parts.a[lane][i] = a;
      parts.b[lane][i] = b;
@@ same: 4
/// A word of the product with the other tensor's.
Word added(const Word& product, const Word& other, const Parts& parts, const Layer& l) {
#pragma HLS inline
  Word result;
  for (int lane = 0; lane < kLanes; ++lane) {
#pragma HLS unroll
    const Element a = l.sum == 1 ? product.lane[lane] : other.lane[lane];
    const Element b = l.sum == 1 ? other.lane[lane] : product.lane[lane];
    result.lane[lane] = joined(parts.a[lane][a + 128], parts.b[lane][b + 128], parts.s);
@@ same: 20
Word made_of(const Tiles& tiles, const Channel* channels, const Finish& f, int p, int word) {
@@ same: 13
/// Asks for the words of the other tensor that belong to a block, and takes them.
void fetch_block(hls::stream<Packet>& other, hls::stream<Control>& ask, int count, hls::stream<Word>& others) {
  if (count > 0) {
    ask.write(token());
  }
  for (int i = 0; i < count; ++i) {
#pragma HLS pipeline II=1
    const ap_uint<128> bits = other.read().data;
    Word word;
    for (int q = 0; q < kLanes; ++q) {
#pragma HLS unroll
      word.lane[q] = Element(bits.range(8 * q + 7, 8 * q).to_uint());
    }
    others.write(word);
@@ same: 3
/// Sends the elements of a block's pixels to the row's store; with another tensor their sums.
void send_block(const Tiles& tiles, const Channel* channels, const Finish& f, const Parts& parts, const Layer& l, int pixels, int words,
                hls::stream<Word>& others, hls::stream<Packet>& made) {
  for (int p = 0; p < pixels; ++p) {
    for (int word = 0; word < words; ++word) {
#pragma HLS pipeline II=1
      Word result = made_of(tiles, channels, f, p, word);
      if (l.sum != 0) {
        result = added(result, others.read(), parts, l);
      }
      Packet packet;
      for (int q = 0; q < kLanes; ++q) {
#pragma HLS unroll
        packet.data.range(8 * q + 7, 8 * q) = result.lane[q] & 0xFF;
      }
      packet.keep = -1;
      packet.last = 0;
      made.write(packet);
@@ same: 4
/// A block: while it is sent the next one is taken.
void block_of(hls::stream<Packet> in[kColumns], const Channel* channels, const Finish& f, const Parts& parts, const Layer& l, int pixels, int words,
              hls::stream<Packet>& other, hls::stream<Control>& ask, hls::stream<Packet>& made) {
#pragma HLS dataflow
  hls::stream<Word, kTileM * kColumns * kTileN / kLanes> others;
@@ same: 3
  fetch_block(other, ask, l.sum != 0 ? pixels * words : 0, others);
  receive(in, tiles);
  send_block(tiles, channels, f, parts, l, pixels, words, others, made);
@@ same: 3
void product(const Channel* trained, const Layer& l, hls::stream<Packet> in[kColumns], hls::stream<Packet>& other, hls::stream<Control>& ask,
             hls::stream<Packet>& made) {
  const Finish f = {l.zero, l.shift, l.low, l.high};
  static Parts parts;
  prepare(l, parts);
@@ same: 13
    for (int band = 0; band < l.bands; ++band) {
      const int pixels = pixels_of(l, band);
@@ same: 3
        for (int at = 0; at < pixels; at += kTileM) {
          const int some = pixels - at < kTileM ? pixels - at : kTileM;
          block_of(in, channels + tile * channels_of_tile, f, parts, l, some, words, other, ask, made);
@@ same: 8
/// The results of a row of chains, product after product, to the row's store.
extern "C" void row_store(const Channel* channels, hls::stream<Control>& control, hls::stream<Packet>& other, hls::stream<Control>& ask,
                          hls::stream<Packet>& made, hls::stream<Packet> in[kColumns]) {
#pragma HLS interface m_axi port=channels offset=slave bundle=channels max_read_burst_length=64 max_write_burst_length=64 num_read_outstanding=16 num_write_outstanding=16
#pragma HLS interface s_axilite port=channels bundle=control
#pragma HLS interface s_axilite port=return bundle=control
#pragma HLS interface axis port=control
#pragma HLS interface axis port=other
#pragma HLS interface axis port=ask
#pragma HLS interface axis port=made
#pragma HLS interface axis port=in
  for (Layer l = take(control); l.opcode != kEnd; l = take(control)) {
    product(channels, l, in, other, ask, made);
  }
}
