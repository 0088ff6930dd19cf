#include "platforms/cli/open_source.h"

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <thread>
#include <unistd.h>

#include "models/common/faults.h"
#include "models/common/input_file.h"
#include "models/common/units.h"
#include "traces/accelsim/accelsim_source.h"
#include "traces/cache/record_cache.h"
#include "traces/open.h"
#include "traces/workloads/workload.h"

namespace strata::cli {
namespace {

constexpr const char workload_prefix[] = "workload:";

/// One line on stderr, rewritten in place and erased at the end: interpreting a thread block takes long.
void show_progress(const traces::PtxProgress* so_far) {
  std::cerr << "\r";
  if (so_far != nullptr)
    std::cerr << "interpreting kernel " << so_far->kernel << ", thread block " << so_far->cta + 1 << " of "
              << so_far->ctas << ": " << so_far->instructions / 1'000'000 << " M warp instructions";
  std::cerr << "\033[K" << std::flush;
}

}  // namespace

void add_ptx_options(Arguments& arguments, Memcheck memcheck) {
  const traces::PtxOptions standard;
  arguments.options().add_options()(
      "loads-in-flight", text_or(standard.loads_in_flight),
      "kernels from PTX: loads of a warp that are moved ahead of their first reader, 1 to 64; 0 = PTX order")(
      "read-only", po::value<std::string>(),
      "kernels from PTX: which loads are marked read-only: none, nc (as the compiler says), analysis (also "
      "what "
      "is proved) or oracle (never written in the launch; runs everything twice); without it as the "
      "workload says, or nc")("launch-instructions", po::value<std::string>(),
                              ("kernels from PTX: warp instructions after which a launch counts as endless; "
                               "without it as the workload says, or " +
                               std::to_string(standard.watchdog * traces::PtxOptions::watchdogs))
                                  .c_str())(
      "memcheck", po::value<std::string>(),
      ("kernels from PTX: reads of memory that was never written, and accesses just outside of an "
       "allocation: "
       "strict (a fault), report (say it, and go on as a GPU would) or off; default " +
       std::string(traces::to_text(memcheck)))
          .c_str())(
      "launch-memory", po::value<std::string>(),
      ("kernels from PTX: memory that the record of one thread block may take, such as 2 GiB; without it as "
       "the workload says, or " +
       to_text(Bytes(traces::PtxOptions::default_max_bytes)))
          .c_str());
}

traces::PtxOptions ptx_options(const Arguments& arguments, Memcheck memcheck) {
  traces::PtxOptions options;
  options.memcheck = memcheck;
  const std::uint64_t loads =
      whole_number("loads-in-flight", arguments.get<std::string>("loads-in-flight"), 0);
  if (loads > 64) throw ConfigError("--loads-in-flight: at most 64");
  options.hoist_loads = loads != 0;
  if (loads != 0) options.loads_in_flight = static_cast<int>(loads);
  if (arguments.has("read-only"))
    options.read_only = traces::parse_read_only("--read-only", arguments.get<std::string>("read-only"));
  if (arguments.has("memcheck"))
    options.memcheck = traces::parse_memcheck("--memcheck", arguments.get<std::string>("memcheck"));
  options.report = [](const std::string& found) { std::cerr << "strata: memcheck: " << found << "\n"; };
  if (arguments.has("launch-instructions"))
    options.max_instructions =
        whole_number("launch-instructions", arguments.get<std::string>("launch-instructions"), 1);
  if (arguments.has("launch-memory")) {
    const std::string text = arguments.get<std::string>("launch-memory");
    const auto bytes = parse_bytes(text);
    if (!bytes) throw ConfigError("--launch-memory: '" + text + "' is no size; allowed: such as 2 GiB");
    options.max_bytes = bytes->count;
  }
  if ((::isatty(STDERR_FILENO) != 0 || arguments.has("progress")) && !arguments.has("quiet"))
    options.progress = show_progress;
  return options;
}

void add_selection_options(Arguments& arguments) {
  arguments.options().add_options()(
      "kernels", po::value<std::string>(),
      "only launches of kernels whose name matches this regular expression; of each trace")(
      "launches", po::value<std::string>(),
      "only these launches, counted from 0: FIRST:LAST or a list such as 0,5,9; of each trace");
}

traces::LaunchSelection selection_of(const Arguments& arguments) {
  traces::LaunchSelection selection;
  if (arguments.has("kernels"))
    traces::read_kernels("kernels", arguments.get<std::string>("kernels"), selection);
  if (arguments.has("launches"))
    traces::read_launches("launches", arguments.get<std::string>("launches"), selection);
  return selection;
}

void add_cache_options(Arguments& arguments) {
  arguments.options().add_options()("cache", po::value<std::string>(),
                                    "folder for records of traces read or kernels interpreted; default: "
                                    "STRATA_CACHE, or strata in XDG_CACHE_HOME "
                                    "or ~/.cache")("no-cache", "read and interpret anew, and keep no record");
}

void add_worker_option(Arguments& arguments) {
  arguments.options().add_options()("no-worker",
                                    "read and interpret in the thread that simulates; results are the same");
}

bool has_worker(const Arguments& arguments) {
  return !arguments.has("no-worker") && std::thread::hardware_concurrency() > 1;
}

namespace {

/// The folder for records; empty: none.
std::string cache_folder(const Arguments& arguments) {
  if (!arguments.has("cache")) return arguments.has("no-cache") ? "" : traces::RecordCache::default_folder();
  if (arguments.has("no-cache")) throw ConfigError("--cache and --no-cache exclude each other");
  const auto folder = arguments.get<std::string>("cache");
  if (folder.empty()) throw ConfigError("--cache: the name of the folder is empty");
  return folder;
}

}  // namespace

std::shared_ptr<const traces::RecordCache> record_cache(const Arguments& arguments) {
  const std::string folder = cache_folder(arguments);
  if (folder.empty()) return nullptr;
  return std::make_shared<traces::RecordCache>(folder, [](const std::string& line) {
    std::cerr << "strata: " + line + "\n" << std::flush;
  });
}

void pass_cache_on(const Arguments& arguments) {
  const std::string folder = cache_folder(arguments);
  ::setenv("STRATA_CACHE", folder.empty() ? "off" : std::filesystem::absolute(folder).c_str(), 1);
}

namespace {

using traces::CachedSource;
using traces::CacheKey;

OpenedSource cached(const SourceOptions& options, const CacheKey& key, const std::string& description,
                    const char* made_from, const CachedSource::Open& open) {
  auto source = std::make_unique<CachedSource>(options.cache, key, description, open);
  const std::string origin =
      source->from_record() ? "record " + source->key() + " of the cache" : std::string(made_from);
  return {std::move(source), {}, origin};
}

/// An error about an unreadable file names the option or key that needs it.
template <class Add>
bool has_key(const SourceOptions& options, Add&& add) {
  if (options.cache == nullptr) return false;
  try {
    add();
    return true;
  } catch (const InputError&) {
    return false;
  }
}

/// A part of a stream is cached under a key of its own.
void add_selection(const SourceOptions& options, CacheKey& key) {
  if (!options.selection.all()) key.add("selection", options.selection.text());
}

OpenedSource open_workload(const std::string& spec, const SourceOptions& options) {
  traces::WorkloadDefinition definition = traces::Workload::read(spec);
  const std::vector<std::string> files = traces::Workload::files(definition);
  const auto open = [&] {
    return traces::select_launches(
        traces::Workload::open(std::make_shared<const traces::Workload>(definition), options.ptx),
        options.selection, true);
  };
  CacheKey key("workload " + traces::Workload::name(definition));
  add_selection(options, key);
  if (!has_key(options, [&] { traces::add_to_key(definition, options.ptx, key); }))
    return {open(), files, "PTX"};
  OpenedSource opened = cached(options, key, "", "PTX", open);
  opened.files = files;
  return opened;
}

OpenedSource open_files(const std::string& trace, const SourceOptions& options) {
  traces::OpenOptions of_run;
  of_run.seed = options.seed;
  std::unique_ptr<InstructionSource> source = traces::open_trace(trace, of_run);
  const std::vector<std::string> files = traces::files_of(*source);
  const bool text = dynamic_cast<const traces::AccelsimSource*>(source.get()) != nullptr;
  if (options.notes)
    for (const std::string& note : traces::notes_of(*source)) std::cerr << "strata: " << note << "\n";
  source = traces::select_launches(std::move(source), options.selection);
  CacheKey key("Accel-Sim trace");
  add_selection(options, key);
  const auto add_files = [&] {
    for (const std::string& file : files) key.add_file(file);
  };
  if (!text || !has_key(options, add_files)) return {std::move(source), files, "trace"};
  const std::string description = source->description();
  OpenedSource opened = cached(options, key, description, "trace", [&] { return std::move(source); });
  opened.files = files;
  return opened;
}

OpenedSource open_kind(const TraceKind& kind, const std::string& spec, const SourceOptions& options) {
  std::unique_ptr<InstructionSource> source = kind.open(spec, options.seed);
  if (source == nullptr)
    throw ConfigError("--trace " + std::string(kind.name) + ":" + spec + ": the plug-in opened nothing");
  return {traces::select_launches(std::move(source), options.selection), {}, "plug-in"};
}

}  // namespace

OpenedSource open_source(const std::string& trace, const SourceOptions& options) {
  if (trace.rfind(workload_prefix, 0) == 0)
    return open_workload(trace.substr(sizeof workload_prefix - 1), options);
  if (const TraceKind* kind = platforms::find_trace_kind(options.plugins, trace))
    return open_kind(*kind, trace.substr(kind->name.size() + 1), options);
  return open_files(trace, options);
}

}  // namespace strata::cli
