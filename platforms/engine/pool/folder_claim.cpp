#include "platforms/engine/pool/folder_claim.h"

#include <cerrno>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <iostream>
#include <sys/file.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

#include "models/common/faults.h"
#include "platforms/engine/session/interrupt_watch.h"

namespace strata::platforms {

FolderClaim::FolderClaim(const std::string& folder, bool progress, const std::string& name)
    : path_(folder + "/" + name) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) throw ConfigError("cannot write to '" + folder + "': " + error.message());
  const InterruptWatch interrupts;
  while (!(held_ = take())) {
    if (InterruptWatch::requested()) return;
    if (!waited_ && progress)
      std::cerr << "waiting: another strata writes to '" << folder << "'" << std::endl;
    waited_ = true;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
}

/// Takes the lock. A lock file that its holder has removed meanwhile does not count.
bool FolderClaim::take() {
  fd_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (fd_ < 0) throw ConfigError("cannot write '" + path_ + "': " + std::strerror(errno));
  const bool locked = ::flock(fd_, LOCK_EX | LOCK_NB) == 0;
  if (!locked && errno != EWOULDBLOCK && errno != EINTR)
    return true;  // a file system without locks: proceed without one
  struct stat open, named;
  if (locked && ::fstat(fd_, &open) == 0 && ::stat(path_.c_str(), &named) == 0 && open.st_ino == named.st_ino)
    return true;
  ::close(fd_);
  fd_ = -1;
  return false;
}

FolderClaim::~FolderClaim() {
  if (fd_ < 0) return;
  ::unlink(path_.c_str());
  ::close(fd_);
}

}  // namespace strata::platforms
