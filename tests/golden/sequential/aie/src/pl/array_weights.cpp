@@ sha256: ad80ef4fde79cf0364c868944c9e471d7900558c503853161be44d568a393192
// array_weights.cpp: the engine on the array.
@@ same: 28
using Word = ap_uint<128>;  // kLanes weights in the order in which a core takes them
@@ same: 59
using Cache = Word[kParts][kCacheWords];  // weights of a set of tiles, part of K by part

/// Reads the weights of tiles of output channels.
void load_set(const Word* w, const Layer& l, int first, int tiles, int unit, Cache& cache) {
  const int words = l.passes * kWeightWords;
  for (int tile = 0; tile < tiles; ++tile) {
    const std::int64_t from = l.w_at + (std::int64_t(first + tile) * kColumns + unit) * kParts * words;
    for (int part = 0; part < kParts; ++part) {
      for (int i = 0; i < words; ++i) {
#pragma HLS pipeline II=1
        cache[part][tile * words + i] = w[from + std::int64_t(part) * words + i];
@@ same: 5
/// Sends them for every block of pixels of all images: in each round one tile's for all blocks, then the next one's.
void send_set(const Cache& cache, const Layer& l, int tiles, hls::stream<Packet> out[kParts]) {
  const int rounds = rounds_of(l);
  const int words = l.passes * kWeightWords;
  for (int round = 0; round < rounds; ++round) {
    const int blocks = blocks_of(l, round);
    for (int tile = 0; tile < tiles; ++tile) {
      for (int block = 0; block < blocks; ++block) {
        for (int i = 0; i < words; ++i) {
#pragma HLS pipeline II=1
          for (int part = 0; part < kParts; ++part) {
#pragma HLS unroll
            Packet packet;
            packet.data = cache[part][tile * words + i];
            packet.keep = -1;
            packet.last = i % kWeightWords == kWeightWords - 1;
            out[part].write(packet);
@@ same: 7
/// A set of tiles of output channels: while it is sent the next one's weights are loaded.
void set_of(const Word* w, const Layer& l, int first, int tiles, int unit, hls::stream<Packet> out[kParts]) {
#pragma HLS dataflow
  static Cache cache;
#pragma HLS array_partition variable=cache type=complete dim=1
#pragma HLS bind_storage variable=cache type=ram_s2p impl=uram
  load_set(w, l, first, tiles, unit, cache);
  send_set(cache, l, tiles, out);
@@ same: 4
/// The weights of column `unit` of chains, product after product.
extern "C" void array_weights(const ap_uint<128>* w, int unit, hls::stream<Control>& control, hls::stream<Packet> out[kParts]) {
#pragma HLS interface m_axi port=w offset=slave bundle=w max_read_burst_length=64 max_write_burst_length=64 num_read_outstanding=16 num_write_outstanding=16
#pragma HLS interface s_axilite port=w bundle=control
@@ same: 5
    const int sets = sets_of(l);
    for (int set = 0; set < l.groups * sets; ++set) {
      set_of(w, l, set / sets * l.tiles + set % sets * l.together, tiles_of(l, set % sets), unit, out);
@@ same: 3
