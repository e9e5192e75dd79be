// What is bound to a memory of any kind keeps what is written.
#include "storage.h"

using namespace aieloom::pl;

template <class Storage>
int kept(int first) {
  int numbers[4];
  bind_storage(numbers, Storage());
  for (int i = 0; i < 4; ++i) {
    numbers[i] = first + i;
  }
  return numbers[0] + 2 * numbers[1] + 3 * numbers[2] + 4 * numbers[3];
}

int main() { return kept<Bram>(1) == 30 && kept<Lutram>(2) == 40 && kept<Uram>(3) == 50 ? 0 : 1; }
