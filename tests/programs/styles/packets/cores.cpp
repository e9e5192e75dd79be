// Each adds one in its own type.
#include "kernels.h"

#include <aie_api/aie.hpp>
#include <aie_api/aie_adf.hpp>

void aie_core1(input_buffer<int32>& __restrict in, output_buffer<int32>& __restrict out) {
  auto inIter = aie::begin(in);
  auto outIter = aie::begin(out);
  for (int i = 0; i < 8; i++) {
    *outIter++ = *inIter++ + 1;
  }
}
void aie_core2(input_buffer<float>& __restrict in, output_buffer<float>& __restrict out) {
  auto inIter = aie::begin(in);
  auto outIter = aie::begin(out);
  for (int i = 0; i < 8; i++) {
    *outIter++ = *inIter++ + 2.0f;
  }
}
void aie_core3(input_window_cint16* in, output_window_cint16* out) {
  const cint16 three = {3, 3};
  for (int i = 0; i < 8; i++) {
    cint16 tmp = window_readincr(in);
    tmp = tmp + three;
    window_writeincr(out, tmp);
  }
}

const uint32 pktType = 0;
void aie_core4(input_pktstream* in, output_pktstream* out) {
  readincr(in);                     // the header: nothing to know from it
  uint32 ID = getPacketid(out, 0);  // for the packet that goes out
  writeHeader(out, pktType, ID);
  bool tlast;
  for (int i = 0; i < 8; i++) {
    int32 tmp = readincr(in, tlast);
    tmp += 4;
    writeincr(out, tmp, i == 7);  // TLAST with the last word
  }
}
