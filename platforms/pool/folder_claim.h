#pragma once

#include <string>

namespace strata::platforms {

/// A folder of many runs belongs to one process at a time: a file `.lock` in it, or of another name for a
/// part of the runs, is held (flock) as long as this object lives. Another process waits, and says so.
class FolderClaim {
 public:
  /// Makes the folder. Waits until nobody else has it, or a signal asks for the end. Throws ConfigError.
  FolderClaim(const std::string& folder, bool progress, const std::string& name = ".lock");
  ~FolderClaim();
  FolderClaim(const FolderClaim&) = delete;
  FolderClaim& operator=(const FolderClaim&) = delete;

  /// Another process had it first: what it simulated is as good as new.
  bool waited() const { return waited_; }
  /// False when a signal came while waiting.
  bool held() const { return held_; }

 private:
  bool take();

  std::string path_;
  int fd_ = -1;
  bool waited_ = false, held_ = false;
};

}  // namespace strata::platforms
