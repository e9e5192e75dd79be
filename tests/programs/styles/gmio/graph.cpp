// Ping-pong through two halves of each DDR buffer, then the GMIO objects and platform of old programs; event::.
#include "graph.h"

#include <iostream>

using namespace adf;

GMIO plin("oldIn", 64, 1);
GMIO* plout = new GMIO("oldOut", 64, 1);
simulation::platform<1, 1> plat(&plin, plout);

mygraph gr;
oldgraph og;
connect<> p0(plat.src[0], og.in);
connect<> p1(og.out, plat.sink[0]);

#define ITERATION 4
#define BLOCK 32

int main(int argc, char** argv) {
  const int BLOCK_SIZE_in_Bytes = BLOCK * ITERATION * sizeof(int32);
  int32* inputArray = (int32*)GMIO::malloc(BLOCK_SIZE_in_Bytes);
  int32* outputArray = (int32*)GMIO::malloc(BLOCK_SIZE_in_Bytes);
  for (int i = 0; i < BLOCK * ITERATION; i++) inputArray[i] = (i * 7) % 31 - 9;

  gr.init();
  event::handle handle = event::start_profiling(gr.gmioOut, event::io_stream_start_to_bytes_transferred_cycles, BLOCK_SIZE_in_Bytes);
  if (handle == event::invalid_handle) {
    printf("ERROR:Invalid handle. Only two performance counter in a AIE-PL interface tile\n");
    return 1;
  }
  // the kernel works on one half while the other moves
  gr.gmioIn.gm2aie_nb(&inputArray[0], BLOCK * sizeof(int32));
  gr.run(1);
  for (int i = 1; i < ITERATION; i++) {
    gr.gmioIn.gm2aie_nb(&inputArray[i * BLOCK], BLOCK * sizeof(int32));
    gr.gmioOut.aie2gm_nb(&outputArray[(i - 1) * BLOCK], BLOCK * sizeof(int32));
    gr.wait();
    gr.run(1);
  }
  gr.gmioOut.aie2gm_nb(&outputArray[(ITERATION - 1) * BLOCK], BLOCK * sizeof(int32));
  gr.gmioOut.wait();
  long long cycle_count = event::read_profiling(handle);
  event::stop_profiling(handle);
  std::cout << "profile " << (cycle_count >= 0 ? "read" : "failed") << std::endl;

  og.init();
  event::handle counts = event::start_profiling(*plout, event::io_stream_running_event_count);
  int32* small = (int32*)GMIO::malloc(64);
  for (int i = 0; i < 16; i++) small[i] = i;
  plin.gm2aie_nb(small, 64);
  og.run(1);
  int32* back = (int32*)GMIO::malloc(64);
  plout->aie2gm(back, 64);
  std::cout << "words " << event::read_profiling(counts) << std::endl;
  event::stop_profiling(counts);
  int error = 0;
  for (int i = 0; i < 16; i++) error += back[i] != 3 * i;
  std::cout << (error == 0 ? "PASS" : "FAIL") << std::endl;
  for (int i = 0; i < BLOCK * ITERATION; i++) std::cout << outputArray[i] << " ";
  std::cout << std::endl;
  GMIO::free(inputArray);
  GMIO::free(outputArray);
  GMIO::free(small);
  GMIO::free(back);
  gr.end();
  og.end();
  return error;
}
