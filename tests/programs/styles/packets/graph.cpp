// Two rounds; the board would have another program, so that main is for the simulators only.
#include "office.h"

Office office;

#if defined(__AIESIM__) || defined(__X86SIM__)
int main(int argc, char** argv) {
  office.init();
  office.run(2);
  office.end();
  return 0;
}
#endif
