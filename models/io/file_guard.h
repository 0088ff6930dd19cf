#pragma once

#include <string>
#include <vector>

namespace strata {

/// True when two names, spelled in any way and through links or not, are one file. Files that do not exist
/// yet are one when folder and name are.
bool same_file(const std::string& a, const std::string& b);

/// The files that a command reads and writes: what is written is none of those that are read, and no two
/// outputs are one file.
class FileGuard {
 public:
  /// Before anything is written.
  void reads(const std::string& path) { inputs_.push_back(path); }
  void reads(const std::vector<std::string>& paths) {
    inputs_.insert(inputs_.end(), paths.begin(), paths.end());
  }
  /// `what` is what a user calls it: "--commands". Throws ConfigError.
  void writes(const std::string& what, const std::string& path);
  /// A folder whose files may be replaced.
  void replaces(const std::string& what, const std::string& folder) const;

 private:
  struct Output {
    std::string what, path;
  };
  std::vector<std::string> inputs_;
  std::vector<Output> outputs_;
};

}  // namespace strata
