#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace strata::tb {

namespace fs = std::filesystem;

/// Everything in Strata that reads what a user wrote, as the fuzzers see it.
struct FuzzedParser {
  const char* name;  ///< of its folder in tb/data/fuzz, and of its dictionary in tb/fuzz if there is one
  const char* file;  ///< the name that the input gets
  bool text;         ///< its inputs are text
  /// Read the file. False when it is refused with ConfigError or TraceError; every other exception, a crash,
  /// a hang and a hunger for memory are faults.
  void (*read)(const fs::path& file);
};

/// A folder of this process for inputs; removed at the end. Files that inputs may refer to lie in it.
class FuzzFolder {
 public:
  FuzzFolder();
  ~FuzzFolder();
  FuzzFolder(const FuzzFolder&) = delete;
  FuzzFolder& operator=(const FuzzFolder&) = delete;
  fs::path file(const std::string& name) const { return path_ / name; }

 private:
  fs::path path_;
};

std::vector<FuzzedParser> trace_parsers();
std::vector<FuzzedParser> platform_parsers();
/// Both. Their order is that of `tb/fuzz/fuzz_all`.
std::vector<FuzzedParser> fuzzed_parsers();

/// Give `bytes` to a parser; true when they were taken, false when they were refused with a message.
bool take(const FuzzedParser& parser, const FuzzFolder& folder, const std::string& bytes);

}  // namespace strata::tb
