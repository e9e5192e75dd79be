// graph.cpp: the graph of split.
// Made by aieloom 0.1.0 from split's network.yaml; edit that and run: doit gen project=split
#include "graph.h"

SplitDesign split_graph;

#if defined(__AIESIM__) || defined(__X86SIM__)
// The array alone, on 3 images: reads and writes the text files in data/.
int main() {
  split_graph.init();
  split_graph.run(3);
  split_graph.end();
  return 0;
}
#endif
