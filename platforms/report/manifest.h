#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace strata::platforms {

constexpr const char manifest_name[] = "manifest.json";

/// Every file that results may hold, the manifest included.
bool is_results_name(std::string_view name);

/// What a results directory held when it was written: size and digest of each file. A file that is not in it,
/// or is not what it was, is not Strata's to replace or to believe.
class Manifest {
 public:
  /// Of the directory's manifest.json; empty when there is none that can be read.
  static std::optional<Manifest> read(const std::string& directory);

  void add(const std::string& name, const std::string& text);
  std::string json() const;
  /// The run came to its end, or to the limit that it was given.
  bool finished = true;
  /// A regular file with the content that was written.
  bool vouches_for(const std::string& directory, const std::string& name) const;
  bool has(const std::string& name) const { return files_.count(name) != 0; }

 private:
  struct File {
    std::uint64_t bytes = 0;
    std::string digest;
  };
  std::map<std::string, File> files_;
};

/// What is in a directory, as far as replacing it goes.
struct Ownership {
  std::string objection;  ///< why it must stay: "the directory holds 'notes.txt', ..."; empty: it may go
  bool finished = false;  ///< the results in it are those of a run that came to its end
};

/// Throws ConfigError when the directory cannot be read.
Ownership ownership_of(const std::string& directory);

/// Results as they were written, of a run that came to its end: nothing changed, the digest in stats.json is
/// that of its contents.
bool is_intact(const std::string& directory);

}  // namespace strata::platforms
