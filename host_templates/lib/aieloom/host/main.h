// main.h: the host program of a network: main_of<Net>(argc, argv).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <vector>

#include "clock.h"
#include "convert.h"
#include "files.h"
#include "options.h"
#include "power.h"
#include "serve.h"

namespace aieloom::host {

/// Runs the images of a file.
template <class Net>
int run(const Interface& net, const Options& options) {
  using Values = typename Net::Values;
  using Element = typename Values::Element;
  double converting = 0;
  std::vector<Element> images;
  {
    const Stopwatch watch(converting);
    images = options.elements ? read_images<Element>(options.input, net.image_values)
                              : elements_of<Values>(read_images<float>(options.input, net.image_values));
  }
  const std::size_t count = images.size() / net.image_values;
  std::vector<Element> results(count * net.result_values);

  typename Net::Runner design(options.xclbin, std::min(options.batch, count));
  double seconds = 0;
  Power power(options.power);
  {
    const Stopwatch watch(seconds);
    design.run(images.data(), count, results.data(), options.repeat);
  }
  power.report();
  const double all = static_cast<double>(count * options.repeat);
  const Times& times = design.times();
  std::printf("%.0f images in %.3f s: %.1f images/s\n", all, seconds, all / seconds);
  std::printf("from start to wait %.3f s: %.1f images/s; packing %.3f s; read and converted in %.3f s\n", times.device,
              all / times.device, times.packing, converting);

  if (!options.output.empty()) {
    if (options.elements) {
      write_images(options.output, results);
    } else {
      write_images(options.output, values_of<Values>(results));
    }
  }
  if (options.golden.empty()) {
    return 0;
  }
  const std::vector<float> golden = options.elements
                                        ? values_of<Values>(read_images<Element>(options.golden, net.result_values))
                                        : read_images<float>(options.golden, net.result_values);
  const bool passed = verify(values_of<Values>(results), golden, options.tolerance);
  std::printf(passed ? "TEST PASSED\n" : "TEST FAILED\n");
  return passed ? 0 : 1;
}

/// The program of a network: what it takes and gives, `Values`, and the `Runner` that has images computed.
template <class Net>
int main_of(int argc, char** argv) {
  const Interface net = Net::interface();
  try {
    const Options options = parse(argc, argv, net);
    return options.serve ? serve<Net>(net, options) : run<Net>(net, options);
  } catch (const UsageError& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    print_usage(net, Net::Values::kName);
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
}

}  // namespace aieloom::host
