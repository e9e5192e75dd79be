// The program for simulation alone.
#include "graph.h"

mygraph gr;

#if defined(__AIESIM__) || defined(__X86SIM__)
int main(int argc, char** argv) {
  gr.init();
  gr.run(3);
  gr.end();

  return 0;
}
#endif
