// A program of a user: runs images of a file through a design, at once and one after another, and writes the results.
#include "session.h"

#include <algorithm>
#include <cstdio>

namespace {

std::vector<float> read_values(const char* path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  std::vector<float> values(static_cast<std::size_t>(file.tellg()) / sizeof(float));
  file.seekg(0);
  file.read(reinterpret_cast<char*>(values.data()), static_cast<std::streamsize>(values.size() * sizeof(float)));
  return values;
}

/// The inputs that images are made of.
std::vector<aieloom::Tensor> apart(const aieloom::Session& session, const aieloom::Tensor& x, std::size_t image) {
  std::vector<aieloom::Tensor> parts;
  std::size_t begin = 0;
  for (const aieloom::End& input : session.inputs()) {
    aieloom::Tensor part{input.shape, {}};
    std::size_t size = 1;
    for (const std::size_t side : input.shape) {
      size *= side;
    }
    for (std::size_t i = 0; i < x.shape[0]; ++i) {
      const float* const from = x.values.data() + i * image + begin;
      part.values.insert(part.values.end(), from, from + size);
    }
    part.shape.insert(part.shape.begin(), x.shape[0]);
    begin += size;
    parts.push_back(part);
  }
  return parts;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) {
    return 2;
  }
  try {
    aieloom::Session session(argv[1], std::chrono::duration<double>(std::stod(argv[4])));
    aieloom::Tensor x;
    x.values = read_values(argv[2]);
    x.shape = session.input_shape();
    std::size_t image = 1;
    for (const std::size_t size : x.shape) {
      image *= size;
    }
    x.shape.insert(x.shape.begin(), x.values.size() / image);
    const aieloom::Tensor whole = session.together(apart(session, x, image));
    if (whole.values != x.values || whole.shape != x.shape) {
      std::puts("its inputs make another image");
      return 1;
    }
    std::future<aieloom::Tensor> first = session.run_async(x);
    std::future<aieloom::Tensor> second = session.run_async(x);
    const aieloom::Tensor one = first.get();
    const aieloom::Tensor other = second.get();
    const aieloom::Tensor again = session.run(x);
    std::size_t values = 0;
    std::vector<float> image_of_one;  // the first image's outputs, one behind the other
    for (const aieloom::Tensor& output : session.apart(one)) {
      const std::size_t size = output.values.size() / output.shape[0];
      image_of_one.insert(image_of_one.end(), output.values.begin(), output.values.begin() + static_cast<std::ptrdiff_t>(size));
      values += output.values.size();
    }
    if (values != one.values.size() || !std::equal(image_of_one.begin(), image_of_one.end(), one.values.begin())) {
      std::puts("its outputs are other results");
      return 1;
    }
    bool refused = false;
    try {
      session.run({ {1, 2}, {0, 0} });
    } catch (const aieloom::Error&) {
      refused = true;
    }
    if (one.values != other.values || one.values != again.values || !refused || session.batch() == 0) {
      std::puts("runs differ");
      return 1;
    }
    std::ofstream file(argv[3], std::ios::binary);
    file.write(reinterpret_cast<const char*>(one.values.data()), static_cast<std::streamsize>(one.values.size() * sizeof(float)));
    for (const std::size_t size : one.shape) {
      std::printf("%zu ", size);
    }
    return 0;
  } catch (const aieloom::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 3;
  }
}
