#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace strata::platforms {

constexpr const char manifest_name[] = "manifest.json";

/// Names of all files that results may hold, including the manifest.
bool is_results_name(std::string_view name);

/// The contents of a results directory when it was written: size and digest of each file. Strata neither
/// replaces nor trusts a file that is not listed or has changed.
class Manifest {
 public:
  /// Reads the directory's manifest.json; empty if there is none that can be read.
  static std::optional<Manifest> read(const std::string& directory);

  void add(const std::string& name, const std::string& text);
  std::string json() const;
  /// The run ended normally, or at its limit.
  bool finished = true;
  /// True for a regular file with unchanged content.
  bool vouches_for(const std::string& directory, const std::string& name) const;
  bool has(const std::string& name) const { return files_.count(name) != 0; }

 private:
  struct File {
    std::uint64_t bytes = 0;
    std::string digest;
  };
  std::map<std::string, File> files_;
};

/// Whether a directory may be replaced.
struct Ownership {
  std::string
      objection;  ///< why it must stay: "the directory holds 'notes.txt', ..."; empty: it may be replaced
  bool finished = false;  ///< its results belong to a run that ended normally
};

/// Throws ConfigError if the directory cannot be read.
Ownership ownership_of(const std::string& directory);

/// True for unchanged results of a run that ended normally, whose digest in stats.json matches their
/// contents.
bool is_intact(const std::string& directory);

}  // namespace strata::platforms
