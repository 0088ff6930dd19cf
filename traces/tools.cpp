#include "traces/tools.h"

#include <cstdio>
#include <stdexcept>

#include "models/common/coalesce.h"
#include "models/common/faults.h"
#include "models/common/source_gaps.h"
#include "models/common/units.h"
#include "models/io/file_guard.h"
#include "traces/line_census.h"

namespace strata::traces {
namespace {

std::uint64_t count_ctas(const InstructionSource& source) {
  std::uint64_t all = 0;
  for (const KernelInfo& kernel : source.kernels()) all += kernel.ctas();
  return all;
}

/// Fetch everything in order.
template <class Visit>
void for_each_cta(InstructionSource& source, const ProgressFn& progress, Visit&& visit) {
  const std::uint64_t all = count_ctas(source);
  std::uint64_t done = 0;
  for (const KernelInfo& kernel : source.kernels()) {
    for (std::uint64_t cta = 0; cta < kernel.ctas(); ++cta) {
      visit(kernel, *source.fetch(kernel.id, cta));
      if (progress) progress(++done, all);
    }
  }
}

class Analysis {
 public:
  Analysis(TraceInfo& info, int clusters, std::uint64_t window)
      : info_(info), clusters_(clusters), window_(window) {}

  void add(const KernelInfo& kernel, const CtaTrace& cta) {
    const bool in_window = info_.thread_instructions < window_;
    launch_ = kernel.id;
    ++info_.ctas;
    info_.warps += cta.warps();
    const int cluster = static_cast<int>(cta.index % static_cast<unsigned>(clusters_));
    for (const WarpInstruction& instruction : cta.instructions) {
      info_.warp_instructions += instruction.weight;
      info_.thread_instructions +=
          std::uint64_t{instruction.weight} * static_cast<unsigned>(instruction.active_lanes());
      info_.instructions_by_class[static_cast<std::size_t>(instruction.op)] += instruction.weight;
      if (touches_global_memory(instruction.op)) add_access(instruction, cta, cluster);
    }
    if (in_window && info_.thread_instructions >= window_) info_.window_shared_lines = shared_lines();
  }

  void finish() {
    census_.finish();
    info_.unique_lines = census_.lines();
    info_.launch_shared_lines = census_.launch_shared_lines();
    info_.launch_shared_read_only_lines = census_.launch_shared_read_only_lines();
    if (info_.thread_instructions < window_) info_.window_shared_lines = shared_lines();
    info_.lines_by_clusters.assign(static_cast<std::size_t>(clusters_), 0);
    for (const LineCensus::Line& line : census_.table()) {
      if (!line.used()) continue;
      info_.unique_sectors += static_cast<unsigned>(__builtin_popcount(line.sectors));
      ++info_.lines_by_clusters[static_cast<std::size_t>(__builtin_popcountll(line.clusters) - 1)];
    }
  }

 private:
  std::uint64_t shared_lines() const {
    std::uint64_t lines = 0;
    for (const LineCensus::Line& line : census_.table()) lines += line.shared() ? 1 : 0;
    return lines;
  }

  void add_access(const WarpInstruction& instruction, const CtaTrace& cta, int cluster) {
    coalesce(instruction, cta, 128, lines_);
    const auto lines = static_cast<unsigned>(lines_.count);
    const bool writes = instruction.op == OpClass::store || instruction.op == OpClass::atomic;
    unsigned sectors = 0;
    for (const LineAccess& line : lines_) {
      sectors += static_cast<unsigned>(__builtin_popcount(line.sectors));
      census_.touch(line.line, line.sectors, cluster, launch_, writes);
    }
    if (instruction.op == OpClass::store) {
      info_.global_store_lines += lines;
      info_.global_store_sectors += sectors;
    } else if (instruction.op == OpClass::atomic) {
      info_.atomic_lines += lines;
      info_.atomic_sectors += sectors;
    } else {
      info_.global_load_lines += lines;
      info_.global_load_sectors += sectors;
      if (instruction.bypass_l1) info_.bypass_l1_lines += lines;
      if (instruction.op != OpClass::read_only_load) return;
      info_.read_only_load_lines += lines;
      info_.read_only_load_sectors += sectors;
    }
  }

