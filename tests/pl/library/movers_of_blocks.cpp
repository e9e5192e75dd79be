// Tiles of A and of B for 2 x 3 blocks of C and 2 passes over K, by the order of the loops; and tiles of C back to memory.
#include "movers_of_blocks.h"

using namespace aieloom::pl;

struct C {
  static constexpr int kBits = 32, kStreams = 3, kMemoryBits = 64, kWords = 4, kBlocksM = 2, kBlocksN = 3;
};
struct A : C {
  static constexpr int kPasses = 2, kBlockOfM = 1;
};
struct B : C {
  static constexpr int kPasses = 2, kBlockOfM = 0;
};

template <class T>
bool sends(const ap_uint<64>* memory) {
  static Port<32> s[3];
  memory_to_blocks<T>(memory, s[0], s[1], s[2]);
  for (int mi = 0; mi < 2; ++mi) {
    for (int ni = 0; ni < 3; ++ni) {
      for (int ki = 0; ki < 2; ++ki) {
        for (int i = 0; i < 4; ++i) {
          for (int stream = 0; stream < 3; ++stream) {
            const Axis<32> word = s[stream].read();
            const int tile = (T::kBlockOfM ? mi : ni) * 2 + ki;
            if (word.data.to_uint() != static_cast<unsigned>((tile * 4 + i) * 4 + stream) || word.last != (i == 3)) {
              return false;
            }
          }
        }
      }
    }
  }
  return s[0].empty() && s[1].empty() && s[2].empty();
}

int main() {
  static ap_uint<64> memory[48], back[48];
  for (int i = 0; i < 48; ++i) {
    memory[i].range(31, 0) = static_cast<unsigned>(2 * i);
    memory[i].range(63, 32) = static_cast<unsigned>(2 * i + 1);
  }
  if (!sends<A>(memory) || !sends<B>(memory)) {
    return 1;
  }
  static Port<32> c[3];
  for (int i = 0; i < 24; ++i) {
    for (int stream = 0; stream < 3; ++stream) {
      Axis<32> word;
      word.data = static_cast<unsigned>(10 * i + stream);
      c[stream].write(word);
    }
  }
  blocks_to_memory<C>(back, c[0], c[1], c[2]);
  for (int i = 0; i < 48; ++i) {
    const unsigned second = i % 2 == 0 ? static_cast<unsigned>(i / 2 * 10 + 1) : 0U;
    if (back[i].range(31, 0).to_uint() != static_cast<unsigned>(i / 2 * 10 + i % 2 * 2) || back[i].range(63, 32).to_uint() != second) {
      return 2;
    }
  }
  return 0;
}
