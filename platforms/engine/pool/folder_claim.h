#pragma once

#include <string>

namespace strata::platforms {

/// A folder of many runs belongs to one process at a time. A file `.lock` in it, or a file of another name
/// for a part of the runs, is locked (flock) while this object lives. Another process reports this and waits.
class FolderClaim {
 public:
  /// Makes the folder. Waits until no other process holds it, or until a signal. Throws ConfigError.
  FolderClaim(const std::string& folder, bool progress, const std::string& name = ".lock");
  ~FolderClaim();
  FolderClaim(const FolderClaim&) = delete;
  FolderClaim& operator=(const FolderClaim&) = delete;

  /// Another process held it first: its results count as new.
  bool waited() const { return waited_; }
  /// False if a signal came while waiting.
  bool held() const { return held_; }

 private:
  bool take();

  std::string path_;
  int fd_ = -1;
  bool waited_ = false, held_ = false;
};

}  // namespace strata::platforms
