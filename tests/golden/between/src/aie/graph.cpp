// graph.cpp: the graph of between.
// Made by aieloom 0.1.0 from between's network.yaml; edit that and run: doit gen project=between
#include "graph.h"

BetweenDesign between_graph;

#if defined(__AIESIM__) || defined(__X86SIM__)
// The array alone, on 3 images: reads and writes the text files in data/.
int main() {
  between_graph.init();
  between_graph.run(3);
  between_graph.end();
  return 0;
}
#endif
