// The stand-in AIE compiler's program: main() of the graph's source (renamed), or a list of the graph's PLIOs.
#include <cstdio>
#include <cstdlib>

#include "aieloom/design.h"

int graph_main();

int main() {
  if (std::getenv("AIELOOM_STANDIN_DUMP") == nullptr) {
    return graph_main();
  }
  const char* comma = "";
  std::printf("[");
  for (const auto& plio : aieloom::design().plios) {
    std::printf("%s{\"name\": \"%s\", \"bits\": %zu, \"mhz\": %g, \"is_input\": %s, \"file\": \"%s\"}", comma,
                plio.name.c_str(), plio.bits, plio.mhz, plio.is_input ? "true" : "false", plio.file.c_str());
    comma = ",\n ";
  }
  std::printf("]\n");
  return 0;
}
