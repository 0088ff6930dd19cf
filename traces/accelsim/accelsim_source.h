#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "models/common/instruction_source.h"
#include "traces/accelsim/kernel_file.h"

namespace strata::traces {

struct AccelsimOptions {
  bool strict = false;  ///< also refuse global accesses whose active lanes all have address 0
};

/// Accel-Sim traces: a `kernelslist.g`, or one `.traceg` or `.traceg.xz` file as the only kernel.
/// Ascending fetches of a kernel stream through its file. A CTA further on makes the reader pass over those
/// between and keep them, packed, until they are asked for; a CTA that was handed out before makes it start
/// again.
class AccelsimSource final : public InstructionSource {
 public:
  explicit AccelsimSource(const std::string& path, AccelsimOptions options = {});
  ~AccelsimSource() override;

  const std::vector<KernelInfo>& kernels() const override { return kernels_; }
  const std::vector<MemcpyInfo>& copies() const override { return copies_; }
  std::shared_ptr<const CtaTrace> fetch(std::uint32_t kernel, std::uint64_t cta) override;
  std::string description() const override { return description_; }
  /// The list and the files of its kernels.
  std::vector<std::string> files() const;

 private:
  struct Cursor;  // a kernel file that is being read

  void read_list(const std::string& path);
  [[noreturn]] static void refuse(const LineReader& lines, std::string_view line);
  void read_copy(const LineReader& lines, std::string_view line);
  void add_kernel(const std::string& path);
  Cursor& cursor(std::uint32_t kernel, std::uint64_t cta);

  AccelsimOptions options_;
  std::vector<KernelInfo> kernels_;
  std::vector<MemcpyInfo> copies_;
  const std::string path_;
  std::vector<std::string> files_;  ///< of the kernels
  std::string description_;
  std::map<std::uint32_t, std::unique_ptr<Cursor>> cursors_;
  std::uint64_t clock_ = 0;  ///< orders cursors by last use
};

}  // namespace strata::traces
