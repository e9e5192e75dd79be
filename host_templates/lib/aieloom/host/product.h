// product.h: the host program of one matrix product: main_of_product<Product>(argc, argv).
//
// `Product` is a struct of the generated program:
//
//   Element, Result       of A and B, and of C; kElement and kResult are their names
//   kM, kK, kN            sizes; kShapeA and kShapeB say how A and B lie in files
//   kAdds                 whether a third matrix is added
//   Runner                has `run(a, b, addend, c)` and `seconds()` of the device
#pragma once

#include <cstddef>
#include <cstdio>
#include <cstring>
#include <exception>
#include <string>
#include <vector>

#include "files.h"
#include "options.h"

namespace aieloom::host {

/// What the command line of a product says.
struct ProductOptions {
  std::vector<std::string> files;
  std::string output;
  std::string golden;
};

/// Reads the command line of a product with so many files.
inline ProductOptions parse_product(int argc, char** argv, bool adds) {
  ProductOptions options;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word.rfind("--", 0) != 0) {
      options.files.push_back(word);
    } else if ((word == "--output" || word == "--golden") && i + 1 < argc) {
      (word == "--output" ? options.output : options.golden) = argv[++i];
    } else {
      throw UsageError("there is no option " + word + ", or it wants a file");
    }
  }
  if (options.files.size() != (adds ? 4U : 3U)) {
    throw UsageError(adds ? "4 files are wanted: XCLBIN A B C" : "3 files are wanted: XCLBIN A B");
  }
  return options;
}

/// Reads a file of one matrix.
template <class T>
std::vector<T> read_matrix(const std::string& path, std::size_t elements) {
  std::vector<T> matrix = read_values<T>(path);
  if (matrix.size() != elements) {
    throw UsageError(path + " has " + std::to_string(matrix.size() * sizeof(T)) + " bytes, not " +
                     std::to_string(elements * sizeof(T)));
  }
  return matrix;
}

/// Says how the program is called.
template <class Product>
void print_product_usage() {
  std::fprintf(stderr,
               "usage: gemm_host XCLBIN A B%s [--output FILE] [--golden FILE]\n"
               "  XCLBIN         what v++ --package made\n"
               "  A, B           the matrices, %s and %s elements (%s), row after row\n",
               Product::kAdds ? " C" : "", Product::kShapeA, Product::kShapeB, Product::kElement);
  if (Product::kAdds) {
    std::fprintf(stderr, "  C              what is added, %zu x %zu elements (%s)\n", Product::kM, Product::kN,
                 Product::kResult);
  }
  std::fprintf(stderr,
               "  --output FILE  write the result, %zu x %zu elements (%s)\n"
               "  --golden FILE  compare the result with this, byte by byte; the program then ends with 0 only when "
               "they agree\n",
               Product::kM, Product::kN, Product::kResult);
}

/// Multiplies the matrices of files.
template <class Product>
int multiply(const ProductOptions& options) {
  using Element = typename Product::Element;
  using Result = typename Product::Result;
  constexpr std::size_t m = Product::kM;
  constexpr std::size_t n = Product::kN;
  constexpr std::size_t k = Product::kK;
  const std::vector<Element> a = read_matrix<Element>(options.files[1], m * k);
  const std::vector<Element> b = read_matrix<Element>(options.files[2], k * n);
  std::vector<Result> addend;
  if (Product::kAdds) {
    addend = read_matrix<Result>(options.files[3], m * n);
  }
  std::vector<Result> c(m * n);
  typename Product::Runner product(options.files[0]);
  product.run(a, b, addend, c);
  std::printf("%zu x %zu x %zu in %.6f s: %.3f Gop/s\n", m, k, n, product.seconds(),
              2e-9 * static_cast<double>(m) * static_cast<double>(k) * static_cast<double>(n) / product.seconds());

  if (!options.output.empty()) {
    write_images(options.output, c);
  }
  if (options.golden.empty()) {
    return 0;
  }
  const std::vector<Result> golden = read_matrix<Result>(options.golden, m * n);
  std::size_t different = 0;
  for (std::size_t i = 0; i < c.size(); ++i) {
    different += std::memcmp(&c[i], &golden[i], sizeof(Result)) == 0 ? 0 : 1;
  }
  std::printf("%zu of %zu elements differ\n%s\n", different, c.size(), different == 0 ? "TEST PASSED" : "TEST FAILED");
  return different == 0 ? 0 : 1;
}

/// The program of a product.
template <class Product>
int main_of_product(int argc, char** argv) {
  try {
    return multiply<Product>(parse_product(argc, argv, Product::kAdds));
  } catch (const UsageError& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    print_product_usage<Product>();
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "error: %s\n", error.what());
    return 1;
  }
}

}  // namespace aieloom::host
