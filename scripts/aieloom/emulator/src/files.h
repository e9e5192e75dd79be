// Whole files in and out by the C library: <filesystem> and <fstream> would double what a small design takes to build.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace aieloom {

/// A path below a folder; an absolute one stays as it is, and leading "./" goes.
std::string join(const std::string& folder, const std::string& path);

/// Read a regular file into `text`; returns whether it could be read.
bool read_file(const std::string& path, std::string& text);

/// Write a file anew, in folders that are made as needed; returns whether all of it was written.
bool write_file(const std::string& path, const void* data, std::size_t bytes);

/// This program's own file; what the builder wrote for it lies beside.
std::string program_file();

/// Names of what a folder holds, in any order; none when there is no such folder.
std::vector<std::string> list_folder(const std::string& path);

}  // namespace aieloom
