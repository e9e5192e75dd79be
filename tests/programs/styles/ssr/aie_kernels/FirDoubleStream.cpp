// Eight samples a call of upd_w: four from each of the core's two wide streams.
#include <adf.h>

#include "FirDoubleStream.h"

template <int NSamples, int ShiftAcc>
void DoubleStream::FIR_cout<NSamples, ShiftAcc>::filter(input_stream_cint16* restrict sin1,
                                                        input_stream_cint16* restrict sin2, output_stream_cacc48* cout) {
  v8cint16 taps = *(v8cint16*)weights;
  v16cint16* ptr_delay_line = (v16cint16*)delay_line;
  v16cint16 data = *ptr_delay_line;
  v4cacc48 acc = undef_v4cacc48();
  static const int kFirst = 13;  // the filter reaches three samples back

  for (int i = 0; i < NSamples / 16; i++)
    chess_prepare_for_pipelining chess_loop_range(NSamples / 16, NSamples / 16) {
      data = upd_w(data, 0, concat(getc_wss(0), getc_wss(1)));
      acc = mul4(data, kFirst, 0x3210, 1, taps, 0, 0x0000, 1);
      acc = mac4(acc, data, kFirst + 2, 0x3210, 1, taps, 2, 0x0000, 1);
      writeincr_v4(cout, acc);
      acc = mul4(data, 1, 0x3210, 1, taps, 0, 0x0000, 1);
      acc = mac4(acc, data, 3, 0x3210, 1, taps, 2, 0x0000, 1);
      writeincr_v4(cout, acc);
      data = upd_w(data, 1, concat(getc_wss(0), getc_wss(1)));
      acc = mul4(data, 5, 0x3210, 1, taps, 0, 0x0000, 1);
      acc = mac4(acc, data, 7, 0x3210, 1, taps, 2, 0x0000, 1);
      writeincr_v4(cout, acc);
      acc = mul4(data, 9, 0x3210, 1, taps, 0, 0x0000, 1);
      acc = mac4(acc, data, 11, 0x3210, 1, taps, 2, 0x0000, 1);
      writeincr_v4(cout, acc);
    }
  *ptr_delay_line = data;
}

template <int NSamples, int ShiftAcc>
void DoubleStream::FIR_cin<NSamples, ShiftAcc>::filter(input_stream_cint16* restrict sin1,
                                                       input_stream_cint16* restrict sin2, input_stream_cacc48* cin,
                                                       output_stream_cint16* restrict sout1,
                                                       output_stream_cint16* restrict sout2) {
  v8cint16 taps = *(v8cint16*)weights;
  v16cint16* ptr_delay_line = (v16cint16*)delay_line;
  v16cint16 data = *ptr_delay_line;
  v4cacc48 acc = undef_v4cacc48();
  static const int kFirst = 13;

  for (int i = 0; i < NSamples / 16; i++)
    chess_prepare_for_pipelining chess_loop_range(NSamples / 16, NSamples / 16) {
      acc = readincr_v4(cin);
      data = upd_w(data, 0, concat(getc_wss(0), getc_wss(1)));
      acc = mac4(acc, data, kFirst, 0x3210, 1, taps, 0, 0x0000, 1);
      acc = mac4(acc, data, kFirst + 2, 0x3210, 1, taps, 2, 0x0000, 1);
      put_wms(0, srs(acc, ShiftAcc));
      acc = getc_scd();
      acc = mac4(acc, data, 1, 0x3210, 1, taps, 0, 0x0000, 1);
      acc = mac4(acc, data, 3, 0x3210, 1, taps, 2, 0x0000, 1);
      put_wms(1, srs(acc, ShiftAcc));
      acc = readincr_v4(cin);
      data = upd_w(data, 1, concat(getc_wss(0), getc_wss(1)));
      acc = mac4(acc, data, 5, 0x3210, 1, taps, 0, 0x0000, 1);
      acc = mac4(acc, data, 7, 0x3210, 1, taps, 2, 0x0000, 1);
      writeincr_v4(sout1, srs(acc, ShiftAcc));
      acc = readincr_v4(cin);
      acc = mac4(acc, data, 9, 0x3210, 1, taps, 0, 0x0000, 1);
      acc = mac4(acc, data, 11, 0x3210, 1, taps, 2, 0x0000, 1);
      writeincr_v4(sout2, srs(acc, ShiftAcc));
    }
  *ptr_delay_line = data;
}

template <int Delay>
void DoubleStream::FIRinit() {
  for (int b = 0; b < Delay / 8; ++b) {
    for (int i = 0; i < 4; i++) get_ss(0);
    for (int i = 0; i < 4; i++) get_ss(1);
  }
}
