// OpenCL C API: included beside XRT by some hosts; not emulated (cl2.hpp).
#pragma once
