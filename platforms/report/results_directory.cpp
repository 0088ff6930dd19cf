#include "platforms/report/results_directory.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <stdexcept>
#include <unistd.h>

#include "models/common/faults.h"

namespace strata::platforms {
namespace {

namespace fs = std::filesystem;

constexpr int most_beside = 1000;  // names to try beside a place that must stay

[[noreturn]] void fail(const std::string& path, const std::string& why) {
  throw ConfigError("cannot write results to " + path + ": " + why);
}

/// The place for results at `path`: "results/" names the folder results, and the target of a link is
/// replaced, not the link.
std::string place_of(const std::string& path) {
  std::error_code error;
  const fs::path whole = fs::absolute(path, error);
  if (error) fail(path, error.message());  // the working directory was deleted
  const fs::path place = fs::weakly_canonical(whole, error);
  if (error) fail(path, error.message());
  return (place.has_filename() ? place : place.parent_path()).string();
}

/// A shell in this directory would be left in a deleted folder.
bool holds_working_directory(const fs::path& directory) {
  std::error_code gone;
  const fs::path here = fs::current_path(gone);
  if (gone || !fs::exists(directory, gone)) return false;
  const fs::path whole = fs::canonical(directory, gone);
  return !gone && std::mismatch(whole.begin(), whole.end(), here.begin(), here.end()).first == whole.end();
}

/// Makes the parent folder, and checks whether the present contents may be replaced.
std::string prepared(const std::string& path) {
  const std::string place = place_of(path);
  if (holds_working_directory(place))
    fail(path,
         "results replace a whole directory, and this one is the working directory or contains it; choose "
         "another --out, such as " +
             (fs::path(path) / "results").lexically_normal().string());
  std::error_code error;
  if (fs::exists(place, error)) {
    if (!fs::is_directory(place, error)) fail(path, "it is a file; choose another --out");
    const std::string objection = ownership_of(place).objection;
    if (!objection.empty()) fail(path, objection);
  }
  fs::create_directories(fs::path(place).parent_path(), error);
  if (error) fail(path, error.message());
  return place;
}

}  // namespace

ResultsDirectory::ResultsDirectory(const std::string& path)
    : path_(path), place_(prepared(path)), draft_(Draft::folder(place_, is_results_name)) {}

void ResultsDirectory::write(const std::string& name, const std::string& text) {
  if (!is_results_name(name)) throw std::logic_error("'" + name + "' is not among the files of results");
  const std::string file = draft_.path() + "/" + name;
  const int fd = ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  const bool written = fd >= 0 && write_to_disk(fd, text);
  const int reason = errno;
  if (fd >= 0) ::close(fd);
  if (!written) throw ConfigError("cannot write " + path_ + "/" + name + ": " + std::strerror(reason));
  manifest_.add(name, text);
}

void ResultsDirectory::commit(bool finished) {
  manifest_.finished = finished;
  write(manifest_name, manifest_.json());
  ::fsync(draft_.descriptor());
  const NamesLock lock(fs::path(place_).parent_path().string());
  if (!may_replace(place_, finished)) return commit_beside(finished);
  draft_.commit(place_);
  if (draft_.committed() || may_replace(draft_.path(), finished)) return;
  draft_.commit(place_);  // another process has just put something there: it is moved back
  commit_beside(finished);
}

/// Sets the message for the user if the result is false.
bool ResultsDirectory::may_replace(const std::string& place, bool finished) {
  std::error_code error;
  if (!fs::exists(fs::symlink_status(place, error))) return true;
  if (!fs::is_directory(fs::symlink_status(place, error))) {
    detour_ = path_ + " is no directory any more";
    return false;
  }
  const Ownership old = ownership_of(place);
  if (!old.objection.empty()) {
    detour_ = path_ + " has changed since the run began: " + old.objection.substr(0, old.objection.find(';'));
    return false;
  }
  if (finished || !old.finished) return true;
  detour_ = path_ + " holds the results of a run that ended normally, which these do not replace";
  return false;
}

void ResultsDirectory::commit_beside(bool finished) {
  const std::string ending = finished ? ".new" : ".partial";
  const std::string why = detour_;
  for (int i = 1; i <= most_beside; ++i) {
    const std::string more = ending + (i == 1 ? "" : "-" + std::to_string(i));
    if (!may_replace(place_ + more, finished)) continue;
    draft_.commit(place_ + more);
    detour_ = why;
    path_ = (fs::path(path_).has_filename() ? path_ : fs::path(path_).parent_path().string()) + more;
    return;
  }
  fail(path_, why);
}

}  // namespace strata::platforms
