#pragma once

#include <string>

namespace strata::platforms {

/// A results directory that appears at once or not at all. Files are written into a hidden directory beside
/// it, flushed to the disk, and take its place in one step when all are there; an older directory of results
/// stays as it is until then. Whatever goes wrong throws ConfigError and leaves the old results untouched.
class ResultsDirectory {
 public:
  /// Makes sure, before a long run, that results can be written there: the place can be created, and what
  /// lies there now, if anything, is a directory with nothing but results in it.
  explicit ResultsDirectory(const std::string& path);
  ~ResultsDirectory();
  ResultsDirectory(const ResultsDirectory&) = delete;
  ResultsDirectory& operator=(const ResultsDirectory&) = delete;

  const std::string& path() const { return path_; }
  /// One file of the results.
  void write(const std::string& name, const std::string& text);
  /// The new directory takes the place of the old one.
  void commit();

 private:
  std::string path_;
  std::string parent_;
  std::string draft_;  // where files are written until commit(); empty afterwards
};

/// Writes one file through a neighbour that is renamed over it: never half-written. Throws ConfigError.
void write_file(const std::string& path, const std::string& text);

}  // namespace strata::platforms
