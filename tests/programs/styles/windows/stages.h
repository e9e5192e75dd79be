// What the graph creates; whoever includes this has included adf.h before.
#ifndef STAGES_H
#define STAGES_H

void quarter_turns(input_window_cint16* echo, output_window_cint16* turned);
void hold_extremes(input_window_cint16* restrict turned, output_window_cint32* restrict held);
void set_floor(void);
template <typename SAMPLE, int BITS>
void limiter(input_window<SAMPLE>* graded, output_window<SAMPLE>* shown);

#endif
