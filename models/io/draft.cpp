#include "models/io/draft.h"

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <linux/fs.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include "models/common/faults.h"

namespace strata {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds longest_wait{10};  // for the lock of names; an exchange takes milliseconds
constexpr std::size_t random_letters = 6;         // of mkstemp and mkdtemp
constexpr const char infix[] = ".new.";
constexpr const char aside[] = ".old";  // a folder that is moved out of the way

[[noreturn]] void fail(const std::string& place, int error) {
  throw ConfigError("cannot write '" + place + "': " + std::strerror(error));
}

/// What a symbolic link points to, else the path itself, from the root on and without a slash at the end.
fs::path without_link(const std::string& place) {
  std::error_code error;
  const fs::path whole = fs::absolute(place, error);
  if (error) fail(place, error.value());  // the working directory is gone
  fs::path target = fs::weakly_canonical(whole, error);
  if (error) target = whole.lexically_normal();
  return target.has_filename() ? target : target.parent_path();
}

std::string hidden(const fs::path& place) {
  return "." + place.filename().string() + infix;
}

mode_t creation_mask() {
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return mask;
}

/// Flushes renames in a folder. Some file systems cannot do that for folders: no harm.
void flush_names(const std::string& folder) {
  const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;
  ::fsync(fd);
  ::close(fd);
}

void remove_folder(const std::string& path, const Draft::Ours& ours) {
  std::error_code ignored;
  if (!ours) {
    fs::remove_all(path, ignored);
    return;
  }
  std::vector<std::string> names;
  for (fs::directory_iterator entry(path, ignored), end; !ignored && entry != end; entry.increment(ignored))
    names.push_back(entry->path().filename().string());
  for (const std::string& name : names)
    if (ours(name)) ::unlink((path + "/" + name).c_str());
  ::rmdir(path.c_str());  // stays when it holds other files
}

/// Locks a draft that another process may have left; -1 when it is in use or cannot be locked.
int lock_left(const std::string& path, bool folder) {
  const int fd = ::open(path.c_str(), (folder ? O_RDONLY | O_DIRECTORY : O_WRONLY) | O_CLOEXEC | O_NOFOLLOW);
  if (fd >= 0 && ::flock(fd, LOCK_EX | LOCK_NB) == 0) return fd;
  if (fd >= 0) ::close(fd);
  return -1;
}

/// `.NAME.new.XXXXXX`, perhaps moved aside.
struct DraftName {
  std::string place;  // NAME; empty: no draft
  bool is_aside = false;
};

DraftName parse(std::string name) {
  const std::size_t ending = sizeof aside - 1;
  const bool is_aside = name.size() > ending && name.compare(name.size() - ending, ending, aside) == 0;
  if (is_aside) name.resize(name.size() - ending);
  const std::size_t at = name.rfind(infix);
  const std::size_t letters = at + sizeof infix - 1;
  if (at == std::string::npos || at < 2 || name.front() != '.' || name.size() != letters + random_letters)
    return {};
  if (name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", letters) !=
      std::string::npos)
    return {};
  return {name.substr(1, at - 1), is_aside};
}

/// Removes a draft without a lock. A folder that was moved aside goes back when nothing has taken its
/// place.
void collect_one(const std::string& parent, const std::string& name, bool folder, const Draft::Ours& ours) {
  const std::string path = parent + "/" + name;
  const int fd = lock_left(path, folder);
  if (fd < 0) return;
  const DraftName draft = parse(name);
  const std::string place = parent + "/" + draft.place;
  struct stat now {};
  if (!folder)
    ::unlink(path.c_str());
  else if (draft.is_aside && ::lstat(place.c_str(), &now) != 0)
    ::rename(path.c_str(), place.c_str());
  else
    remove_folder(path, ours);
  ::close(fd);
}

/// Removes the drafts that dead processes have left in a folder, for one name in it or for any.
void collect(const std::string& parent, const std::string& place, bool folder, const Draft::Ours& ours) {
  std::vector<std::string> left;
  std::error_code ignored;
  for (fs::directory_iterator entry(parent, ignored), end; !ignored && entry != end;
       entry.increment(ignored)) {
    const std::string name = entry->path().filename().string();
    const DraftName draft = parse(name);
    if (!draft.place.empty() && (place.empty() || draft.place == place)) left.push_back(name);
  }
  if (left.empty()) return;
  const NamesLock lock(parent);
  for (const std::string& name : left) collect_one(parent, name, folder, ours);
}

/// A device or a pipe, also under one of its other names (/dev/stdout may be a file, but is not replaced).
bool is_written_in_place(const std::string& path) {
  std::error_code ignored;
  if (fs::exists(path, ignored) && !fs::is_regular_file(path, ignored)) return true;
  const std::string folder =
      fs::weakly_canonical(fs::absolute(path, ignored).parent_path(), ignored).string();
  return folder == "/dev" || folder.compare(0, 6, "/proc/") == 0;
}

}  // namespace

