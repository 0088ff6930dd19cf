#pragma once

#include <cstdint>
#include <fstream>
#include <string>
#include <string_view>

#include "models/common/instruction_source.h"
#include "traces/accelsim/out/instruction_writer.h"
#include "traces/tools.h"

namespace strata::traces {

/// Begin of the windows of shared and local memory in generic addresses of written traces. No written access
/// is generic, so the windows are empty.
constexpr Address written_shared_base = 0x0f0000000000, written_local_base = 0x0f0001000000;

/// Writes a kernel file: `PATH`, or `PATH.xz`. Thread blocks come in ascending order. Throws ConfigError if
/// it cannot be written.
class KernelWriter {
 public:
  KernelWriter(std::string path, KernelInfo kernel);
  KernelWriter(const KernelWriter&) = delete;
  KernelWriter& operator=(const KernelWriter&) = delete;

  void add(const CtaTrace& cta);
  /// Completes the header, parts of which depend on all instructions.
  void finish();
  /// Like finish(), and replaces the plain file by a compressed one.
  void finish_compressed();

  std::uint64_t bytes() const { return bytes_; }  ///< of the finished file
  const InstructionWriter& instructions() const { return instructions_; }

 private:
  std::string header() const;
  void flush();
  void check(bool good) const;

  const std::string path_;
  const KernelInfo kernel_;
  std::ofstream file_;
  std::string text_;  // not yet written
  InstructionWriter instructions_;
  std::uint64_t bytes_ = 0;
};

struct ExportReport {
  std::uint64_t kernels = 0, ctas = 0, instructions = 0, bytes = 0;
  ExportLosses losses;
};

/// Writes a source as an Accel-Sim trace: `kernelslist.g` and `kernel-1.traceg`, `kernel-2.traceg` ... in the
/// existing folder `folder`. `compress`: kernel files are `.traceg.xz`. Throws ConfigError if something
/// cannot be written.
ExportReport export_accelsim(InstructionSource& source, const std::string& folder, bool compress,
                             const ProgressFn& progress = {});

/// True for names of files that export_accelsim() writes.
bool is_export_name(std::string_view name);

/// What the trace does not contain, one sentence each; empty if nothing is lost.
std::vector<std::string> to_sentences(const ExportLosses& losses);

}  // namespace strata::traces
