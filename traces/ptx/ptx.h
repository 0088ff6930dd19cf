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
  std::uint64_t warp_instructions = 0;      ///< as recorded: without moves and the like, which cost nothing
  std::uint64_t thread_instructions = 0;    ///< times the active lanes
  std::uint64_t executed_instructions = 0;  ///< all warp instructions of the PTX
  std::uint64_t executed_thread_instructions = 0;
  std::uint64_t waits = 0;           ///< loops of warps or lanes that polled
  std::uint64_t waiting_rounds = 0;  ///< iterations of these loops that are not recorded
  /// Instructions whose effect on time or traffic is not modelled, by reason; includes iterations that are
  /// not recorded.
  std::map<std::string_view, std::uint64_t> gaps;
};

/// Runs a workload and streams what it executes. One CTA is interpreted at a time, in launch order, when it
/// is fetched. A fetch out of order interprets all earlier CTAs and keeps them until they are fetched. A
/// second fetch of a CTA restarts the workload.
class PtxSource final : public InstructionSource {
 public:
  /// `make` builds the workload. A restart calls it again, and it must give the same workload each time.
  explicit PtxSource(std::function<PtxWorkload()> make, PtxOptions options = {});
  ~PtxSource() override;

  const std::vector<KernelInfo>& kernels() const override;
  const std::vector<MemcpyInfo>& copies() const override;
  std::shared_ptr<const CtaTrace> fetch(std::uint32_t kernel, std::uint64_t cta) override;
  std::string description() const override;
  std::vector<SourceGap> gaps() const override;

  /// Executes all that is left without recording it.
  void run_to_end();
  /// True when all CTAs have been executed: `memory()` holds the results.
  bool finished() const;
  const GlobalMemory& memory() const;
  PtxStats stats() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Executes one launch without recording it: for tests and for checking kernels.
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
