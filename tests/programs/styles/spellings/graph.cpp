// What graphs say of places, sizes, depths and parameters, in the spellings of all years.
#include "press.h"

#include <vector>

class Folder : public adf::graph {
 public:
  adf::port<adf::output> folded;
  adf::port<adf::input> flat;
  adf::kernel machine;
  Folder() {
    machine = adf::kernel::create(fold);
    adf::headers(machine) = {"press.h"};
    adf::source(machine) = "press.cc";
    adf::runtime<adf::ratio>(machine) = 0.35;
    adf::connect(machine.out[0], folded);
    adf::connect(flat, machine.in[0]);
  }
};

class Workshop : public adf::graph {
  std::vector<adf::input_plio> stack;
  std::vector<adf::output_plio> shelf;
  std::vector<adf::kernel> mixers;
  adf::kernel prover, trimmer;
  Folder once, twice;

  void files() {
    const char* names[] = {"type", "flat", "paper", "rough"};
    for (unsigned i = 0; i < stack.size(); i++) {
      const std::string name = names[i];
      stack[i] = adf::input_plio::create(name, adf::plio_32_bits, "data/" + name + ".txt", 200.0f);
      shelf[i] = adf::output_plio::create(name + "_done", adf::plio_32_bits, "data/" + name + "_done.txt", 200);
    }
  }

  void machines() {
    prover = adf::kernel::create(&proof);
    mixers[0] = adf::kernel::create(mix);
    trimmer = adf::kernel::create(static_cast<void (*)(adf::input_buffer<int16>&, adf::output_buffer<int16>&)>(trim));
    for (adf::kernel* one : {&prover, &mixers[0], &trimmer}) {
      adf::source(*one) = "press.cc";
      adf::runtime<adf::ratio>(*one) = 0.3;
    }
    adf::dimensions(mixers[0].in[0]) = {4, 8};
    adf::dimensions(mixers[0].out[0]) = {32};
    adf::dimensions(trimmer.in[0]) = {32};
    adf::dimensions(trimmer.out[0]) = {32};
  }

 public:
  adf::input_port recipe[6];

  Workshop() : stack(4), shelf(4), mixers(1) {
    files();
    machines();
    adf::connect<adf::window<96>> typeset(stack[0].out[0], prover.in[0]);
    adf::connect<adf::window<96>>(prover.out[0], shelf[0].in[0]);
    adf::connect belt(stack[1].out[0], once.flat);
    adf::connect between(once.folded, twice.flat);
    adf::connect(twice.folded, shelf[1].in[0]);
    adf::connect(stack[2].out[0], mixers[0].in[0]);
    adf::connect(mixers[0].out[0], shelf[2].in[0]);
    for (int i = 0; i < 6; i++) adf::connect<adf::parameter>(recipe[i], adf::async(mixers[0].in[i + 1]));
    adf::connect(stack[3].out[0], trimmer.in[0]);
    adf::connect(trimmer.out[0], shelf[3].in[0]);

    adf::location<adf::graph>(*this) =
        adf::area_group({{adf::aie_tile, 8, 0, 44, 7}, {adf::shim_tile, 8, 0, 44, 0}}, true, true);
    adf::location<adf::graph>(once) = adf::bounding_box(16, 2, 17, 3);
    adf::location<adf::graph>(twice) = adf::stamp(once);
    adf::location<adf::kernel>(once.machine) = adf::tile(16, 2);
    adf::location<adf::buffer>(once.machine.out[0]) = {adf::bank(16, 2, 1), adf::bank(16, 2, 3)};
    adf::location<adf::buffer>(twice.machine.in[0]) = adf::location<adf::buffer>(once.machine.out[0]);
    adf::fifo_depth(belt) = 80;
    adf::location<adf::fifo>(belt) = {adf::ss_fifo(adf::aie_tile, 16, 2, 1),
                                      adf::dma_fifo(adf::aie_tile, 16, 2, 0x5000, 320)};
    adf::location<adf::stack>(prover) =
        adf::location<adf::kernel>(prover) + adf::relative_offset({.col_offset = 0, .row_offset = 1});
    adf::not_equal(adf::location<adf::kernel>(trimmer), adf::location<adf::kernel>(prover));
  }
};

Workshop workshop;

int main(int argc, char** argv) {
  if (workshop.init() != adf::return_code::ok) {
    printf("the workshop stays closed\n");
    return 1;
  }
  int16 inks[4] = {-20, 0, 35, 4};
  float gloss = 2.75;
  int8 strength = -3;
  uint64 edition = uint64{6} << 40;
  cint16 shade = {5, -9};
  uint16 weight = 40000;
  workshop.update(workshop.recipe[0], inks, 4);
  workshop.update(workshop.recipe[1], gloss);
  workshop.update(workshop.recipe[2], strength);
  workshop.update(workshop.recipe[3], edition);
  workshop.update(workshop.recipe[4], shade);
  workshop.update(workshop.recipe[5], weight);
  adf::return_code printed = workshop.run(3);
  if (printed == adf::ok) printed = workshop.wait();
  if (printed != adf::ok) return 1;
  workshop.end();
  return 0;
}
