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
#include "traces/record/record_format.h"

namespace strata::traces {

/// The hash of the sources of everything that turns traces and PTX into instructions, made by the build.
extern const char* const stream_version;

namespace {

namespace fs = std::filesystem;

constexpr const char ending[] = ".strata";
constexpr const char limit_file[] = "limit";  // the limit in bytes, if one was set
constexpr std::size_t key_digits = 32;

bool is_key(const std::string& text) {
  return text.size() == key_digits && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

/// The key in the name of a record; empty for any other file.
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
                0);  // marks it as used; if that is refused, it is removed earlier
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
    } catch (const TraceError&) {  // listed without a source
    }
    found.push_back(std::move(entry));
  }
  std::sort(found.begin(), found.end(), [](const Entry& a, const Entry& b) {
    return a.used != b.used ? a.used < b.used : a.key < b.key;
  });
  return found;
}

/// Making a draft removes drafts of the same file whose processes have died.
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

namespace {

constexpr std::uint64_t most_ctas = std::uint64_t{1} << 26;  // the writer keeps a flag for each

}  // namespace

CacheKey::CacheKey(const std::string& kind) {
  add("record", std::to_string(record::version));
  add("program", stream_version);
  add("kind", kind);
}

void CacheKey::add(const std::string& name, const std::string& value) {
  hash_.add_part(name);
  hash_.add_part(value);
}

CacheKey::Stamp CacheKey::stamp_of(const std::string& path) {
  struct stat s {};
  if (::stat(path.c_str(), &s) != 0) return {};
  return {static_cast<std::int64_t>(s.st_dev),
          static_cast<std::int64_t>(s.st_ino),
          s.st_size,
          s.st_mtim.tv_sec,
          s.st_mtim.tv_nsec,
          s.st_ctim.tv_sec,
          s.st_ctim.tv_nsec};
}

void CacheKey::add_file(const std::string& path) {
  files_.emplace_back(path, stamp_of(path));
  hash_.add_file(path);
}

bool CacheKey::files_unchanged() const {
  for (const auto& file : files_)
    if (stamp_of(file.first) != file.second) return false;
  return true;
}

CachedSource::CachedSource(std::shared_ptr<const RecordCache> cache, CacheKey key,
                           const std::string& description, const Open& open)
    : cache_(std::move(cache)), key_(std::move(key)), digits_(key_.digits()) {
  if (std::unique_ptr<RecordSource> found = cache_->find(digits_)) {
    description_ = description.empty() ? found->made_from() : description;
    source_ = std::move(found);
    from_record_ = true;
    return;
  }
  source_ = open();
  description_ = source_->description();
  begin_record();
}

CachedSource::~CachedSource() = default;

void CachedSource::begin_record() {
  for (const KernelInfo& kernel : source_->kernels()) {
    if (kernel.ctas() > most_ctas - ctas_left_) return;
    ctas_left_ += kernel.ctas();
  }
  if (!cache_->prepare()) return;
  most_bytes_ = cache_->limit();
  try {
    writer_ = std::make_unique<RecordWriter>(cache_->path(digits_), description_, source_->kernels(),
                                             source_->copies());
  } catch (const ConfigError& error) {
    give_up(error.what());
  }
}

void CachedSource::give_up(const std::string& why) {
  writer_.reset();
  cache_->say("the record is not kept: " + why);
}

std::shared_ptr<const CtaTrace> CachedSource::fetch(std::uint32_t kernel, std::uint64_t cta) {
  std::shared_ptr<const CtaTrace> trace = source_->fetch(kernel, cta);
  if (writer_ != nullptr) record(kernel, *trace);
  return trace;
}

// A kernel that restarts before all CTAs were fetched cannot be recorded.
void CachedSource::record(std::uint32_t kernel, const CtaTrace& cta) {
  try {
    writer_->add(kernel, cta);
    if (writer_->bytes_written() > most_bytes_)
      return give_up("it takes more than the limit of the cache, " + std::to_string(most_bytes_) + " bytes");
    if (--ctas_left_ != 0) return;
    if (key_.files_unchanged()) {
      writer_->set_gaps(source_->gaps());
      writer_->finish();
      cache_->trim();
    }
    writer_.reset();
  } catch (const ConfigError& error) {
    give_up(error.what());
  } catch (const TraceError& error) {
    give_up(error.what());
  }
}

}  // namespace strata::traces
