#include "files.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include <climits>
#include <cstdio>

namespace aieloom {

std::string join(const std::string& folder, const std::string& path) {
  std::size_t from = 0;
  while (path.compare(from, 2, "./") == 0) {
    from += 2;
  }
  if (folder.empty() || folder == "." || path.starts_with('/')) {
    return path.substr(from);
  }
  return folder + (folder.back() == '/' ? "" : "/") + path.substr(from);
}

bool read_file(const std::string& path, std::string& text) {
  struct stat info {};
  if (stat(path.c_str(), &info) != 0 || S_ISDIR(info.st_mode)) {
    return false;
  }
  std::FILE* file = std::fopen(path.c_str(), "rb");
  if (file == nullptr) {
    return false;
  }
  text.clear();
  char part[65536];
  for (std::size_t n = 0; (n = std::fread(part, 1, sizeof part, file)) > 0;) {
    text.append(part, n);
  }
  const bool good = std::ferror(file) == 0;
  std::fclose(file);
  return good;
}

bool write_file(const std::string& path, const void* data, std::size_t bytes) {
  for (std::size_t at = path.find('/', 1); at != std::string::npos; at = path.find('/', at + 1)) {
    mkdir(path.substr(0, at).c_str(), 0777);  // what is missing is told by fopen
  }
  std::FILE* file = std::fopen(path.c_str(), "wb");
  if (file == nullptr) {
    return false;
  }
  const bool whole = std::fwrite(data, 1, bytes, file) == bytes;
  return std::fclose(file) == 0 && whole;
}

std::string program_file() {
  char path[PATH_MAX];
  const ssize_t n = readlink("/proc/self/exe", path, sizeof path);
  return n > 0 ? std::string(path, static_cast<std::size_t>(n)) : std::string();
}

std::vector<std::string> list_folder(const std::string& path) {
  std::vector<std::string> names;
  DIR* folder = opendir(path.c_str());
  if (folder == nullptr) {
    return names;
  }
  while (const dirent* entry = readdir(folder)) {
    names.emplace_back(entry->d_name);
  }
  closedir(folder);
  return names;
}

}  // namespace aieloom
