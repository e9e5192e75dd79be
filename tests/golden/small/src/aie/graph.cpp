@@ sha256: d781b8401fb9b2cdf8cf08eb21a8757c64fe74f68b54403397e8b6993b00ae68
// graph.cpp: the graph of small.
// Made by aieloom 0.1.0 from small's network.yaml; edit that and run: doit gen project=small
@@ same: 2
SmallDesign small_graph;
@@ same: 2
// The array alone, on 3 images: reads and writes the text files in data/.
int main() {
  small_graph.init();
  small_graph.run(3);
  small_graph.end();
@@ same: 3 in graph.cpp.j2
