// `strata trace record` and `strata trace workloads`: kernels from PTX.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <iostream>
#include <set>
#include <sstream>
#include <unistd.h>

#include "models/common/faults.h"
#include "models/common/text.h"
#include "models/common/units.h"
#include "models/io/draft.h"
#include "models/io/file_guard.h"
#include "platforms/cli/l1_table.h"
#include "platforms/cli/open_source.h"
#include "platforms/engine/session/exit_codes.h"
#include "platforms/engine/session/interrupt_watch.h"
#include "platforms/report/text_table.h"
#include "traces/record/lane_form.h"
#include "traces/record/record_source.h"
#include "traces/record/record_writer.h"
#include "traces/tools.h"
#include "traces/workloads/workload.h"

namespace strata::cli {
namespace {

using traces::Workload;

std::string megabytes(double bytes) {
  return fixed(bytes / 1e6, bytes < 1e7 ? 2 : 1) + " MB";
}

bool accesses_memory(OpClass op) {
  return touches_global_memory(op) || touches_shared_memory(op);
}

/// One line on stderr, rewritten in place: progress, and the expected file size.
class RecordProgress {
 public:
  explicit RecordProgress(std::uint64_t ctas) : ctas_(ctas), enabled_(::isatty(STDERR_FILENO) != 0) {}
  ~RecordProgress() {
    if (shown_) std::cerr << "\r\033[K";
  }
  void step(std::uint64_t bytes) {
    ++done_;
    if (!enabled_ || done_ % 64 != 0) return;
    const auto now = std::chrono::steady_clock::now();
    if (now - last_ < std::chrono::milliseconds(200)) return;
    last_ = now;
    shown_ = true;
    const double share = static_cast<double>(done_) / static_cast<double>(ctas_);
    std::cerr << "\r" << fixed(100 * share, 1) << " % of " << ctas_ << " CTAs, "
              << megabytes(static_cast<double>(bytes)) << " written, about "
              << megabytes(static_cast<double>(bytes) / share) << " in all\033[K" << std::flush;
  }

