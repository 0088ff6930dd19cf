#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "traces/cache/content_hash.h"
#include "traces/record/record_source.h"
#include "traces/record/record_writer.h"

namespace strata::traces {

/// Records of streams that were read or interpreted before, keyed by the content of their inputs: a folder of
/// record files KEY.strata. Several processes may use it at once. Problems are reported, not thrown: without
/// a cache everything takes longer and gives the same results.
class RecordCache {
 public:
  static constexpr std::uint64_t default_limit = std::uint64_t{4} << 30;

  struct Entry {
    std::string key, source;  ///< source of the record; empty: damaged
    std::uint64_t bytes = 0, warp_instructions = 0;
    std::int64_t used = 0;  ///< seconds since 1970
  };
  using Say = std::function<void(const std::string&)>;

  /// `say` receives one line for the user, from any thread.
  RecordCache(std::string folder, Say say);
  /// STRATA_CACHE, else strata in XDG_CACHE_HOME or ~/.cache; empty if STRATA_CACHE is `off` or there is no
  /// home folder.
  static std::string default_folder();

  const std::string& folder() const { return folder_; }
  std::string path(const std::string& key) const { return folder_ + "/" + key + ".strata"; }
  void say(const std::string& line) const { say_(line); }

  /// A complete and valid record, marked as used; null if there is none. A damaged one is reported and
  /// removed.
  std::unique_ptr<RecordSource> find(const std::string& key) const;
  /// True if a record can be written; reports why not.
  bool prepare() const;
  /// Removes the least recently used records beyond the limit, and drafts of writers that died.
  void trim() const;

  /// Least recently used first.
  std::vector<Entry> entries(bool with_sources) const;
  std::uint64_t limit() const;
  /// The limit of this folder from now on. Throws ConfigError.
  void set_limit(std::uint64_t bytes) const;
  /// Throws ConfigError.
  void clear() const;

 private:
  void collect_drafts() const;

  std::string folder_;
  Say say_;
};

/// The inputs of a cached stream: files by their content, and texts.
class CacheKey {
 public:
  /// `kind` of stream. The key also includes the versions of the program and of the record format.
  explicit CacheKey(const std::string& kind);
  void add(const std::string& name, const std::string& value);
  /// Throws InputError.
  void add_file(const std::string& path);
  std::string digits() const { return hash_.digits(); }
  /// True if no file has been changed since it was added.
  bool files_unchanged() const;

 private:
  using Stamp = std::array<std::int64_t, 7>;  // place, size and times of a file
  static Stamp stamp_of(const std::string& path);

  ContentHash hash_;
  std::vector<std::pair<std::string, Stamp>> files_;
};

/// A stream from a record of the cache; or from its source, recorded when all of it has been fetched.
class CachedSource final : public InstructionSource {
 public:
  using Open = std::function<std::unique_ptr<InstructionSource>()>;

  /// `open` is called if there is no record. `description`: the source named by a record; empty: the one in
  /// the record.
  CachedSource(std::shared_ptr<const RecordCache> cache, CacheKey key, const std::string& description,
               const Open& open);
  ~CachedSource() override;

  const std::vector<KernelInfo>& kernels() const override { return source_->kernels(); }
  const std::vector<MemcpyInfo>& copies() const override { return source_->copies(); }
  std::shared_ptr<const CtaTrace> fetch(std::uint32_t kernel, std::uint64_t cta) override;
  std::string description() const override { return description_; }
  std::uint64_t warp_instructions() const override { return source_->warp_instructions(); }
  std::vector<SourceGap> gaps() const override { return source_->gaps(); }

  bool from_record() const { return from_record_; }
  const std::string& key() const { return digits_; }

 private:
  void begin_record();
  void give_up(const std::string& why);
  void record(std::uint32_t kernel, const CtaTrace& cta);

  const std::shared_ptr<const RecordCache> cache_;
  const CacheKey key_;
  const std::string digits_;
  std::string description_;
  std::unique_ptr<InstructionSource> source_;
  bool from_record_ = false;
  std::unique_ptr<RecordWriter> writer_;  // null: not recording
  std::uint64_t ctas_left_ = 0, most_bytes_ = 0;
};

}  // namespace strata::traces
