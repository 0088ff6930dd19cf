#pragma once

#include <cstdint>
#include <fstream>
#include <string>
#include <string_view>

#include "models/common/instruction_source.h"
#include "traces/accelsim/out/instruction_writer.h"
#include "traces/tools.h"

namespace strata::traces {

/// Where the generic addresses of shared and of local memory begin in traces that are written. No access of
/// theirs is generic, so that nothing lies in these windows.
constexpr Address written_shared_base = 0x0f0000000000, written_local_base = 0x0f0001000000;

/// Writes a kernel file: `PATH`, or `PATH.xz`. Thread blocks come in ascending order. Throws ConfigError when
/// it cannot be written.
class KernelWriter {
 public:
  KernelWriter(std::string path, KernelInfo kernel);
  KernelWriter(const KernelWriter&) = delete;
  KernelWriter& operator=(const KernelWriter&) = delete;

  void add(const CtaTrace& cta);
  /// Completes the header: what it says of the instructions is known at the end.
  void finish();
  /// The same, and puts the compressed file in the place of the plain one.
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

/// Writes a source as a trace that Accel-Sim reads: `kernelslist.g` and `kernel-1.traceg`, `kernel-2.traceg`
/// ... into `folder`, which is there. `compress`: each of these as `.traceg.xz`. Throws ConfigError when
/// something cannot be written.
ExportReport export_accelsim(InstructionSource& source, const std::string& folder, bool compress,
                             const ProgressFn& progress = {});

/// A file that export_accelsim() may have written.
bool is_export_name(std::string_view name);

/// What the trace does not say, a sentence each; empty: nothing.
std::vector<std::string> to_sentences(const ExportLosses& losses);

}  // namespace strata::traces
