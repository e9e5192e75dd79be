// First the judges, one of whom is told his factors by his graph's port and by his kernel's; then all who run, at once.
#include "stadium.h"

#include <fstream>

Team<1> pair;
Team<2> three;
Relay relay;
Stand<false> silent;
Stand<true> talker;

int main(int argc, char** argv) {
  silent.init();
  silent.run(2);
  silent.end();

  int32_t said[2];
  talker.init();
  talker.run(2);
  talker.update(talker.judge.factor, 3);
  talker.update(talker.judge.head.in[1], -4);
  talker.read(talker.judge.report, said[0]);
  talker.read(talker.judge.head.inout[0], said[1]);
  talker.end();
  const char* minutes = argc > 1 ? argv[1] : "data/minutes.txt";
  std::ofstream(minutes) << said[0] << ' ' << said[1] << '\n';
  printf("%d %d\n", said[0], said[1]);

  relay.init();
  pair.init();
  three.init();
  relay.run(2);
  pair.run(2);
  three.run(2);
  three.end();
  pair.end();
  relay.end();
  return 0;
}
