#include "traces/tools.h"

#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <vector>

#include "models/common/coalesce.h"
#include "models/common/faults.h"
#include "models/common/named.h"
#include "models/common/source_gaps.h"
#include "models/common/text.h"
#include "models/common/units.h"
#include "models/io/file_guard.h"

namespace strata::traces {
namespace {

/// All 128 B lines seen, with their sectors and the clusters that touched them, in total and in one launch:
/// an open-addressing table.
class LineCensus {
 public:
  struct Line {
    Address number = free_number;
    std::uint64_t clusters = 0;
    std::uint64_t launch_clusters = 0;  ///< in the last launch that touched it
    std::uint32_t launch = 0;           ///< number of that launch
    std::uint8_t sectors = 0;
    bool written = false;  ///< in that launch
    bool used() const { return number != free_number; }
    bool shared() const { return (clusters & (clusters - 1)) != 0; }
    bool launch_shared() const { return (launch_clusters & (launch_clusters - 1)) != 0; }
  };

  LineCensus() : table_(1024) {}
  /// Launches must come in order.
  void touch(Address line, std::uint8_t sectors, int cluster, std::uint32_t launch, bool writes) {
    if (2 * (used_ + 1) > table_.size()) grow();
    Line& entry = find(table_, line / 128);
    if (!entry.used()) {
      entry.number = line / 128;
      ++used_;
    }
    entry.sectors = static_cast<std::uint8_t>(entry.sectors | sectors);
    entry.clusters |= std::uint64_t{1} << cluster;
    if (entry.launch != launch) {
      count_launch(entry);
      entry.launch = launch;
      entry.launch_clusters = 0;
      entry.written = false;
    }
    entry.launch_clusters |= std::uint64_t{1} << cluster;
    entry.written |= writes;
  }
  /// Called after the last touch: each line also counts for the last launch that touched it.
  void finish() {
    for (const Line& line : table_) count_launch(line);
  }
  std::uint64_t lines() const { return used_; }
  /// Lines that several clusters touch within a launch, summed over launches.
  std::uint64_t launch_shared_lines() const { return launch_shared_; }
  std::uint64_t launch_shared_read_only_lines() const { return launch_shared_read_only_; }
  const std::vector<Line>& table() const { return table_; }  ///< includes unused entries

 private:
  static constexpr Address free_number = ~Address{0};
  static Line& find(std::vector<Line>& table, Address number) {
    const std::size_t mask = table.size() - 1;
    std::size_t at = static_cast<std::size_t>(number * 0x9e3779b97f4a7c15 >> 20) & mask;
    while (table[at].used() && table[at].number != number) at = (at + 1) & mask;
    return table[at];
  }
  void count_launch(const Line& line) {
    launch_shared_ += line.launch_shared() ? 1 : 0;
    launch_shared_read_only_ += line.launch_shared() && !line.written ? 1 : 0;
  }
  void grow() {
    std::vector<Line> larger(table_.size() * 2);
    for (const Line& line : table_)
      if (line.used()) find(larger, line.number) = line;
    table_.swap(larger);
  }

