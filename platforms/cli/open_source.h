#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "models/common/instruction_source.h"
#include "platforms/cli/arguments.h"
#include "platforms/engine/plugins/plugin_file.h"
#include "traces/cache/record_cache.h"
#include "traces/ptx/ptx.h"
#include "traces/selection.h"

namespace strata::cli {

/// Options of verbs that may interpret kernels: what PTX lacks until it is machine code.
/// `memcheck`: what the verb does without that option; give both functions the same.
using Memcheck = traces::PtxOptions::Memcheck;
void add_ptx_options(Arguments& arguments, Memcheck memcheck = traces::PtxOptions().memcheck);
traces::PtxOptions ptx_options(const Arguments& arguments, Memcheck memcheck = traces::PtxOptions().memcheck);
/// Of verbs that run a program: they go on as a GPU would.
constexpr Memcheck memcheck_of_programs = Memcheck::report;

/// --kernels and --launches: which launches of a trace to run.
void add_selection_options(Arguments& arguments);
traces::LaunchSelection selection_of(const Arguments& arguments);

/// --cache and --no-cache: where streams read earlier are kept.
void add_cache_options(Arguments& arguments);
/// Null if there is none.
std::shared_ptr<const traces::RecordCache> record_cache(const Arguments& arguments);
/// --no-worker. The default depends on whether a second thread helps here.
void add_worker_option(Arguments& arguments);
bool has_worker(const Arguments& arguments);
/// For verbs that start runs as separate processes.
void pass_cache_on(const Arguments& arguments);

/// How instruction streams are obtained.
struct SourceOptions {
  traces::PtxOptions ptx;
  std::uint64_t seed = 1;                            ///< seed of the run
  std::shared_ptr<const traces::RecordCache> cache;  ///< null: none
  bool worker = false;                               ///< a thread reads ahead of the simulation
  platforms::PluginFiles plugins = {};               ///< plug-ins that add kinds of traces
  traces::LaunchSelection selection = {};
  bool notes = true;  ///< report on stderr which entries of a launch list are skipped
};

struct OpenedSource {
  std::unique_ptr<InstructionSource> source;
  std::vector<std::string> files;  ///< files that are read
  std::string origin;              ///< the kind of stream: "trace", "PTX", "record KEY of the cache"
};

/// Opens a trace: one that open_trace() reads, `workload:NAME[@SCALE]`, or `NAME:SPEC` of a plug-in. Notes of
/// the source go to stderr, one line each.
OpenedSource open_source(const std::string& trace, const SourceOptions& options = {});

}  // namespace strata::cli
