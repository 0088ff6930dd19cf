#pragma once

#include <string>

#include "models/io/draft.h"
#include "platforms/report/manifest.h"

namespace strata::platforms {

/// A results directory that appears complete or not at all. Files are written to a hidden directory beside
/// it, flushed to the disk, and renamed in one step when all are there; older results stay until then. Every
/// failure throws ConfigError and leaves the old results untouched.
class ResultsDirectory {
 public:
  /// Checks, before a long run, that results can be written there: the place can be created, and what is
  /// there now, if anything, is a directory that holds only files written by Strata (manifest.h).
  explicit ResultsDirectory(const std::string& path);
  ResultsDirectory(const ResultsDirectory&) = delete;
  ResultsDirectory& operator=(const ResultsDirectory&) = delete;

  /// Writes one file of the results.
  void write(const std::string& name, const std::string& text);
  /// Replaces the old directory by the new one, without loss: results that are not `finished` do not replace
  /// those of a completed run, and files that the user put into the old directory since the run began stay.
  /// In these cases the new results go to a place beside it.
  void commit(bool finished = true);

  /// The place of the results, as the user would name it; it may be beside the requested one.
  const std::string& path() const { return path_; }
  /// Why the results are not at the requested place; empty if they are.
  const std::string& fallback_path() const { return detour_; }

 private:
  bool may_replace(const std::string& place, bool finished);
  void commit_beside(bool finished);

  std::string path_;
  std::string place_;  // absolute, without links
  std::string detour_;
  Draft draft_;
  Manifest manifest_;
};

}  // namespace strata::platforms
