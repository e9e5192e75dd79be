@@ sha256: 19c850ed356b339747e82a40631ad817d59e078fb2f0db8c2566975b07c184e9
// graph.cpp: the graph of between.
// Made by aieloom 0.1.0 from between's network.yaml; edit that and run: doit gen project=between
@@ same: 2
BetweenDesign between_graph;
@@ same: 4 in graph.cpp.j2, graph.cpp
  between_graph.init();
  between_graph.run(3);
  between_graph.end();
@@ same: 3 in graph.cpp.j2
