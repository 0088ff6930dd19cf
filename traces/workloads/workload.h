#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "traces/cache/record_cache.h"
#include "traces/ptx/ptx.h"
#include "traces/ptx/ptx_options.h"
#include "traces/workloads/definition.h"
#include "traces/workloads/host_data.h"

namespace strata::traces {

/// Comparison of one output of a workload with the expected values.
struct OutputReport {
  std::string buffer;
  std::uint64_t elements = 0, wrong = 0, allowed = 0;
  std::uint64_t first_wrong = 0;  ///< its index
  double got = 0, wanted = 0;     ///< at that index
  double worst_error = 0;         ///< largest |got - want| of all elements
};

struct VerifyReport {
  std::vector<OutputReport> outputs;
  bool good() const;
  /// One line per output.
  std::string text() const;
};

/// A workload at one scale, ready to run: its PTX is loaded and every launch is checked against it.
///
///     auto workload = Workload::load("gemm@quick");
///     auto source = workload->open();           // an InstructionSource
///     source->run_to_end();                     // or hand it to a platform
///     bool good = workload->verify(source->memory()).good();
class Workload {
 public:
  /// `NAME[@SCALE[:KEY=VALUE,...]]`; NAME is one of workload_names() or the path of a YAML file. Throws
  /// ConfigError with every fault of the file, TraceError for faults of the PTX.
  static std::shared_ptr<const Workload> load(const std::string& spec);
  /// First step of load(): the file alone, at that scale.
  static WorkloadDefinition read(const std::string& spec);
  explicit Workload(WorkloadDefinition definition);

  const WorkloadDefinition& definition() const { return definition_; }
  /// `gemm@quick`.
  std::string name() const { return name(definition_); }
  static std::string name(const WorkloadDefinition& definition);
  /// The workload file and all files that it names: PTX, contents of buffers, expected outputs.
  std::vector<std::string> files() const { return files(definition_); }
  static std::vector<std::string> files(const WorkloadDefinition& definition);
  bool verifiable() const { return !definition_.outputs.empty(); }

  /// Memory with its initial contents, and the launches; equal for each call.
  PtxWorkload make() const;
  /// Options of a run: the file's `read_only` and `limits` unless `options` has others.
  static PtxOptions options_of(const WorkloadDefinition& definition, PtxOptions options);
  /// The workload as a source of instructions, which keeps the workload alive. Options as in options_of().
  static std::unique_ptr<PtxSource> open(std::shared_ptr<const Workload> workload, PtxOptions options = {});
  /// Compares the outputs in `memory` after all launches with the reference.
  VerifyReport verify(const GlobalMemory& memory) const;
  /// Writes PTX, initial contents, launches and expected outputs as plain files, for a program that runs them
  /// elsewhere. Throws ConfigError on failure.
  void dump(const std::string& folder) const;

 private:
  void check_launches();
  void check_symbols(Faults& faults) const;
  Address symbol_address(GlobalMemory& memory, const std::string& symbol) const;
  std::vector<Address> place(GlobalMemory& memory) const;
  std::function<void(GlobalMemory&)> host_actions(const std::vector<WorkloadAction>& actions,
                                                  const std::vector<Address>& addresses) const;
  void check_launch(const WorkloadLaunch& launch, Faults& faults) const;
  HostData initial_data() const;

  WorkloadDefinition definition_;
  std::vector<std::shared_ptr<const PtxProgram>> programs_;
  const Reference* reference_ = nullptr;
};

/// Names of the workloads that Strata comes with, sorted.
std::vector<std::string> workload_names();
/// The file of a workload, or `name` itself if it is the path of a file. Throws ConfigError with the nearest
/// name.
std::string find_workload(const std::string& name);

/// Adds the inputs of a workload's stream: its file, PTX and data, scale and values, and the options,
/// including limits, so that a run that would be refused gets no cached record. Throws InputError.
void add_to_key(const WorkloadDefinition& definition, const PtxOptions& options, CacheKey& key);

}  // namespace strata::traces
