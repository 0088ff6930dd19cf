#pragma once

#include <string>

#include "models/common/draft.h"
#include "platforms/report/manifest.h"

namespace strata::platforms {

/// A results directory that appears at once or not at all. Files are written into a hidden directory beside
/// it, flushed to the disk, and take its place in one step when all are there; an older directory of results
/// stays as it is until then. Whatever goes wrong throws ConfigError and leaves the old results untouched.
class ResultsDirectory {
 public:
  /// Makes sure, before a long run, that results can be written there: the place can be created, and what
  /// lies there now, if anything, is a directory with nothing but what Strata wrote in it (manifest.h).
  explicit ResultsDirectory(const std::string& path);
  ResultsDirectory(const ResultsDirectory&) = delete;
  ResultsDirectory& operator=(const ResultsDirectory&) = delete;

  /// One file of the results.
  void write(const std::string& name, const std::string& text);
  /// The new directory takes the place of the old one. Nothing is lost by that: results that are not
  /// `finished` do not replace those of a run that came to its end, and what somebody has put into the old
  /// directory since the run began stays where it is. Such results go to a place of their own beside it.
  void commit(bool finished = true);

  /// Where the results are, as the user would name it; they may have gone beside it.
  const std::string& path() const { return path_; }
  /// Why they are not where they were meant to be; empty when they are.
  const std::string& detour() const { return detour_; }

 private:
  bool may_replace(const std::string& place, bool finished);
  void commit_beside(bool finished);

  std::string path_;
  std::string place_;  // absolute, and no link
  std::string detour_;
  Draft draft_;
  Manifest manifest_;
};

}  // namespace strata::platforms
