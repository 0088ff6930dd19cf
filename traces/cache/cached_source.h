#pragma once

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "traces/cache/content_hash.h"
#include "traces/cache/record_cache.h"
#include "traces/record/record_writer.h"

namespace strata::traces {

/// What a cached stream depends on: files by their content, and words.
class CacheKey {
 public:
  /// `kind` of stream; the version of the program that reads it and of the record format go in too.
  explicit CacheKey(const std::string& kind);
  void add(const std::string& name, const std::string& value);
  /// Throws InputError.
  void add_file(const std::string& path);
  std::string digits() const { return hash_.digits(); }
  /// No file has been touched since it was added.
  bool files_unchanged() const;

 private:
  using Stamp = std::array<std::int64_t, 7>;  // place, size and times of a file
  static Stamp stamp_of(const std::string& path);

  ContentHash hash_;
  std::vector<std::pair<std::string, Stamp>> files_;
};

/// A stream that comes from a record of the cache; or from its source, and goes into the cache when all of it
/// has been fetched.
class CachedSource final : public InstructionSource {
 public:
  using Open = std::function<std::unique_ptr<InstructionSource>()>;

  /// `open` is called when there is no record. `description`: what a record is said to be; empty: what it
  /// was made from.
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
  std::unique_ptr<RecordWriter> writer_;  // null: nothing is recorded, or no more
  std::uint64_t ctas_left_ = 0, most_bytes_ = 0;
};

}  // namespace strata::traces
