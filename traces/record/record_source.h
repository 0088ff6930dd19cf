#pragma once

#include <memory>
#include <string>
#include <vector>

#include "traces/record/dictionary.h"
#include "traces/source.h"

namespace strata::traces {

/// Reads a record file: any CTA at the cost of its own frame. Holds the index and dictionaries, never CTAs.
/// Throws TraceError that names the frame, in the constructor (header, index) and in `fetch` (CTAs).
class RecordSource final : public InstructionSource {
 public:
  explicit RecordSource(const std::string& path);
  ~RecordSource() override;
  RecordSource(const RecordSource&) = delete;
  RecordSource& operator=(const RecordSource&) = delete;

  const std::vector<KernelInfo>& kernels() const override { return kernels_; }
  const std::vector<MemcpyInfo>& copies() const override { return copies_; }
  std::shared_ptr<const CtaTrace> fetch(std::uint32_t kernel, std::uint64_t cta) override;
  /// What the recording was made from and by what.
  std::string description() const override { return description_; }
  std::uint64_t warp_instructions() const override { return warp_instructions_; }

  /// True when the file begins like a record file.
  static bool is_record(const std::string& path);

 private:
  class File;
  struct Frame {
    std::uint64_t offset;
    std::uint32_t size;
  };
  struct Directory {
    record::Dictionary dictionary;
    std::vector<Frame> frames;
  };

  std::uint64_t read_header();
  void read_index(std::uint64_t first_frame);
  [[noreturn]] void fail(const std::string& what) const;

  std::string path_;
  std::unique_ptr<File> file_;
  std::vector<KernelInfo> kernels_;
  std::vector<MemcpyInfo> copies_;
  std::vector<Directory> directories_;
  std::string description_;
  std::uint64_t warp_instructions_ = 0;
};

}  // namespace strata::traces