  std::vector<Line> table_;
  std::size_t used_ = 0;
  std::uint64_t launch_shared_ = 0, launch_shared_read_only_ = 0;
};

std::uint64_t count_ctas(const InstructionSource& source) {
  std::uint64_t all = 0;
  for (const KernelInfo& kernel : source.kernels()) all += kernel.ctas();
  return all;
}

/// Fetches everything in order.
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

/// Why a simulation cannot run the CTA, or gives wrong results; empty if it is valid.
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

namespace {

constexpr Named<OpClass> class_names[] = {{OpClass::alu, "alu"},
                                          {OpClass::sfu, "sfu"},
                                          {OpClass::load, "load"},
                                          {OpClass::read_only_load, "read_only_load"},
                                          {OpClass::store, "store"},
                                          {OpClass::atomic, "atomic"},
                                          {OpClass::shared_load, "shared_load"},
                                          {OpClass::shared_store, "shared_store"},
                                          {OpClass::barrier, "barrier"},
                                          {OpClass::exit, "exit"},
                                          {OpClass::other, "other"}};
static_assert(names_all(class_names, OpClass::other));

std::uint64_t count_of(const TraceInfo& info, OpClass op) {
  return info.instructions_by_class[static_cast<std::size_t>(op)];
}

/// Every counter in the order of the outputs.
template <class Visit>
void for_each_counter(const TraceInfo& info, Visit&& visit) {
  visit("kernels", info.kernels);
  visit("ctas", info.ctas);
  visit("warps", info.warps);
  visit("warp_instructions", info.warp_instructions);
  visit("thread_instructions", info.thread_instructions);
  visit("global_load_lines", info.global_load_lines);
  visit("global_load_sectors", info.global_load_sectors);
  visit("read_only_load_lines", info.read_only_load_lines);
  visit("read_only_load_sectors", info.read_only_load_sectors);
  visit("bypass_l1_lines", info.bypass_l1_lines);
  visit("global_store_lines", info.global_store_lines);
  visit("global_store_sectors", info.global_store_sectors);
  visit("atomic_lines", info.atomic_lines);
  visit("atomic_sectors", info.atomic_sectors);
  visit("unique_lines", info.unique_lines);
  visit("unique_sectors", info.unique_sectors);
  visit("footprint_bytes", info.footprint_bytes());
  visit("shared_lines", info.shared_lines());
  visit("launch_shared_lines", info.launch_shared_lines);
  visit("launch_shared_read_only_lines", info.launch_shared_read_only_lines);
  visit("copies", info.copies);
  visit("copied_bytes", info.copied_bytes);
}

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20 || byte > 0x7e) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\u%04x",
                    byte);  // other bytes as Latin-1: valid JSON whatever they are
      out += escape;
    } else {
      out += c;
    }
  }
  return out + '"';
}

std::string row(const std::string& name, const std::string& value) {
  return "  " + name + std::string(name.size() < 24 ? 24 - name.size() : 1, ' ') + value + '\n';
}

}  // namespace

std::string to_json(const TraceInfo& info) {
  std::string out = "{\n  \"source\": " + quoted(info.source);
  for_each_counter(info, [&](const char* name, std::uint64_t value) {
    out += ",\n  \"" + std::string(name) + "\": " + std::to_string(value);
  });
  out += ",\n  \"warp_instructions_by_class\": {";
  for (const auto& [op, name] : class_names)
    out += std::string(op == OpClass::alu ? "" : ", ") + '"' + std::string(name) +
           "\": " + std::to_string(count_of(info, op));
  out += "},\n  \"lines_by_clusters\": [";
  for (std::size_t i = 0; i < info.lines_by_clusters.size(); ++i)
    out += (i == 0 ? "" : ", ") + std::to_string(info.lines_by_clusters[i]);
  return out + "]\n}\n";
}

std::string to_text(const TraceInfo& info) {
  std::string out = printable(info.source) + '\n';
  for_each_counter(info, [&](const char* name, std::uint64_t value) {
    out += row(
        name, name == std::string("footprint_bytes") ? strata::to_text(Bytes{value}) : std::to_string(value));
  });
  out += "warp instructions by class\n";
  for (const auto& [op, name] : class_names)
    if (count_of(info, op) != 0) out += row(std::string(name), std::to_string(count_of(info, op)));
  out += "lines by number of SM clusters that touch them (CTA i runs on cluster i modulo " +
         std::to_string(info.lines_by_clusters.size()) + ")\n";
  for (std::size_t i = 0; i < info.lines_by_clusters.size(); ++i)
    if (info.lines_by_clusters[i] != 0)
      out += row(std::to_string(i + 1), std::to_string(info.lines_by_clusters[i]));
  return out;
}

}  // namespace strata::traces
