#include "platforms/report/module_tables.h"

#include <algorithm>

#include "models/common/counts_if.h"
#include "models/common/llc_choices_if.h"
#include "models/common/text.h"
#include "models/tlm/run_driver.h"
#include "platforms/report/stat_table.h"

namespace strata::platforms {
namespace {

bool several_streams(const std::vector<InstructionSource*>& sources) {
  return std::any_of(sources.begin(), sources.end(), [](InstructionSource* source) {
    const std::vector<KernelInfo>& kernels = source->kernels();
    return std::any_of(kernels.begin(), kernels.end(),
                       [&](const KernelInfo& kernel) { return kernel.stream != kernels.front().stream; });
  });
}

std::string line_of(const KernelSpan& span, const KernelInfo& kernel, Cycle end, bool streams) {
  std::string name = kernel.name;
  std::replace(name.begin(), name.end(), ',', '_');
  const bool complete = span.ended != never;
  return std::to_string(span.kernel) + "," + name + "," + std::to_string(kernel.application) + "," +
         std::to_string(kernel.ctas()) + "," + std::to_string(span.began) + "," +
         std::to_string(complete ? span.ended : end) + (complete ? ",yes" : ",no") +
         (streams ? "," + std::to_string(kernel.stream) + "," + std::to_string(span.warp_instructions) : "") +
         "\n";
}

std::string column(const std::vector<double>& values, std::size_t i, const char* format) {
  return i < values.size() ? "," + formatted(format, values[i]) : ",";
}

void add_lines(const LlcChoice& choice, const std::string& application, std::string& text) {
  const std::string head = application + std::to_string(choice.at) + "," + choice.why + "," +
                           (choice.mode == LlcMode::private_ ? "private," : "shared,") +
                           std::to_string(choice.degree);
  if (choice.degrees.empty()) text += head + ",,,,,\n";
  for (std::size_t i = 0; i < choice.degrees.size(); ++i)
    text += head + "," + std::to_string(choice.degrees[i]) + column(choice.miss_rates, i, "%.6f") +
            column(choice.lsps, i, "%.4f") + column(choice.bandwidths, i, "%.3f") +
            column(choice.ipcs, i, "%.3f") + "\n";
}

}  // namespace

std::string kernels_csv(const Platform& platform, const std::vector<InstructionSource*>& sources, Cycle end) {
  const bool streams = several_streams(sources);
  std::string text = std::string("kernel,name,application,ctas,began,ended,complete") +
                     (streams ? ",stream,warp_instructions\n" : "\n");
  for (const PlatformInstance& instance : platform.instances()) {
    const auto* driver = dynamic_cast<const RunDriver*>(instance.block);
    for (std::size_t a = 0; driver != nullptr && a < sources.size(); ++a)
      for (const KernelSpan& span : driver->kernel_spans(static_cast<int>(a)))
        text += line_of(span, sources[a]->kernels()[span.kernel], end, streams);
  }
  return text;
}

std::string llc_choices_csv(const Platform& platform) {
  std::string text;
  bool several = false;
  for (const PlatformInstance& instance : platform.instances()) {
    const auto* control = dynamic_cast<const LlcChoicesIf*>(instance.block);
    if (control == nullptr) continue;
    several = control->application_count() > 1;
    for (int a = 0; a < control->application_count(); ++a)
      for (const LlcChoice& choice : control->choices(a))
        add_lines(choice, several ? std::to_string(a) + "," : std::string(), text);
  }
  if (text.empty()) return text;
  return std::string(several ? "application," : "") +
         "cycle,why,mode,degree,compared_degree,miss_rate,lsp,bytes_per_cycle,instructions_per_cycle\n" +
         text;
}

std::string requesters_csv(const Platform& platform) {
  std::string text;
  std::vector<std::string> columns;
  for (const PlatformInstance& instance : platform.of_role(Role::l1)) {
    const auto* shared = dynamic_cast<const RequesterCountsIf*>(instance.block);
    if (shared == nullptr) continue;
    const std::vector<const StatSet*> by_sm = shared->by_requester();
    for (std::size_t sm = 0; sm < by_sm.size(); ++sm) {
      const InstanceStats of = read_stats(instance.full_name(), *instance.kind, *by_sm[sm]);
      if (std::all_of(of.counters.begin(), of.counters.end(), [](const auto& row) { return row.value == 0; }))
        continue;
      if (text.empty()) {
        text = "node,sm";
        for (const CounterRow& row : of.counters)
          if (!row.is_left_out()) columns.push_back(row.name), text += "," + row.name;
        text += "\n";
      }
      text += of.instance + "," + std::to_string(sm);
      for (const std::string& column : columns)
        text += "," + (of.counter(column) == nullptr ? "" : std::to_string(of.counter(column)->value));
      text += "\n";
    }
  }
  return text;
}

std::string contention_csv(const Platform& platform) {
  std::string text;
  for (const PlatformInstance& instance : platform.of_role(Role::observer)) {
    const auto* tracker = dynamic_cast<const ContentionCountsIf*>(instance.block);
    if (tracker == nullptr) continue;
    if (text.empty()) text = "tracker,victim,aggressor,demotions,evictions,victim_misses\n";
    for (int v = 0; v < tracker->kernels(); ++v)
      for (int a = 0; a < tracker->kernels(); ++a) {
        const std::uint64_t demotions = tracker->demotions(v, a), evictions = tracker->evictions(v, a);
        if (demotions == 0 && evictions == 0) continue;
        for (const std::string& cell : {instance.full_name(), std::to_string(v), std::to_string(a),
                                        std::to_string(demotions), std::to_string(evictions)})
          text += cell + ",";
        text += std::to_string(tracker->misses(v)) + "\n";
      }
  }
  return text;
}

}  // namespace strata::platforms
