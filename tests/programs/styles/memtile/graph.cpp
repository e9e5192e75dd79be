// Files for the store, DDR memory for the ledger, which this program fills and prints.
#include "store.h"

Ledger ledger;
Store store;

int main(void) {
  constexpr int ENTRIES = 6 * 8 * 3;
  int32* lines = (int32*)GMIO::malloc(ENTRIES * sizeof(int32));
  int32* columns = (int32*)GMIO::malloc(ENTRIES * sizeof(int32));
  for (int i = 0; i < ENTRIES; i++) {
    lines[i] = i * i - 700;
    columns[i] = -1;
  }
  ledger.init();
  ledger.by_line.setAddress(lines);
  ledger.by_column.setAddress(columns);
  ledger.by_line.gm2aie_nb(ledger.by_line.out[0]);
  ledger.by_column.aie2gm_nb(ledger.by_column.in[0]);
  ledger.run(1);
  store.init();
  store.run(2);
  ledger.by_line.wait(ledger.by_line.out[0]);
  ledger.by_column.wait(ledger.by_column.in[0]);
  for (int i = 0; i < ENTRIES; i++) printf("%d ", columns[i]);
  store.end();
  ledger.end();
  GMIO::free(lines);
  GMIO::free(columns);
  return 0;
}
