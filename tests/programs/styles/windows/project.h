// The graph: two functions, a template and a class in a row, by the window sizes in bytes.
#include <adf.h>
#include "kernels.h"
#include "kernels/fir.h"
#include "kernels/include.h"

using namespace adf;

class simpleGraph : public adf::graph {
 private:
  kernel first;
  kernel second;
  kernel third;
  kernel fourth;

 public:
  input_port in;
  output_port out;
  simpleGraph() {
    first = kernel::create(butterfly);
    second = kernel::create(weighted_sum);
    third = kernel::create_object<FIR>(std::vector<int>({180, 89, -80, -391}), NUM_SAMPLES);
    fourth = kernel::create(scale<cint32, 4>);

    connect<window<NUM_SAMPLES * sizeof(cint16)> > net0(in, first.in[0]);
    connect<window<NUM_SAMPLES * sizeof(cint16)>, window<NUM_SAMPLES * sizeof(cint16), MARGIN * sizeof(cint16)> > net1(
        first.out[0], second.in[0]);
    connect<window<NUM_SAMPLES * sizeof(cint32)> > net2(second.out[0], third.in[0]);
    connect<window<NUM_SAMPLES * sizeof(cint32)> > net3(third.out[0], fourth.in[0]);
    connect<window<NUM_SAMPLES * sizeof(cint32)> > net4(fourth.out[0], out);

    source(first) = "kernels/butterfly.cc";
    source(second) = "kernels/weighted.cc";
    source(third) = "kernels/fir.cc";
    source(fourth) = "kernels/scale.cc";
    headers(third) = {"kernels/fir.h"};
    initialization_function(second) = "weighted_init";

    runtime<ratio>(first) = 0.1;
    runtime<ratio>(second) = 0.1;
    runtime<ratio>(third) = 0.1;
    runtime<ratio>(fourth) = 0.1;

    location<kernel>(third) = tile(10, 1);
    location<parameter>(third.param[0]) = address(10, 1, 0x1000);
    location<stack>(third) = location<kernel>(third);
    location<buffer>(third.in[0]) = location<kernel>(third);
    location<buffer>(third.out[0]) = {bank(10, 1, 2), bank(10, 1, 3)};
  }
};
