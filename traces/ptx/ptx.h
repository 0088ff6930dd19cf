#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "models/common/instruction_source.h"
#include "traces/ptx/global_memory.h"
#include "traces/ptx/ptx_options.h"
#include "traces/ptx/ptx_program.h"

namespace strata::traces {

struct PtxStats {
  std::uint64_t warp_instructions = 0;  ///< as recorded: moves and the like that cost nothing are not counted
  std::uint64_t thread_instructions = 0;    ///< the same, each times its active lanes
  std::uint64_t executed_instructions = 0;  ///< warp instructions of the PTX, all of them
  std::uint64_t executed_thread_instructions = 0;
  std::uint64_t waits = 0;           ///< loops of warps or lanes that waited for what others do
  std::uint64_t waiting_rounds = 0;  ///< of these loops: left out of the record
  /// Instructions whose effect on time or traffic is not modelled, by reason; also those of rounds that are
  /// left out.
  std::map<std::string_view, std::uint64_t> gaps;
};

/// Runs a workload and streams what it executes. One CTA is interpreted at a time, in launch order, when it
/// is asked for; one that is asked for ahead of its turn makes all before it run and kept until they are
/// wanted. Asking for one that was handed out already starts the workload anew.
class PtxSource final : public InstructionSource {
 public:
  /// `make` builds the workload; it must give the same each time (it is called again on a restart).
  explicit PtxSource(std::function<PtxWorkload()> make, PtxOptions options = {});
  ~PtxSource() override;

  const std::vector<KernelInfo>& kernels() const override;
  const std::vector<MemcpyInfo>& copies() const override;
  std::shared_ptr<const CtaTrace> fetch(std::uint32_t kernel, std::uint64_t cta) override;
  std::string description() const override;
  std::vector<SourceGap> gaps() const override;

  /// Execute all that is left without recording it.
  void run_to_end();
  /// All CTAs have been executed: `memory()` holds the results.
  bool finished() const;
  const GlobalMemory& memory() const;
  PtxStats stats() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Execute one launch at once, without recording: for tests and for checking kernels.
PtxStats execute(const PtxLaunch& launch, GlobalMemory& memory, const PtxOptions& options = {});

}  // namespace strata::traces

/// CUDA kernels without a GPU: PTX is parsed, interpreted warp by warp and streamed as instructions.
///
///     auto program = PtxProgram::load("saxpy.ptx");
///     PtxSource source([&] {
///       PtxWorkload w;
///       Address x = w.memory.upload(std::vector<float>(n, 1.0f), "x");
///       Address y = w.memory.upload(std::vector<float>(n, 2.0f), "y");
///       w.launches.push_back({program, "saxpy", {n / 256}, {256}, 0, {x, y, 3.0f, n}});
///       return w;
///     });
///     source.run_to_end();                                    // or hand `source` to a platform or a writer
///     auto result = source.memory().load<float>(y, n);        // compare with the reference
///
/// Faults are TraceError: of the file at load time (`file:line: kernel k: ...`), of a launch before it
/// starts, of an instruction with kernel, thread block, thread, PC and source line.
