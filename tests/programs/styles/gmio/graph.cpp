// The old harbour by a platform of GMIO objects, its words counted; then the new one: while a day is worked on, the
// next comes from DDR and the errors of the last go back, and a counter of cycles watches the way back.
#include "harbour.h"

#include <iostream>

using namespace adf;

GMIO* ebb = new GMIO("ebb", 64, 2);
GMIO flood("flood", 64, 2);
simulation::platform<1, 1> quay(&flood, ebb);

OldHarbour old_harbour;
connect<> rising(quay.src[0], old_harbour.levels);
connect<> falling(old_harbour.changes, quay.sink[0]);

Harbour harbour;

static void show(const char* name, const int32* values, int count) {
  std::cout << name;
  for (int n = 0; n < count; n++) std::cout << " " << values[n];
  std::cout << std::endl;
}

static int old_days() {
  const int WORDS = 24;
  int32* levels = static_cast<int32*>(GMIO::malloc(WORDS * sizeof(int32)));
  int32* changes = static_cast<int32*>(GMIO::malloc(WORDS * sizeof(int32)));
  for (int n = 0; n < WORDS; n++) levels[n] = n * n % 17;
  old_harbour.init();
  event::handle words = event::start_profiling(*ebb, event::io_stream_running_event_count);
  flood.gm2aie_nb(levels, WORDS * sizeof(int32));
  old_harbour.run(1);
  ebb->aie2gm(changes, WORDS * sizeof(int32));
  std::cout << "counted " << event::read_profiling(words) << std::endl;
  event::stop_profiling(words);
  old_harbour.end();
  show("changes", changes, WORDS);
  GMIO::free(levels);
  GMIO::free(changes);
  return words == event::invalid_handle;
}

static int new_days(int days) {
  const size_t bytes = DAY * sizeof(int32);
  int32* levels = (int32*)GMIO::malloc(days * bytes);
  int32* errors = (int32*)GMIO::malloc(days * bytes);
  for (int n = 0; n < days * DAY; n++) levels[n] = 300 + n * 37 % 101;
  harbour.init();
  event::handle cycles =
      event::start_profiling(harbour.log, event::io_stream_start_to_bytes_transferred_cycles, days * bytes);
  if (cycles == event::invalid_handle) {
    printf("no counter is free\n");
    return 1;
  }
  for (int day = 0; day < days; day++) {
    harbour.gauge.gm2aie_nb(levels + day * DAY, bytes);
    if (day > 0) harbour.log.aie2gm_nb(errors + (day - 1) * DAY, bytes);
    if (day > 0) harbour.wait();
    harbour.run(1);
  }
  harbour.log.aie2gm_nb(errors + (days - 1) * DAY, bytes);
  harbour.log.wait();
  std::cout << "cycles " << event::read_profiling(cycles) << std::endl;
  event::stop_profiling(cycles);
  show("errors", errors, days * DAY);
  harbour.end();
  GMIO::free(levels);
  GMIO::free(errors);
  return 0;
}

int main(int argc, char** argv) { return old_days() + new_days(3); }
