// The two cores of a beam: each weighs four terms of two antennas, and the sum travels over the cascade.
#pragma once
#include <adf.h>

namespace beam {

template <int SNAPSHOTS>
class Front {
 private:
  alignas(32) cint16 gains[8];
  alignas(32) cint16 recent[16];

 public:
  Front(const cint16 (&four)[4]) {
    for (int i = 0; i < 16; i++) recent[i] = (cint16){0, 0};
    for (int i = 0; i < 4; i++) gains[i] = four[i];
  };
  static void registerKernelClass() { REGISTER_FUNCTION(Front::listen); };
  void listen(input_stream_cint16* restrict north, input_stream_cint16* restrict south, output_stream_cacc48* partial);
};

template <int SNAPSHOTS, int DOWN>
class Back {
 private:
  alignas(32) cint16 gains[8];
  alignas(32) cint16 recent[16];

 public:
  Back(const cint16 (&four)[4]) {
    for (int i = 0; i < 16; i++) recent[i] = (cint16){0, 0};
    for (int i = 0; i < 4; i++) gains[i] = four[i];
  };
  static void registerKernelClass() { REGISTER_FUNCTION(Back::listen); };
  void listen(input_stream_cint16* restrict north, input_stream_cint16* restrict south, input_stream_cacc48* partial,
              output_stream_cint16* restrict whole, output_stream_cint16* restrict own);
};

/// Throws away the south antenna's first samples, because its cable is that much longer.
template <int SAMPLES>
void shorten();

}  // namespace beam
