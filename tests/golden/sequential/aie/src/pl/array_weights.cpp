@@ sha256: 582be150841f398a413b09b6b0be27d975b7f54b080914bd7573407b556bebf2
// array_weights.cpp: the engine on the array.
@@ same: 3 in array_load.cpp
#include "../include/aieloom/pl/engine/array_layer.h"
#include "../include/aieloom/pl/engine/weights.h"
@@ same: 5 in instance.cpp.j2
struct Engine {
  using Layer = array::Layer;
  using CacheStorage = Uram;
  static constexpr int kRows = 4, kParts = 3, kColumns = 2, kTileM = 32, kWeightWords = 128, kCacheWords = 4096,
      kAhead = 0;
@@ same: 4 in instance.cpp.j2
/// The weights of column `unit` of chains, product after product.
extern "C" void array_weights(
    const ap_uint<128>* w, int unit, hls::stream<Control>& control, hls::stream<Axis<128>> out[3]) {
#pragma HLS interface m_axi port=w offset=slave bundle=w max_read_burst_length=64 max_write_burst_length=64 num_read_outstanding=16 num_write_outstanding=16
#pragma HLS interface s_axilite port=w bundle=control
@@ same: 4 in array_load.cpp, mm2s.cpp
  weights::bring<Engine>(w, unit, control, out);
}
