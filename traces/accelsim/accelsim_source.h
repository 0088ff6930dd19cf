#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/common/instruction_source.h"
#include "traces/accelsim/kernel_file.h"
#include "traces/accelsim/launch_order.h"

namespace strata::traces {

struct AccelsimOptions {
  bool strict = false;  ///< also refuse global accesses whose active lanes all have address 0
};

/// True for names of kernel files: `.traceg`, also compressed, or `.tracez`.
bool is_kernel_file(std::string_view path);

/// Accel-Sim traces: a `kernelslist.g`, or one kernel file as the only kernel. Fetches of a kernel in
/// ascending order stream through its file. A fetch further on keeps the skipped CTAs, packed, until they are
/// fetched; a second fetch of a CTA restarts the file.
class AccelsimSource final : public InstructionSource {
 public:
  explicit AccelsimSource(const std::string& path, AccelsimOptions options = {});
  ~AccelsimSource() override;

  const std::vector<KernelInfo>& kernels() const override { return kernels_; }
  const std::vector<MemcpyInfo>& copies() const override { return order_.copies(); }
  std::shared_ptr<const CtaTrace> fetch(std::uint32_t kernel, std::uint64_t cta) override;
  std::string description() const override { return description_; }
  /// The list and the files of its kernels.
  std::vector<std::string> files() const;
  std::vector<SourceGap> gaps() const override;
  /// Notes for the user: skipped lines of the list, and replayed loops of fetched CTAs.
  std::vector<std::string> notes() const;

 private:
  struct Cursor;  // a kernel file that is being read

  void read_list(const std::string& path);
  [[noreturn]] static void refuse(const LineReader& lines, std::string_view line);
  void add_kernel(const std::string& path);
  Cursor& cursor(std::uint32_t kernel, std::uint64_t cta);

  AccelsimOptions options_;
  std::vector<KernelInfo> kernels_;
  std::vector<std::shared_ptr<CodeLines>> lines_;  ///< by kernel
  LaunchOrder order_;
  const std::string path_;
  std::vector<std::string> files_;  // of the kernels
  std::string description_;
  std::map<std::uint32_t, std::unique_ptr<Cursor>> cursors_;
  std::uint64_t replay_loops_ = 0;
  std::map<std::pair<std::uint32_t, std::string_view>, std::uint64_t> gaps_;  ///< by kernel and reason
  std::uint64_t clock_ = 0;                                                   ///< orders cursors by last use
};

}  // namespace strata::traces