NamesLock::NamesLock(const std::string& folder)
    : fd_(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  const auto until = std::chrono::steady_clock::now() + longest_wait;
  while (fd_ >= 0 && ::flock(fd_, LOCK_EX | LOCK_NB) != 0) {
    if ((errno != EWOULDBLOCK && errno != EINTR) || std::chrono::steady_clock::now() > until) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

NamesLock::~NamesLock() {
  if (fd_ >= 0) ::close(fd_);
}

Draft Draft::file(const std::string& place) {
  return Draft(place, false, {});
}

Draft Draft::folder(const std::string& place, Ours ours) {
  return Draft(place, true, std::move(ours));
}

void Draft::collect_folders(const std::string& parent, const Ours& ours) {
  collect(parent, "", true, ours);
}

Draft Draft::scratch(const std::string& name) {
  std::error_code error;
  const fs::path temporary = fs::temp_directory_path(error);
  if (error) throw ConfigError("no folder for temporary files (TMPDIR): " + error.message());
  return Draft((temporary / name).string(), true, {});
}

Draft::Draft(Draft&& other) noexcept
    : folder_(other.folder_),
      ours_(std::move(other.ours_)),
      path_(std::exchange(other.path_, {})),
      fd_(std::exchange(other.fd_, -1)) {}

Draft::Draft(const std::string& place, bool folder, Ours ours) : folder_(folder), ours_(std::move(ours)) {
  const fs::path target = without_link(place);
  collect(target.parent_path().string(), target.filename().string(), folder, ours_);
  const std::string pattern = (target.parent_path() / (hidden(target) + "XXXXXX")).string();
  while (!take(pattern))
    if (errno != EAGAIN) fail(place, errno);
  // mkstemp gives 0600 and mkdtemp 0700: what is written is as readable as other files of the user
  if (::fchmod(fd_, (folder ? 0777 : 0666) & ~creation_mask()) != 0) {
    const int error = errno;
    ::close(fd_);
    folder ? ::rmdir(path_.c_str()) : ::unlink(path_.c_str());
    fail(place, error);
  }
}

/// False with EAGAIN when a collector took the name for one that was left, before it was locked.
bool Draft::take(const std::string& pattern) {
  path_ = pattern;
  if (folder_) {
    if (::mkdtemp(path_.data()) == nullptr) return false;
    fd_ = ::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  } else {
    fd_ = ::mkostemp(path_.data(), O_CLOEXEC);
    if (fd_ < 0) return false;
  }
  struct stat open, named;
  const bool locked = fd_ >= 0 && (::flock(fd_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK);
  if (locked && ::fstat(fd_, &open) == 0 && ::stat(path_.c_str(), &named) == 0 && open.st_ino == named.st_ino)
    return true;
  const int error = fd_ < 0 && errno != ENOENT ? errno : EAGAIN;
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
  errno = error;
  return false;
}

Draft::~Draft() {
  if (!path_.empty()) {
    if (folder_)
      remove_folder(path_, ours_);
    else
      ::unlink(path_.c_str());
  }
  if (fd_ >= 0) ::close(fd_);
}

void Draft::commit(const std::string& place) {
  const fs::path target = without_link(place);
  if (folder_) {
    replace_folder(target.string());
  } else {
    if (::rename(path_.c_str(), target.c_str()) != 0) fail(place, errno);
    path_.clear();
  }
  flush_names(target.parent_path().string());
}

void Draft::replace_folder(const std::string& place) {
  if (::renameat2(AT_FDCWD, path_.c_str(), AT_FDCWD, place.c_str(), RENAME_NOREPLACE) == 0)
    return path_.clear();
  if (errno == EEXIST && ::renameat2(AT_FDCWD, path_.c_str(), AT_FDCWD, place.c_str(), RENAME_EXCHANGE) == 0)
    return;  // the draft's name is now that of the old folder
  // A file system that can do neither: an old folder is moved aside first.
  const std::string old = path_ + aside;
  if (::rename(place.c_str(), old.c_str()) != 0 && errno != ENOENT) fail(place, errno);
  if (::rename(path_.c_str(), place.c_str()) != 0) {
    const int error = errno;
    ::rename(old.c_str(), place.c_str());
    fail(place, error);
  }
  struct stat found {};
  path_ = ::lstat(old.c_str(), &found) == 0 ? old : "";
}

bool write_to_disk(int descriptor, const std::string& text) {
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t n = ::write(descriptor, text.data() + done, text.size() - done);
    if (n < 0 && errno != EINTR) return false;
    if (n > 0) done += static_cast<std::size_t>(n);
  }
  return ::fsync(descriptor) == 0 || errno == EINVAL;  // pipes and devices are nowhere to flush to
}

void check_writable(const std::string& path) {
  if (!is_written_in_place(path))
    Draft::file(path);
  else if (::access(path.c_str(), W_OK) != 0)
    fail(path, errno);
}

void write_file(const std::string& path, const std::string& text) {
  if (is_written_in_place(path)) {
    const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0) fail(path, errno);
    const bool written = write_to_disk(fd, text);
    const int error = errno;
    if (::close(fd) != 0 || !written) fail(path, written ? errno : error);
    return;
  }
  Draft draft = Draft::file(path);
  if (!write_to_disk(draft.descriptor(), text)) fail(path, errno);
  draft.commit(path);
}

}  // namespace strata
