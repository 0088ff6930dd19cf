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
/// file or the whole new one, never a part. Without `finish` the draft is removed. Same input, same bytes:
/// the file holds no time and no host. Every function may throw TraceError for what is recorded, ConfigError
/// when the file cannot be written.
class RecordWriter {
 public:
  static constexpr int default_level = 1;  // zstd; higher ones gain little on columns

  RecordWriter(std::string path, const std::string& source_description, std::vector<KernelInfo> kernels,
               const std::vector<MemcpyInfo>& copies, int level = default_level);
  /// Kernels and copies become known while the file is written: `begin_kernel`, `add_copy`.
  RecordWriter(std::string path, const std::string& source_description, int level = default_level)
      : RecordWriter(std::move(path), source_description, {}, {}, level) {}
  ~RecordWriter();
  RecordWriter(const RecordWriter&) = delete;
  RecordWriter& operator=(const RecordWriter&) = delete;

  /// Another launch, behind those before; returns its number.
  std::uint32_t begin_kernel(KernelInfo info);
  void add_copy(const MemcpyInfo& copy) { late_copies_.push_back(copy); }
  /// What is not modelled of what was added: InstructionSource::gaps().
  void set_gaps(std::vector<SourceGap> gaps) { gaps_ = std::move(gaps); }
  /// The last launch ended early: it has the CTAs that were added, which are its first ones, and no others.
  /// False: there are none, and it is not recorded.
  bool cut_kernel();
  /// Add one CTA; any order, each once; ascending makes the smallest file. `cta.index` names it.
  void add(std::uint32_t kernel, const CtaTrace& cta);
  /// Add CTAs that somebody else has put into columns, with a dictionary that began with the `known` entries
  /// that ours has and has got `entries` since. A file takes CTAs in one of both ways.
  void add(std::uint32_t kernel, record::EncodedCtas& ctas, std::uint64_t known,
           const std::vector<record::StaticPart>& entries);
  /// All CTAs of all kernels have been added: write the index and put the file in its place.
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
  std::size_t early_kernels_ = 0;  ///< those that stand in the header
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