  TraceInfo& info_;
  int clusters_;
  std::uint64_t window_;
  std::uint32_t launch_ = 0;
  LineCensus census_;
  LineAccesses lines_;
};

/// What a simulation cannot run or must not believe, in words; empty when the CTA is sound.
std::string first_fault(const KernelInfo& kernel, const CtaTrace& cta) {
  if (cta.warps() != kernel.warps_per_cta())
    return "expected " + std::to_string(kernel.warps_per_cta()) + " warps, found " +
           std::to_string(cta.warps());
  for (std::uint32_t w = 0; w < cta.warps(); ++w) {
    const std::string warp = "warp " + std::to_string(w);
    std::uint32_t exited = 0;
    for (std::uint32_t i = cta.warp_begin[w]; i < cta.warp_begin[w + 1]; ++i) {
      const WarpInstruction& instruction = cta.instructions[i];
      if (instruction.op == OpClass::exit) exited |= instruction.active_mask;
      if (!touches_global_memory(instruction.op) || instruction.active_mask == 0) continue;
      std::array<Address, 32> lanes;
      const int count = lane_addresses(instruction, cta, lanes);
      bool lost = true;
      for (int lane = 0; lane < count; ++lane) lost = lost && lanes[static_cast<std::size_t>(lane)] == 0;
      if (lost)
        return warp + ", instruction " + std::to_string(i - cta.warp_begin[w] + 1) +
               ": expected the address of an active lane, found 0 for all";
    }
    const std::uint32_t threads = kernel.threads_per_cta() - w * 32;
    const std::uint32_t missing = (threads >= 32 ? 0xffffffffu : (1u << threads) - 1) & ~exited;
    if (missing != 0)
      return warp + ": expected EXIT for every thread, found none for lane " +
             std::to_string(__builtin_ctz(missing));
  }
  return {};
}

}  // namespace

std::uint64_t TraceInfo::shared_lines() const {
  std::uint64_t lines = 0;
  for (std::size_t n = 1; n < lines_by_clusters.size(); ++n) lines += lines_by_clusters[n];
  return lines;
}

TraceInfo analyse(InstructionSource& source, int clusters, const ProgressFn& progress, std::uint64_t window) {
  if (clusters < 1 || clusters > max_clusters)
    throw ConfigError("clusters is " + std::to_string(clusters) + "; allowed: 1 to " +
                      std::to_string(max_clusters));
  TraceInfo info;
  info.source = source.description();
  info.kernels = source.kernels().size();
  info.copies = source.copies().size();
  for (const MemcpyInfo& copy : source.copies()) info.copied_bytes += copy.bytes;
  Analysis analysis(info, clusters, window);
  for_each_cta(source, progress,
               [&](const KernelInfo& kernel, const CtaTrace& cta) { analysis.add(kernel, cta); });
  analysis.finish();
  return info;
}

std::uint64_t convert(InstructionSource& source, const std::string& path, const ProgressFn& progress,
                      int level) {
  FileGuard files;
  files.reads(files_of(source));
  files.writes("trace convert", path);
  RecordWriter writer(path, source.description(), source.kernels(), source.copies(), level);
  for_each_cta(source, progress,
               [&](const KernelInfo& kernel, const CtaTrace& cta) { writer.add(kernel.id, cta); });
  writer.set_gaps(source.gaps());
  writer.finish();
  return writer.bytes_written();
}

CheckReport check(const std::string& path_or_spec, const ProgressFn& progress,
                  const LaunchSelection& selection) {
  OpenOptions options;
  options.strict = true;
  std::unique_ptr<InstructionSource> opened = open_trace(path_or_spec, options);
  const InstructionSource& whole = *opened;
  const std::unique_ptr<InstructionSource> source = select_launches(std::move(opened), selection);
  CheckReport report;
  std::uint64_t copies = 0, waits = 0;
  report.kernels = source->kernels().size();
  for_each_cta(*source, progress, [&](const KernelInfo& kernel, const CtaTrace& cta) {
    ++report.ctas;
    report.warp_instructions += cta.instructions.size();
    for (const WarpInstruction& i : cta.instructions) {
      if (i.op != OpClass::other || i.sync != Sync::none) continue;
      copies += i.bulk ? 1 : 0;
      waits += i.async && !i.bulk ? 1 : 0;
    }
    const std::string fault = first_fault(kernel, cta);
    if (!fault.empty())
      throw TraceError(Fault{{path_or_spec, 0, 0},
                             "kernel " + std::to_string(kernel.id) + ", thread block " +
                                 std::to_string(cta.index) + ", " + fault});
  });
  const std::uint64_t promised = source->warp_instructions();
  if (promised != 0 && promised != report.warp_instructions)
    throw TraceError(Fault{{path_or_spec, 0, 0},
                           "expected " + std::to_string(promised) + " warp instructions, found " +
                               std::to_string(report.warp_instructions)});
  report.notes = notes_of(whole);
  const std::string path = path_or_spec + ": not in the figures of a run: ";
  if (copies != 0) report.notes.push_back(path + unknown_copies_sentence(copies));
  if (waits != 0) report.notes.push_back(path + unknown_waits_sentence(waits));
  for (const std::string& sentence : gap_sentences(source->gaps())) report.notes.push_back(path + sentence);
  return report;
}

}  // namespace strata::traces
