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
#include "traces/workloads/references.h"

namespace strata::traces {

/// How one output of a workload compares with what was expected.
struct OutputReport {
  std::string buffer;
  std::uint64_t elements = 0, wrong = 0, allowed = 0;
  std::uint64_t first_wrong = 0;  ///< its index, when there is one
  double got = 0, wanted = 0;     ///< there
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
  /// What load() begins with: the file alone, at that scale.
  static WorkloadDefinition read(const std::string& spec);
  explicit Workload(WorkloadDefinition definition);

  const WorkloadDefinition& definition() const { return definition_; }
  /// `gemm@quick`.
  std::string name() const { return name(definition_); }
  static std::string name(const WorkloadDefinition& definition);
  /// The workload file and all that it names: PTX, contents of buffers, expected outputs.
  std::vector<std::string> files() const { return files(definition_); }
  static std::vector<std::string> files(const WorkloadDefinition& definition);
  bool verifiable() const { return !definition_.outputs.empty(); }

  /// Memory with its initial contents, and the launches: the same each time.
  PtxWorkload make() const;
  /// What holds of a run: the file's `read_only` and `limits` unless the options name others.
  static PtxOptions options_of(const WorkloadDefinition& definition, PtxOptions options);
  /// The workload as a source of instructions; it keeps the workload alive. The file's `read_only` and
  /// `limits` hold unless the options name others.
  static std::unique_ptr<PtxSource> open(std::shared_ptr<const Workload> workload, PtxOptions options = {});
  /// Compare the outputs in `memory` after all launches with the reference.
  VerifyReport verify(const GlobalMemory& memory) const;
  /// Write PTX, initial contents, launches and expected outputs as plain files, for a program that runs them
  /// elsewhere. Throws ConfigError when that fails.
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
/// Their file, or the text itself when it is the path of a file. Throws ConfigError with the nearest name.
std::string find_workload(const std::string& name);

/// What the instructions of a workload depend on: its file, PTX and data, scale and values, and the options,
/// limits among them: what one run refuses, none gets from the cache. Throws InputError.
void add_to_key(const WorkloadDefinition& definition, const PtxOptions& options, CacheKey& key);

}  // namespace strata::traces
