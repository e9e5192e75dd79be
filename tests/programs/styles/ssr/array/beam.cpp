// A register of 16 samples holds two instants: in each half four samples of the north antenna, then four of the south.
// So lanes step by 4 from one antenna to the other, and round the register's end from one instant to the next.
#include <adf.h>

#include "beam.h"

template <int SNAPSHOTS>
void beam::Front<SNAPSHOTS>::listen(input_stream_cint16* restrict north, input_stream_cint16* restrict south,
                                    output_stream_cacc48* partial) {
  v8cint16 g = *(v8cint16*)gains;
  v16cint16* kept = (v16cint16*)recent;
  v16cint16 field = *kept;
  v4cacc48 sum = undef_v4cacc48();

  for (int two = 0; two < SNAPSHOTS / 8; two++)
    chess_prepare_for_pipelining chess_loop_range(SNAPSHOTS / 8, SNAPSHOTS / 8) {
      // both antennas now, both antennas before
      field = upd_w(field, 0, concat(getc_wss(0), getc_wss(1)));
      sum = mul4(field, 0, 0x3210, 4, g, 0, 0x0000, 1);
      sum = mac4(sum, field, 8, 0x3210, 4, g, 2, 0x0000, 1);
      writeincr_v4(partial, sum);
      field = upd_w(field, 1, concat(getc_wss(0), getc_wss(1)));
      sum = mul4(field, 8, 0x3210, 4, g, 0, 0x0000, 1);
      sum = mac4(sum, field, 0, 0x3210, 4, g, 2, 0x0000, 1);
      writeincr_v4(partial, sum);
    }
  *kept = field;
}

template <int SNAPSHOTS, int DOWN>
void beam::Back<SNAPSHOTS, DOWN>::listen(input_stream_cint16* restrict north, input_stream_cint16* restrict south,
                                         input_stream_cacc48* partial, output_stream_cint16* restrict whole,
                                         output_stream_cint16* restrict own) {
  v8cint16 g = *(v8cint16*)gains;
  v16cint16* kept = (v16cint16*)recent;
  v16cint16 field = *kept;
  v4cacc48 sum = undef_v4cacc48();

  for (int two = 0; two < SNAPSHOTS / 8; two++)
    chess_prepare_for_pipelining chess_loop_range(SNAPSHOTS / 8, SNAPSHOTS / 8) {
      // across the instants: south before with north now, south now with north before
      field = upd_w(field, 0, concat(getc_wss(0), getc_wss(1)));
      sum = readincr_v4(partial);
      sum = mac4(sum, field, 12, 0x3210, 4, g, 0, 0x0000, 1);
      sum = mac4(sum, field, 4, 0x3210, 4, g, 2, 0x0000, 1);
      put_wms(0, srs(sum, DOWN));
      sum = mul4(field, 12, 0x3210, 4, g, 0, 0x0000, 1);
      sum = mac4(sum, field, 4, 0x3210, 4, g, 2, 0x0000, 1);
      put_wms(1, srs(sum, DOWN));
      // the other half, in the other spelling of each stream
      field = upd_w(field, 1, concat(getc_wss(0), getc_wss(1)));
      sum = getc_scd();
      sum = mac4(sum, field, 4, 0x3210, 4, g, 0, 0x0000, 1);
      sum = mac4(sum, field, 12, 0x3210, 4, g, 2, 0x0000, 1);
      writeincr_v4(whole, srs(sum, DOWN));
      sum = mul4(field, 4, 0x3210, 4, g, 0, 0x0000, 1);
      sum = mac4(sum, field, 12, 0x3210, 4, g, 2, 0x0000, 1);
      writeincr_v4(own, srs(sum, DOWN));
    }
  *kept = field;
}

template <int SAMPLES>
void beam::shorten() {
  for (int i = 0; i < SAMPLES; i++) get_ss(1);
}
