#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "models/common/instruction_source.h"
#include "platforms/cli/arguments.h"
#include "platforms/plugins/plugin_file.h"
#include "traces/cache/record_cache.h"
#include "traces/ptx/ptx.h"
#include "traces/selection.h"

namespace strata::cli {

/// Options of verbs that may interpret kernels: what PTX lacks until it is machine code.
/// `memcheck`: what the verb does without the option.
void add_ptx_options(Arguments& arguments, const std::string& memcheck = "strict");
traces::PtxOptions ptx_options(const Arguments& arguments);

/// --kernels and --launches: which launches of a trace are wanted.
void add_selection_options(Arguments& arguments);
traces::LaunchSelection selection_of(const Arguments& arguments);

/// --cache and --no-cache: where streams that were read before are kept.
void add_cache_options(Arguments& arguments);
/// Null when there is none.
std::shared_ptr<const traces::RecordCache> record_cache(const Arguments& arguments);
/// --no-worker, and whether a second thread is of use here.
void add_worker_option(Arguments& arguments);
bool has_worker(const Arguments& arguments);
/// For verbs whose runs are processes of their own.
void pass_cache_on(const Arguments& arguments);

/// How instructions are come by.
struct SourceOptions {
  traces::PtxOptions ptx;
  std::uint64_t seed = 1;                            ///< that of the run
  std::shared_ptr<const traces::RecordCache> cache;  ///< null: none
  bool worker = false;                               ///< a thread reads ahead of the simulation
  platforms::PluginFiles plugins = {};               ///< whose kinds of traces are known
  traces::LaunchSelection selection = {};
  bool notes = true;  ///< on stderr, what a list of launches holds that is passed over
};

struct OpenedSource {
  std::unique_ptr<InstructionSource> source;
  std::vector<std::string> files;  ///< that it is read from
  std::string origin;              ///< what is read: "trace", "PTX", "record KEY of the cache"
};

/// What a source wants to be told goes to stderr, a line each. A trace as open_trace() takes it,
/// `workload:NAME[@SCALE]`, or `NAME:SPEC` of a plug-in.
OpenedSource open_source(const std::string& trace, const SourceOptions& options = {});

}  // namespace strata::cli
