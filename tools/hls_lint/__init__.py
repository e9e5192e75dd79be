"""A lint of the subset of C++ that Vitis HLS takes, and of what its loops can reach, over PL kernels.

`python -m tools.hls_lint FILE.cpp ...`; docs/hls-lint.md says what the rules rest on. Two views of a kernel: the syntax tree
(libclang, stand-in headers in headers/) for what HLS refuses, and LLVM IR (clang++ -O2, loops unrolled as HLS unrolls them) for
dividers, recurrences, depths and ports. HLS itself is not run: delays are rough.
"""
