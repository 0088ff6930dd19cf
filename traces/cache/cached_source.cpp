#include "traces/cache/cached_source.h"

#include <sys/stat.h>

#include "models/common/faults.h"
#include "traces/cache/stream_version.h"
#include "traces/record/record_format.h"

namespace strata::traces {
namespace {

constexpr std::uint64_t most_ctas = std::uint64_t{1} << 26;  // the writer notes each of them

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

// A kernel that begins again before all were fetched is nothing that a record can hold.
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
