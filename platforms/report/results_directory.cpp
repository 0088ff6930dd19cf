#include "platforms/report/results_directory.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <iterator>
#include <linux/fs.h>
#include <stdexcept>
#include <string_view>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "models/common/faults.h"

namespace strata::platforms {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const std::string& what, int error) {
  throw ConfigError(what + ": " + std::strerror(error));
}

/// Every file that results may hold: a directory with anything else in it is not ours to replace.
constexpr std::string_view file_names[] = {"config.yaml",     "epochs.csv", "ledger.csv", "kernels.csv",
                                           "llc_choices.csv", "slices.csv", "stats.json", "wait_graph.txt"};

bool is_result(std::string_view name) {
  return std::find(std::begin(file_names), std::end(file_names), name) != std::end(file_names);
}

/// The first entry of a directory that is no file of results; empty when there is none.
std::string foreign_entry(const fs::path& directory, std::error_code& error) {
  std::string found;
  for (fs::directory_iterator entry(directory, error), end; !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (!is_result(name) && (found.empty() || name < found)) found = name;
  }
  return found;
}

/// Open file that closes itself.
class Descriptor {
 public:
  Descriptor(const std::string& path, int flags) : fd_(::open(path.c_str(), flags | O_CLOEXEC, 0666)) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }
  /// False, with errno, when the file system could not keep what was written.
  bool close() {
    const int fd = fd_;
    fd_ = -1;
    return ::close(fd) == 0;
  }

 private:
  int fd_;
};

void write_durably(const std::string& path, const std::string& text, const std::string& shown) {
  Descriptor file(path, O_WRONLY | O_CREAT | O_TRUNC);
  if (file.get() < 0) fail("cannot write " + shown, errno);
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t n = ::write(file.get(), text.data() + done, text.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) fail("cannot write " + shown, errno);
    done += static_cast<std::size_t>(n);
  }
  if (::fsync(file.get()) != 0 || !file.close()) fail("cannot write " + shown, errno);
}

/// Makes renames in `folder` last. Some file systems cannot do that for directories: no harm.
void flush_folder(const std::string& folder) {
  Descriptor directory(folder, O_RDONLY | O_DIRECTORY);
  if (directory.get() >= 0 && ::fsync(directory.get()) != 0) errno = 0;
}

/// Exchanges two directories in one step where the file system can.
bool exchange_paths(const std::string& a, const std::string& b) {
  return ::syscall(SYS_renameat2, AT_FDCWD, a.c_str(), AT_FDCWD, b.c_str(), RENAME_EXCHANGE) == 0;
}

}  // namespace

ResultsDirectory::ResultsDirectory(const std::string& path) {
  std::error_code error;
  fs::path clean = fs::absolute(path, error).lexically_normal();
  if (error) fail("cannot write results to " + path, error.value());  // the working directory is gone
  if (!clean.has_filename()) clean = clean.parent_path();             // "results/" names results
  if (fs::is_symlink(clean, error)) {  // what it points to is replaced, not the link
    clean = fs::canonical(clean, error);
    if (error) fail("cannot write results to " + path, error.value());
  }
  path_ = path;
  parent_ = clean.parent_path().string();
  if (fs::exists(clean, error)) {
    if (!fs::is_directory(clean, error))
      throw ConfigError("cannot write results to " + path + ": it is a file; choose another --out");
    const std::string other = foreign_entry(clean, error);
    if (error) fail("cannot write results to " + path, error.value());
    if (!other.empty())
      throw ConfigError("cannot write results to " + path + ": the directory holds '" + other +
                        "', which is no file of results; choose another --out");
  }
  fs::create_directories(parent_, error);
  if (error) fail("cannot write results to " + path, error.value());
  path_ = clean.string();
  std::string draft = (fs::path(parent_) / ("." + clean.filename().string() + ".new.XXXXXX")).string();
  if (::mkdtemp(draft.data()) == nullptr) fail("cannot write results to " + path, errno);
  draft_ = draft;
  const mode_t mask = ::umask(0);  // mkdtemp gives 0700: results are as readable as other files of the user
  ::umask(mask);
  if (::chmod(draft_.c_str(), 0777 & ~mask) != 0) fail("cannot write results to " + path, errno);
}

ResultsDirectory::~ResultsDirectory() {
  if (draft_.empty()) return;
  std::error_code ignored;
  fs::remove_all(draft_, ignored);
}

void ResultsDirectory::write(const std::string& name, const std::string& text) {
  if (!is_result(name)) throw std::logic_error("'" + name + "' is not among the files of results");
  write_durably((fs::path(draft_) / name).string(), text, (fs::path(path_) / name).string());
}

void ResultsDirectory::commit() {
  flush_folder(draft_);
  std::error_code error;
  if (fs::exists(path_, error) && exchange_paths(draft_, path_)) {
    flush_folder(parent_);
    fs::remove_all(draft_, error);  // the old results
    draft_.clear();
    return;
  }
  // No old results, or a file system without exchange: then the old ones are moved aside first.
  const std::string old = draft_ + ".old";
  const bool replaces = fs::exists(path_, error);
  if (replaces && ::rename(path_.c_str(), old.c_str()) != 0) fail("cannot replace results " + path_, errno);
  if (::rename(draft_.c_str(), path_.c_str()) != 0) {
    const int reason = errno;
    if (replaces) fs::rename(old, path_, error);
    fail("cannot write results to " + path_, reason);
  }
  draft_.clear();
  flush_folder(parent_);
  if (replaces) fs::remove_all(old, error);
}

void write_file(const std::string& path, const std::string& text) {
  std::error_code ignored;
  if (fs::exists(path, ignored) && !fs::is_regular_file(path, ignored)) {  // a device or a pipe
    write_durably(path, text, path);
    return;
  }
  std::string draft = path + ".new.XXXXXX";
  const int fd = ::mkstemp(draft.data());
  if (fd < 0) fail("cannot write " + path, errno);
  ::close(fd);
  try {
    write_durably(draft, text, path);
    const mode_t mask = ::umask(0);
    ::umask(mask);
    if (::chmod(draft.c_str(), 0666 & ~mask) != 0 || ::rename(draft.c_str(), path.c_str()) != 0)
      fail("cannot write " + path, errno);
  } catch (const ConfigError&) {
    ::unlink(draft.c_str());
    throw;
  }
}

}  // namespace strata::platforms
