#include "clerks.h"

template <int CLERK>
void note(adf::input_buffer<int32>& file, adf::output_buffer<int32>& noted) {
  for (int page = 0; page < PAGES; ++page) noted.data()[page] = 10 * file.data()[PAGES - 1 - page] + CLERK;
}
