@@ sha256: 7276ac6e3ea13bcba4f9ceb7bf55f0a64d094a13efc826a94710369893df2367
// graph.cpp: the graph of split.
// Made by aieloom 0.1.0 from split's network.yaml; edit that and run: doit gen project=split
@@ same: 2
SplitDesign split_graph;
@@ same: 4 in graph.cpp.j2, graph.cpp
  split_graph.init();
  split_graph.run(3);
  split_graph.end();
@@ same: 3 in graph.cpp.j2
