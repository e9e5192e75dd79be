// Goes beside a memory: who does, how, at which word, of how many, the arguments say.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "graph.h"
#include "xrt/xrt_bo.h"
#include "xrt/xrt_device.h"
#include "xrt/xrt_kernel.h"

extern Poked g;

int main(int argc, char** argv) {
  const std::string who = argv[2], how = argv[3];
  const int at = std::atoi(argv[4]), words = std::atoi(argv[5]);
  xrt::device device(0);
  const xrt::uuid uuid = device.load_xclbin(argv[1]);
  xrt::kernel touch(device, uuid, "touch");
  xrt::bo memory(device, words * sizeof(int), touch.group_id(0));
  if (who == "host") {
    volatile int* mine = memory.map<int*>();
    mine[0] = how == "write" ? mine[0] : mine[at];
    mine[how == "write" ? at : 0] = 5;
    memory.sync(XCL_BO_SYNC_BO_TO_DEVICE);
  } else if (who == "touch_1") {
    auto run = touch(memory, at, how == "write" ? 1 : 0);
    if (how == "freed") {
      memory = xrt::bo();
    }
    run.wait();
  } else {
    g.init();
    auto* in = static_cast<int*>(adf::GMIO::malloc(1024 * sizeof(int)));
    auto* out = static_cast<int*>(adf::GMIO::malloc(1024 * sizeof(int)));
    in[0] = who != "kernel" ? 0 : how == "write" ? 1 : 2;
    in[1] = at;
    g.run(1);
    if (who == "gmio") {
      static int mine[1024];
      how == "write" ? g.out.aie2gm_nb(out + at, words * sizeof(int)) : g.in.gm2aie_nb(how == "foreign" ? mine : in + at, words * sizeof(int));
      if (how == "freed") {
        adf::GMIO::free(in);
        g.in.wait();
      }
    } else {
      g.in.gm2aie_nb(in, 1024 * sizeof(int));
      g.out.aie2gm(out, 1024 * sizeof(int));
    }
    g.end();
  }
  std::printf("nothing was said\n");
  return 0;
}