 private:
  std::uint64_t ctas_, done_ = 0;
  bool enabled_, shown_ = false;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

struct Recorded {
  std::uint64_t bytes = 0, memory_instructions = 0;
  bool interrupted = false;
};

Recorded record(traces::PtxSource& source, const std::string& path) {
  Recorded result;
  const platforms::InterruptWatch interrupts;
  traces::RecordWriter writer(path, source.description(), source.kernels(), source.copies());
  std::uint64_t ctas = 0;
  for (const KernelInfo& kernel : source.kernels()) ctas += kernel.ctas();
  RecordProgress progress(ctas);
  for (const KernelInfo& kernel : source.kernels()) {
    for (std::uint64_t cta = 0; cta < kernel.ctas(); ++cta) {
      if (platforms::InterruptWatch::requested()) {
        result.interrupted = true;  // the writer removes its unfinished file
        return result;
      }
      const auto trace = source.fetch(kernel.id, cta);
      for (const WarpInstruction& i : trace->instructions)
        result.memory_instructions += accesses_memory(i.op);
      writer.add(kernel.id, *trace);
      progress.step(writer.bytes_written());
    }
  }
  writer.set_gaps(source.gaps());
  writer.finish();
  result.bytes = writer.bytes_written();
  return result;
}

int verify(const Workload& workload, const traces::GlobalMemory& memory) {
  const traces::VerifyReport report = workload.verify(memory);
  std::cout << report.text();
  if (report.good()) return platforms::exit_ok;
  std::cerr << "strata: " << workload.name() << ": results differ from the reference\n";
  return platforms::exit_trace;
}

/// The figures of the papers cover what their simulators executed: at most one billion instructions.
constexpr std::uint64_t paper_window = 1'000'000'000;
/// L1s are compared over fewer instructions: 600 for each thread that 80 SMs hold.
constexpr std::uint64_t l1_window = 100'000'000;

std::size_t count_kernels(const traces::WorkloadDefinition& definition) {
  std::set<std::string> names;
  for (const traces::WorkloadLaunch& launch : definition.launches) names.insert(launch.kernel);
  return names.size();
}

/// The table that `--measure` prints.
constexpr const char* measured_head =
    "| workload | kernels | launches | M thread instructions | memory instructions per 1000 | footprint MB | "
    "shared MB | shared MB, first 10^9 | shared MB, paper | shared read-only % | lines per access |\n"
    "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n";

std::string measured_row(const std::string& spec, const traces::PtxOptions& options) {
  const auto workload = Workload::load(spec);
  const auto source = Workload::open(workload, options);
  const traces::TraceInfo info = traces::analyse(*source, 8, {}, paper_window);
  const auto of = [&](OpClass op) {
    return static_cast<double>(info.instructions_by_class[static_cast<std::size_t>(op)]);
  };
  const auto of_lines = [](std::uint64_t lines) { return fixed(static_cast<double>(lines) * 128 / 1e6, 3); };
  const auto ratio = [](double part, double all, int digits) {
    return all > 0 ? fixed(part / all, digits) : "";
  };
  const double memory =
      of(OpClass::load) + of(OpClass::read_only_load) + of(OpClass::store) + of(OpClass::atomic);
  const double lines =
      static_cast<double>(info.global_load_lines + info.global_store_lines + info.atomic_lines);
  const double paper = workload->definition().paper.shared_mb;
  std::string row = "| " + workload->name() + " | " + std::to_string(count_kernels(workload->definition())) +
                    " | " + std::to_string(info.kernels) + " | ";
  row += fixed(static_cast<double>(info.thread_instructions) / 1e6, 1) + " | ";
  row += fixed(1000 * memory / static_cast<double>(info.warp_instructions), 0) + " | ";
  row += of_lines(info.unique_lines) + " | " + of_lines(info.shared_lines()) + " | ";
  row += of_lines(info.window_shared_lines) + " | " + (paper > 0 ? fixed(paper, 3) : "") + " | ";
  row += ratio(100 * static_cast<double>(info.launch_shared_read_only_lines),
               static_cast<double>(info.launch_shared_lines), 1) +
         " | ";
  row += ratio(lines, memory, 2) + " |";
  return row;
}

/// A name without its own scale gets `scale`.
std::string scaled(const std::string& name, const std::string& scale) {
  return scale.empty() || name.find('@') != std::string::npos ? name : name + "@" + scale;
}

std::vector<std::string> scaled(const std::vector<std::string>& names, const std::string& scale) {
  std::vector<std::string> specs;
  for (const std::string& name : names) specs.push_back(scaled(name, scale));
  return specs;
}

int measure(const std::vector<std::string>& names, const std::string& scale,
            const traces::PtxOptions& options) {
  std::cout << measured_head;
  const std::vector<std::string> specs = scaled(names, scale);
  for (const std::string& spec : specs) std::cout << measured_row(spec, options) << "\n" << std::flush;
  std::cout << "\n";
  print_l1_table(specs, options, l1_window);
  return 0;
}

/// The table that `--sources` prints: the origin of each algorithm, and its kernels.
int print_sources(const std::vector<std::string>& names) {
  std::cout << "| workload | what it is | algorithm | kernels | papers |\n| --- | --- | --- | --- | --- |\n";
  for (const std::string& name : names) {
    const traces::WorkloadDefinition d = traces::read_workload(traces::find_workload(name));
    std::set<std::string> seen;
    std::string kernels;
    for (const traces::WorkloadLaunch& launch : d.launches)
      if (seen.insert(launch.kernel).second) kernels += (kernels.empty() ? "`" : ", `") + launch.kernel + "`";
    std::cout << "| " << name << " | " << d.title << " | " << d.algorithm << " | " << kernels << " | "
              << d.paper.suite << (d.paper.name.empty() ? "" : ": " + d.paper.name) << " |\n";
  }
  return 0;
}

/// Size and reading speed of a record. A workload is regular if the lanes of at least 90 % of its memory
/// instructions form rows (traces/record/lane_form.h).
std::string record_row(const std::string& spec, const std::string& path, const traces::PtxOptions& options) {
  const auto source = Workload::open(Workload::load(spec), options);
  traces::RecordWriter writer(path, source->description(), source->kernels(), source->copies());
  double all = 0, memory = 0, global = 0, rows = 0;
  for (const KernelInfo& kernel : source->kernels())
    for (std::uint64_t c = 0; c < kernel.ctas(); ++c) {
      const auto cta = source->fetch(kernel.id, c);
      writer.add(kernel.id, *cta);
      all += static_cast<double>(cta->instructions.size());
      for (const WarpInstruction& i : cta->instructions) {
        if (!accesses_memory(i.op)) continue;
        memory += 1;
        global += touches_global_memory(i.op) ? 1 : 0;
        rows += traces::record::lanes_in_rows(i, *cta) ? 1 : 0;
      }
    }
  writer.set_gaps(source->gaps());
  writer.finish();
  const std::clock_t before = std::clock();
  traces::RecordSource record(path);
  for (const KernelInfo& kernel : record.kernels())
    for (std::uint64_t c = 0; c < kernel.ctas(); ++c) record.fetch(kernel.id, c);
  const double seconds = static_cast<double>(std::clock() - before + 1) / CLOCKS_PER_SEC;
  const auto bytes = static_cast<double>(writer.bytes_written());
  const bool regular = rows >= 0.9 * memory;
  std::string row = "| " + spec + " | " + fixed(all / 1e6, 3) + " | " + fixed(memory / 1e6, 3) + " | ";
  row += fixed(100 * rows / memory, 1) + " | " + (regular ? "regular | 2" : "irregular | 25") + " | ";
  row += fixed(bytes / memory, 2) + " | " + (global > 0 ? fixed(bytes / global, 2) : "") + " | ";
  return row + fixed(all / seconds / 1e6, 1) + " |";
}

int measure_records(const std::vector<std::string>& names, const std::string& scale,
                    const traces::PtxOptions& options) {
  const Draft scratch = Draft::scratch("strata-record");
  const std::string path = scratch.path() + "/record";
  std::cout
      << "| workload | M warp instructions | M memory instructions | % in rows | kind | limit | bytes each | "
         "bytes per global access | M warp instructions read per CPU-s |\n| --- | --- | --- | --- | --- | "
         "--- | "
         "--- | --- | --- |\n";
  for (const std::string& name : names) {
    std::cout << record_row(scaled(name, scale), path, options) << "\n" << std::flush;
  }
  return 0;
}

void print_workload(const std::string& spec) {
  const auto workload = Workload::load(spec);
  const traces::WorkloadDefinition& d = workload->definition();
  std::cout << workload->name() << ": " << d.title << "\n  algorithm  " << d.algorithm << "\n  file       "
            << d.file << "\n  scales    ";
  for (const std::string& scale : d.scales) std::cout << " " << scale;
  std::cout << "\n  values    ";
  for (const auto& value : d.values) std::cout << " " << value.first << "=" << value.second;
  std::uint64_t bytes = 0, ctas = 0;
  for (const traces::WorkloadBuffer& buffer : d.buffers) bytes += buffer.bytes();
  std::cout << "\n  launches   " << d.launches.size() << "\n";
  for (std::size_t i = 0; i < d.launches.size(); ++i) {
    const traces::WorkloadLaunch& l = d.launches[i];
    ctas += l.grid.count();
    if (i >= 12) continue;
    std::cout << "    " << l.kernel << " grid " << l.grid.x << "x" << l.grid.y << "x" << l.grid.z << " block "
              << l.block.x << "x" << l.block.y << "x" << l.block.z << "\n";
  }
  if (d.launches.size() > 12) std::cout << "    ... and " << d.launches.size() - 12 << " more\n";
  std::cout << "  CTAs       " << ctas << "\n  buffers    " << d.buffers.size() << ", "
            << megabytes(static_cast<double>(bytes)) << "\n  verified   "
            << (workload->verifiable() ? "against '" + d.reference + "'" : "no outputs are named") << "\n";
}

}  // namespace

int run_trace_record(const std::vector<std::string>& arguments) {
  Arguments a(
      "trace record WORKLOAD --out TRACE [--verify] [options]",
      "Interprets the kernels of a workload (docs/guide/workloads.md) and writes their instructions into a "
      "record\n"
      "file. WORKLOAD is NAME, NAME@SCALE or NAME@SCALE:KEY=VALUE,...; NAME is one that\n"
      "`strata trace workloads` lists, or a YAML file. Without --out nothing is written: with --verify the\n"
      "kernels only run and their results are checked.",
      "  strata trace record gemm@quick --out gemm.strata --verify\n"
      "  strata trace record my_kernel.yaml@tiny:n=64 --verify\n");
  a.options().add_options()("out", po::value<std::string>(), "record file to write")(
      "verify", "compare the outputs with the CPU reference; exit code 2 when they differ");
  add_ptx_options(a);
  if (!a.read(arguments, 1, 1)) return 0;
  if (!a.has("out") && !a.has("verify"))
    throw ConfigError("trace record: give --out TRACE, --verify, or both");
  const auto workload = Workload::load(a.words().front());
  if (a.has("verify") && !workload->verifiable())
    throw ConfigError("trace record: " + workload->definition().file + " names no 'outputs' to verify");
  const auto source = Workload::open(workload, ptx_options(a));
  const std::clock_t before = std::clock();
  if (!a.has("out")) {
    source->run_to_end();
    return verify(*workload, source->memory());
  }
  const std::string path = a.get<std::string>("out");
  FileGuard files;
  files.reads(workload->files());
  files.writes("--out", path);
  const Recorded recorded = record(*source, path);
  if (recorded.interrupted) {
    std::cerr << "strata: interrupted; " << path << " was not written\n";
    return platforms::exit_interrupted;
  }
  const double seconds = static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC;  // CPU time
  const traces::PtxStats stats = source->stats();
  std::cout << path << ": " << recorded.bytes << " bytes, " << source->kernels().size() << " kernels, "
            << stats.warp_instructions << " warp instructions, " << recorded.memory_instructions
            << " of them loads, stores and atomics";
  if (recorded.memory_instructions != 0)
    std::cout << " ("
              << fixed(
                     static_cast<double>(recorded.bytes) / static_cast<double>(recorded.memory_instructions),
                     2)
              << " bytes each)";
  std::cout << "\n"
            << stats.executed_thread_instructions << " thread instructions in " << fixed(seconds, 2)
            << " CPU-s: " << fixed(static_cast<double>(stats.executed_thread_instructions) / seconds / 1e6, 0)
            << " M per CPU-second\n";
  return a.has("verify") ? verify(*workload, source->memory()) : platforms::exit_ok;
}

int run_trace_workloads(const std::vector<std::string>& arguments) {
  Arguments a(
      "trace workloads [NAME[@SCALE]]... [--dump FOLDER] [--measure | --measure-l1 | --measure-records | "
      "--sources] "
      "[--scale "
      "SCALE]",
      "Lists the shipped workloads, or shows the kernels of one. --measure runs them and prints "
      "two\n"
      "tables: instructions, footprint, sharing between 8 clusters, lines per access; and loads in the "
      "L1s\n"
      "of the papers' machines (docs/methods/workload-figures.md defines the columns). "
      "--measure-records "
      "records them: bytes per memory instruction and speed "
      "of\n"
      "reading. --sources prints the origin of the algorithms.",
      "  strata trace workloads\n  strata trace workloads lud@paper\n"
      "  strata trace workloads --measure --scale tiny\n"
      "  strata trace workloads sp lud --measure-records --scale quick\n");
  a.options().add_options()(
      "dump", po::value<std::string>(),
      "write PTX, data, launches and expected outputs of one workload as plain files (tb/gpu)")(
      "measure", "run the named workloads, or all, and print their figures")(
      "measure-l1", "only the second table of --measure, which takes less time")(
      "measure-records", "record the named workloads, or all, and print size and time")(
      "sources", "print algorithms and kernels of the named workloads, or all")(
      "scale", po::value<std::string>(),
      "scale of the workloads that are named without one: tiny, quick or paper; --measure and "
      "--measure-records take tiny by default");
  add_ptx_options(a);
  if (!a.read(arguments, 0, any_number)) return 0;
  const std::string scale = a.has("scale") ? a.get<std::string>("scale") : "";
  const std::string measured_scale = a.has("scale") ? scale : "tiny";
  const std::vector<std::string> names = a.words().empty() ? traces::workload_names() : a.words();
  if (a.has("measure-l1")) {
    print_l1_table(scaled(names, measured_scale), ptx_options(a), l1_window);
    return 0;
  }
  if (a.has("measure")) return measure(names, measured_scale, ptx_options(a));
  if (a.has("measure-records")) return measure_records(names, measured_scale, ptx_options(a));
  if (a.has("scale") && (a.words().empty() || a.has("sources")))
    throw ConfigError("--scale " + scale + ": name a workload, or give --measure or --measure-records");
  if (a.has("sources")) return print_sources(names);
  if (a.has("dump")) {
    if (a.words().size() != 1) throw ConfigError("trace workloads --dump: name one workload");
    Workload::load(scaled(a.words().front(), scale))->dump(a.get<std::string>("dump"));
    return 0;
  }
  if (!a.words().empty()) {
    for (const std::string& word : a.words()) print_workload(scaled(word, scale));
    return 0;
  }
  for (const std::string& name : traces::workload_names()) {
    const traces::WorkloadDefinition d = traces::read_workload(traces::find_workload(name));
    std::string line = name;
    line.resize(18, ' ');
    std::string suite = d.paper.suite.empty() ? "" : d.paper.suite + ": " + d.paper.name;
    std::cout << line << d.title << (suite.empty() ? "" : " (" + suite + ")") << "\n";
  }
  return 0;
}

int run_workloads(const std::vector<std::string>& arguments) {
  Arguments a(
      "workloads [TEXT]... [--scale SCALE]",
      "Lists the shipped workloads, or those with TEXT in their names: kernels, launches, thousands of\n"
      "threads and megabytes of data at a scale, and a description. strata trace workloads NAME shows\n"
      "the kernels of one, and measures them.",
      "  strata workloads\n  strata workloads bfs gemm --scale quick\n"
      "  strata run isca19/shared --workload gemm@quick\n");
  a.options().add_options()("scale", po::value<std::string>()->default_value("tiny"), "tiny, quick or paper");
  if (!a.read(arguments, 0, any_number)) return 0;
  const auto is_chosen = [&](const std::string& name) {
    const auto holds = [&](const std::string& word) { return name.find(word) != std::string::npos; };
    return a.words().empty() || std::any_of(a.words().begin(), a.words().end(), holds);
  };
  platforms::TextTable table;
  std::vector<std::string> titles = {"what it is"};
  table.add({"workload", "kernels", "launches", "k threads", "data MB"});
  const std::vector<std::string> names = traces::workload_names();
  for (const std::string& name : names) {
    if (!is_chosen(name)) continue;
    const traces::WorkloadDefinition d = Workload::read(scaled(name, a.get<std::string>("scale")));
    std::uint64_t threads = 0, bytes = 0;
    for (const traces::WorkloadLaunch& launch : d.launches)
      threads += launch.grid.count() * launch.block.count();
    for (const traces::WorkloadBuffer& buffer : d.buffers) bytes += buffer.bytes();
    table.add({name, std::to_string(count_kernels(d)), std::to_string(d.launches.size()),
               platforms::rounded(static_cast<double>(threads) / 1e3, 3),
               platforms::rounded(static_cast<double>(bytes) / 1e6, 3)});
    titles.push_back(d.title +
                     (d.paper.suite.empty() ? "" : " (" + d.paper.suite + ": " + d.paper.name + ")"));
  }
  if (titles.size() == 1)
    throw ConfigError("no workload has '" + a.words().front() + "' in its name" +
                      suggestion(a.words().front(), names) + "; strata workloads lists all");
  std::istringstream lines(table.text(""));
  std::string line;
  for (std::size_t i = 0; std::getline(lines, line); ++i) std::cout << line << "  " << titles[i] << "\n";
  return 0;
}

}  // namespace strata::cli
