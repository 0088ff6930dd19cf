#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "models/common/instruction_source.h"
#include "models/io/draft.h"
#include "traces/cache/content_hash.h"
#include "traces/record/block_codec.h"
#include "traces/record/dictionary.h"

namespace strata::traces {

/// Writes a record file. The bytes go to a draft beside `path`, which `finish` renames: readers see the old
/// file or the whole new one. Without `finish` the draft is removed. The same input gives the same bytes: the
/// file has no time and no host name. Functions throw TraceError for invalid input, ConfigError if the file
/// cannot be written.
class RecordWriter {
 public:
  static constexpr int default_level = 1;  // zstd; higher ones gain little on columns

  RecordWriter(std::string path, const std::string& source_description, std::vector<KernelInfo> kernels,
               const std::vector<MemcpyInfo>& copies, int level = default_level);
  /// Kernels and copies are added while the file is written: `begin_kernel`, `add_copy`.
  RecordWriter(std::string path, const std::string& source_description, int level = default_level)
      : RecordWriter(std::move(path), source_description, {}, {}, level) {}
  ~RecordWriter();
  RecordWriter(const RecordWriter&) = delete;
  RecordWriter& operator=(const RecordWriter&) = delete;

  /// Adds a launch; returns its number.
  std::uint32_t begin_kernel(KernelInfo info);
  void add_copy(const MemcpyInfo& copy) { late_copies_.push_back(copy); }
  /// Gaps of what was added: InstructionSource::gaps().
  void set_gaps(std::vector<SourceGap> gaps) { gaps_ = std::move(gaps); }
  /// The last launch ended early: it has only the CTAs that were added, its first ones. False if there are
  /// none; then it is not recorded.
  bool cut_kernel();
  /// Adds one CTA, in any order, each once; ascending order makes the smallest file. `cta.index` is its
  /// number.
  void add(std::uint32_t kernel, const CtaTrace& cta);
  /// Adds CTAs encoded elsewhere. Their dictionary began with the first `known` entries of this one and has
  /// got `entries` since. A file takes CTAs in only one of both ways.
  void add(std::uint32_t kernel, record::EncodedCtas& ctas, std::uint64_t known,
           const std::vector<record::StaticPart>& entries);
  /// Writes the index and renames the file, after all CTAs of all kernels have been added.
  void finish();
  std::uint64_t bytes_written() const { return offset_; }

 private:
  struct Kernel {
    KernelInfo info;
    std::vector<bool> added;  ///< by CTA
  };
  struct Block {
    std::vector<record::Part> parts;
    std::uint64_t bytes = 0;
  };

  void claim(std::uint32_t kernel, std::uint64_t first, std::uint64_t count);
  void close_block();
  void write(const std::string& bytes);
  std::string index_message() const;
  [[noreturn]] void fail(const std::string& what, int error);

  std::string path_;
  Draft draft_;
  std::FILE* file_ = nullptr;
  int level_;
  std::vector<Kernel> kernels_;
  std::size_t early_kernels_ = 0;  ///< those in the header
  std::vector<MemcpyInfo> late_copies_;
  std::vector<SourceGap> gaps_;
  record::Dictionary dictionary_;
  record::BlockEncoder encoder_{dictionary_};
  std::vector<Block> blocks_;
  ContentHash content_;
  std::uint64_t offset_ = 0;
  std::uint64_t warp_instructions_ = 0;
};

}  // namespace strata::traces
