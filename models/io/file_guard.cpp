#include "models/io/file_guard.h"

#include <filesystem>
#include <sys/stat.h>

#include "models/common/faults.h"

namespace strata {
namespace {

namespace fs = std::filesystem;

bool same_place(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

fs::path from_the_root(const std::string& path) {
  std::error_code ignored;
  return fs::weakly_canonical(fs::absolute(path, ignored), ignored);
}

}  // namespace

bool same_file(const std::string& a, const std::string& b) {
  struct stat one, other;
  const bool first = ::stat(a.c_str(), &one) == 0, second = ::stat(b.c_str(), &other) == 0;
  if (first && second) return S_ISREG(one.st_mode) && same_place(one, other);  // a terminal takes both
  if (first || second) return false;
  const fs::path path_a = from_the_root(a), path_b = from_the_root(b);
  if (path_a.filename() != path_b.filename()) return false;
  return ::stat(path_a.parent_path().c_str(), &one) == 0 && ::stat(path_b.parent_path().c_str(), &other) == 0
             ? same_place(one, other)
             : path_a == path_b;
}

void FileGuard::writes(const std::string& what, const std::string& path) {
  for (const std::string& input : inputs_)
    if (same_file(input, path))
      throw ConfigError(what + ": " + path + " is a file that is read" +
                        (input == path ? "" : " (" + input + ")") + "; choose another name");
  for (const Output& output : outputs_)
    if (same_file(output.path, path))
      throw ConfigError(output.what + " and " + what + " name the same file: " + path);
  outputs_.push_back({what, path});
}

void FileGuard::replaces(const std::string& what, const std::string& folder) const {
  struct stat place, parent;
  if (::stat(folder.c_str(), &place) != 0) return;
  for (const std::string& input : inputs_) {
    const fs::path whole = from_the_root(input);
    if (fs::exists(whole) && ::stat(whole.parent_path().c_str(), &parent) == 0 && same_place(place, parent))
      throw ConfigError(what + ": " + folder + " holds " + input + ", which is read; choose another name");
  }
}

}  // namespace strata
