#include "traces/cache/record_cache.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

#include "models/common/faults.h"
#include "models/common/input_file.h"
#include "models/io/draft.h"

namespace strata::traces {
namespace {

namespace fs = std::filesystem;

constexpr const char ending[] = ".strata";
constexpr const char limit_file[] = "limit";  // holds the limit in bytes, when one was set
constexpr std::size_t key_digits = 32;

bool is_key(const std::string& text) {
  return text.size() == key_digits && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

/// The key in the name of a record of ours; empty for any other file.
std::string key_of(const std::string& name) {
  const std::string key = name.substr(0, key_digits);
  return is_key(key) && name == key + ending ? key : "";
}

std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code ignored;
  for (fs::directory_iterator at(folder, ignored), end; !ignored && at != end; at.increment(ignored))
    names.push_back(at->path().filename().string());
  return names;
}

}  // namespace

RecordCache::RecordCache(std::string folder, Say say) : folder_(std::move(folder)), say_(std::move(say)) {}

std::string RecordCache::default_folder() {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value == nullptr ? "" : value);
  };
  if (const std::string named = variable("STRATA_CACHE"); !named.empty()) return named == "off" ? "" : named;
  if (const std::string caches = variable("XDG_CACHE_HOME"); !caches.empty() && caches.front() == '/')
    return caches + "/strata";
  const std::string home = variable("HOME");
  return home.empty() ? "" : home + "/.cache/strata";
}

std::unique_ptr<RecordSource> RecordCache::find(const std::string& key) const {
  const std::string file = path(key);
  if (::access(file.c_str(), F_OK) != 0) return nullptr;
  try {
    auto source = std::make_unique<RecordSource>(file);
    source->check_content();
    ::utimensat(AT_FDCWD, file.c_str(), nullptr,
                0);  // used now; where that is refused, its turn comes sooner
    return source;
  } catch (const TraceError& error) {
    say_("the record cache holds a damaged record, which is made anew: " + std::string(error.what()));
    ::unlink(file.c_str());
    return nullptr;
  }
}

bool RecordCache::prepare() const {
  std::error_code error;
  fs::create_directories(folder_, error);
  if (!error && ::access(folder_.c_str(), W_OK) == 0) return true;
  say_("records are not kept: cannot write in '" + folder_ +
       "': " + (error ? error.message() : std::strerror(errno)) + " (--no-cache says nothing)");
  return false;
}

std::vector<RecordCache::Entry> RecordCache::entries(bool with_sources) const {
  std::vector<Entry> found;
  for (const std::string& name : names_in(folder_)) {
    Entry entry;
    entry.key = key_of(name);
    struct stat status {};
    if (entry.key.empty() || ::stat(path(entry.key).c_str(), &status) != 0) continue;
    entry.bytes = static_cast<std::uint64_t>(status.st_size);
    entry.used = status.st_mtime;
    try {
      if (with_sources) {
        const RecordSource record(path(entry.key));
        entry.source = record.made_from();
        entry.warp_instructions = record.warp_instructions();
      }
    } catch (const TraceError&) {  // shown without a source
    }
    found.push_back(std::move(entry));
  }
  std::sort(found.begin(), found.end(), [](const Entry& a, const Entry& b) {
    return a.used != b.used ? a.used < b.used : a.key < b.key;
  });
  return found;
}

/// A draft for a place takes those with it that are left there by processes that died.
void RecordCache::collect_drafts() const {
  for (const std::string& name : names_in(folder_))
    if (name.size() > key_digits && name.front() == '.' &&
        name.compare(key_digits + 1, sizeof ending - 1, ending) == 0 && is_key(name.substr(1, key_digits)))
      Draft::file(path(name.substr(1, key_digits)));
}

void RecordCache::trim() const {
  try {
    collect_drafts();
    std::uint64_t bytes = 0;
    const std::vector<Entry> all = entries(false);
    for (const Entry& entry : all) bytes += entry.bytes;
    const std::uint64_t most = limit();
    for (const Entry& entry : all) {
      if (bytes <= most) return;
      if (::unlink(path(entry.key).c_str()) == 0 || errno == ENOENT) bytes -= entry.bytes;
    }
  } catch (const ConfigError& error) {
    say_("the record cache is not cleaned: " + std::string(error.what()));
  }
}

std::uint64_t RecordCache::limit() const {
  try {
    const std::string text = read_input(folder_ + "/" + limit_file);
    return std::strtoull(text.c_str(), nullptr, 10);
  } catch (const InputError&) {
    return default_limit;
  }
}

void RecordCache::set_limit(std::uint64_t bytes) const {
  std::error_code error;
  fs::create_directories(folder_, error);
  if (error) throw ConfigError("cannot make '" + folder_ + "': " + error.message());
  write_file(folder_ + "/" + limit_file, std::to_string(bytes) + "\n");
  trim();
}

void RecordCache::clear() const {
  collect_drafts();
  for (const Entry& entry : entries(false))
    if (::unlink(path(entry.key).c_str()) != 0 && errno != ENOENT)
      throw ConfigError("cannot remove '" + path(entry.key) + "': " + std::strerror(errno));
}

}  // namespace strata::traces
