// Three pings of one channel between the two files of a platform: there are no PLIO objects.
#include "sonar.h"

Channel channel;
simulation::platform<1, 1> tank("data/echoes.txt", "data/screen.txt");
connect<> wet(tank.src[0], channel.echo);
connect<> dry(channel.shown, tank.sink[0]);

int main(void) {
  channel.init();
  channel.run(3);
  channel.end();
  return 0;
}
