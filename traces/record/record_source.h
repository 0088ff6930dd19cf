#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "models/common/instruction_source.h"
#include "traces/record/block_codec.h"
#include "traces/record/dictionary.h"

namespace strata::traces {

/// Reads a record file block by block. CTAs fetched in ascending order, from up to `max_open` kernels or
/// ranges, are decoded once each; skipped ones are kept until they are fetched or their block is closed.
/// Memory: the index and at most `max_open` blocks. Throws TraceError that names the frame, in the
/// constructor (header, index) and in `fetch` (CTAs).
class RecordSource final : public InstructionSource {
 public:
  explicit RecordSource(const std::string& path);
  ~RecordSource() override;
  RecordSource(const RecordSource&) = delete;
  RecordSource& operator=(const RecordSource&) = delete;

  const std::vector<KernelInfo>& kernels() const override { return kernels_; }
  const std::vector<MemcpyInfo>& copies() const override { return copies_; }
  std::shared_ptr<const CtaTrace> fetch(std::uint32_t kernel, std::uint64_t cta) override;
  /// Source and maker of the recording.
  std::string description() const override { return description_; }
  std::uint64_t warp_instructions() const override { return warp_instructions_; }
  /// Gaps of the kernels of which a CTA was fetched.
  std::vector<SourceGap> gaps() const override;
  const std::string& path() const { return path_; }
  /// Source of the recording.
  const std::string& made_from() const { return made_from_; }
  /// Reads all bytes and compares them with the writer's hash. Throws TraceError.
  void check_content() const;

  /// Blocks held open: one for each range of CTAs that is being launched.
  static constexpr std::size_t max_open = 32;

  /// True if the file begins like a record file.
  static bool is_record(const std::string& path);

 private:
  class File;
  struct Block {
    std::uint64_t offset = 0, bytes = 0;
    std::vector<record::Part> parts;
  };
  struct Place {  ///< consecutive CTAs of a kernel in a block
    std::uint64_t first = 0, count = 0;
    std::uint32_t block = 0;
    std::uint64_t position = 0;  ///< of `first`, in the block
  };
  struct OpenBlock {
    std::uint32_t block = 0;
    std::uint64_t used = 0;  ///< time of the last use
    std::unique_ptr<record::BlockDecoder> decoder;
    std::map<std::uint64_t, std::shared_ptr<const CtaTrace>> kept;  ///< by position
  };

  template <class Kernels, class Copies>
  void take_launches(const Kernels& kernels, const Copies& copies);
  template <class Codes, class CodeOfKernel>
  void take_lines(const Codes& codes, const CodeOfKernel& code_of_kernel);
  std::uint64_t read_header();
  void read_index(std::uint64_t first_frame);
  void place_blocks();
  const Place& place_of(std::uint32_t kernel, std::uint64_t cta) const;
  OpenBlock& open(std::uint32_t block, std::uint64_t position);
  std::shared_ptr<const CtaTrace> read_next(OpenBlock& open);
  [[noreturn]] void fail(const std::string& what) const;

  std::string path_;
  std::unique_ptr<File> file_;
  std::vector<KernelInfo> kernels_;
  std::vector<MemcpyInfo> copies_;
  record::Dictionary dictionary_;
  std::vector<Block> blocks_;
  std::vector<std::vector<Place>> places_;  ///< by kernel, ascending
  std::vector<OpenBlock> open_;
  std::uint64_t uses_ = 0;
  std::string description_, made_from_;
  std::uint64_t warp_instructions_ = 0;
  std::vector<SourceGap> gaps_;
  std::vector<bool> begun_;                   ///< by kernel
  std::uint64_t index_at_ = 0, content_ = 0;  ///< begin of the index, and hash of everything before it
};

}  // namespace strata::traces
