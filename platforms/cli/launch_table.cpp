#include "platforms/cli/launch_table.h"

#include <map>

#include "models/common/text.h"
#include "platforms/report/verdict.h"
#include "traces/selection.h"

namespace strata::cli {
namespace {

using platforms::CountedShare;
using platforms::KernelFigures;
using platforms::LaunchCounts;

std::string quoted(const std::string& text) {
  std::string field = "\"";
  for (const char c : text) field += c == '"' ? std::string("\"\"") : std::string(1, c);
  return field + "\"";
}

std::string text_of(const Dim3& d) {
  return std::to_string(d.x) + "x" + std::to_string(d.y) + "x" + std::to_string(d.z);
}

std::string number(std::uint64_t value) {
  return "," + std::to_string(value);
}

std::string share(const CountedShare& of) {
  if (of.whole == 0) return ",";
  return "," + formatted("%.6f", static_cast<double>(of.part) / static_cast<double>(of.whole));
}

constexpr const char* columns =
    "launch,kernel,application,grid,block,registers,shared_bytes,stream,complete,cycles,warp_instructions,"
    "thread_instructions,global_load_sectors,global_store_sectors,global_atomic_sectors,l1_hit_rate,"
    "llc_read_sectors,llc_write_sectors,llc_atomic_sectors,llc_read_hit_rate,llc_hit_rate,dram_read_sectors,"
    "dram_write_sectors,sm_ipc\n";

/// The columns after the cycles, for a launch that ran alone.
std::string figures_of(const LaunchCounts& counts, std::uint64_t sm_cycles) {
  const platforms::LaunchSectors& sectors = counts.sectors;
  std::string text = number(counts.warp_instructions) + number(counts.thread_instructions);
  text += number(sectors.global.reads) + number(sectors.global.writes) + number(sectors.global.atomics);
  text += share(counts.l1_hits);
  text += number(sectors.llc.reads) + number(sectors.llc.writes) + number(sectors.llc.atomics);
  text += share(counts.llc_read_hits) + share(counts.llc_hits);
  text += counts.dram_is_known ? number(counts.dram_read) + number(counts.dram_written) : ",,";
  return text + share({counts.warp_instructions, sm_cycles});
}

}  // namespace

std::string by_launch_csv(const platforms::Platform& platform, const platforms::KernelRecorders& kernels,
                          Cycle end) {
  const auto sms = static_cast<std::uint64_t>(platforms::sms_of(platform.netlist()));
  std::string text = columns;
  for (const auto& recorder : kernels) {
    std::map<std::size_t, std::string> rows;
    std::map<std::size_t, KernelSpan> spans;  // in the first pass
    for (const KernelSpan& span : recorder->spans()) spans.insert({span.kernel, span});
    const auto add = [&](std::size_t kernel, const KernelFigures* alone) {
      const auto found = spans.find(kernel);
      if (found == spans.end()) return;
      const KernelSpan& span = found->second;
      const KernelInfo& info = recorder->source().kernels()[kernel];
      const Cycle cycles = (span.ended == never ? end : span.ended) - span.began;
      rows[kernel] = std::to_string(kernel) + "," + quoted(traces::plain_name(info.name)) +
                     number(info.application) + "," + text_of(info.grid) + "," + text_of(info.block) +
                     number(info.registers) + number(info.shared_bytes) + number(info.stream) +
                     (span.ended == never ? ",no" : ",yes") + number(cycles) +
                     (alone != nullptr ? figures_of(alone->counts, kernels.size() == 1 ? cycles * sms : 0)
                                       : number(span.warp_instructions) + std::string(13, ',')) +
                     "\n";
    };
    for (const KernelFigures& launch : recorder->launches()) {
      if (launch.parts.empty()) add(launch.kernel, &launch);
      for (const platforms::KernelPart& part : launch.parts) add(part.kernel, nullptr);
    }
    for (const auto& [kernel, row] : rows) text += row;
  }
  return text;
}

std::size_t overlapped_launches(const platforms::KernelRecorders& kernels) {
  std::size_t count = 0;
  for (const auto& recorder : kernels)
    for (const KernelFigures& launch : recorder->launches()) count += launch.parts.size();
  return count;
}

}  // namespace strata::cli
