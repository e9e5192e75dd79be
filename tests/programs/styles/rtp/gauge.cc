// The limits are an array that may change between runs; how many readings passed the last one is counted over all runs.
#include <aie_api/aie.hpp>

#include "kiln.h"

template <int ZONES>
void gauge(input_buffer<int32>& readings, output_buffer<int32>& zones, const int32 (&limits)[ZONES], int32& hottest) {
  auto from = aie::begin(readings);
  auto to = aie::begin(zones);
  for (unsigned n = 0; n < readings.size(); ++n) chess_prepare_for_pipelining {
      const int32 degrees = *from++;
      int32 zone = 0;
      while (zone < ZONES && degrees >= limits[zone]) ++zone;
      *to++ = zone;
      hottest += zone == ZONES;
    }
}
