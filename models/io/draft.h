#pragma once

#include <functional>
#include <string>

namespace strata {

/// A file or folder that is being written. Until it is whole it has a hidden name beside its place,
/// `.NAME.new.XXXXXX`; then it takes the place in one step. Its process holds a lock on it (flock), so that a
/// draft without one is known to be left by a process that died: it goes when the next draft for the same
/// place is made. Where a file system has no locks, nothing is collected.
class Draft {
 public:
  /// Which files of a folder may be removed. Empty: all of them, and folders too.
  using Ours = std::function<bool(const std::string& name)>;

  /// A regular file for `place`. When that is a symbolic link, what it points to is meant. Throws
  /// ConfigError.
  static Draft file(const std::string& place);
  /// A folder for `place`. When it is given up, the entries that `ours` accepts are removed; others stay.
  /// Throws ConfigError.
  static Draft folder(const std::string& place, Ours ours);
  /// A folder among the temporary files of the machine, for what takes no place in the end. It is locked:
  /// other processes exchange names (NamesLock) in folders inside it only.
  static Draft scratch(const std::string& name);
  /// Removes the drafts of folders in a folder that processes left when they died, for whatever place.
  static void collect_folders(const std::string& parent, const Ours& ours);
  Draft(Draft&& other) noexcept;
  Draft& operator=(Draft&&) = delete;
  ~Draft();

  const std::string& path() const { return path_; }
  /// The descriptor of the open file or folder.
  int descriptor() const { return fd_; }
  /// The draft takes the place of what is there, if anything; for a folder, there must be nothing or a
  /// folder. A folder that was there has the draft's name afterwards and goes with this object, unless it is
  /// taken back with a second commit to the same place. Throws ConfigError.
  void commit(const std::string& place);
  /// The hidden name is gone: nothing is to be removed.
  bool committed() const { return path_.empty(); }

 private:
  Draft(const std::string& place, bool folder, Ours ours);
  bool take(const std::string& pattern);
  void replace_folder(const std::string& place);

  bool folder_;
  Ours ours_;
  std::string path_;
  int fd_ = -1;
};

/// Held while names in a folder are looked at and exchanged, so that no other process does so in between.
/// It waits for some seconds at most, and then goes on without the lock.
class NamesLock {
 public:
  explicit NamesLock(const std::string& folder);
  ~NamesLock();
  NamesLock(const NamesLock&) = delete;
  NamesLock& operator=(const NamesLock&) = delete;

 private:
  int fd_;
};

/// The whole text to an open file, and on to the disk. False, with errno, when that fails.
bool write_to_disk(int descriptor, const std::string& text);

/// Throws ConfigError, before a long run, when write_file() to this path would.
void check_writable(const std::string& path);

/// Writes one file as a draft: never half-written. A device or a pipe is written as it is. Throws
/// ConfigError.
void write_file(const std::string& path, const std::string& text);

}  // namespace strata
