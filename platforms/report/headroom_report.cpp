#include "platforms/report/headroom_report.h"

#include <algorithm>

#include "models/llc_predictors/replication_shape.h"
#include "models/llc_predictors/sharing_windows.h"
#include "platforms/report/text_table.h"

namespace strata::platforms {
namespace {

std::string name_of(int degree, const HeadroomParams& params) {
  if (degree == 1) return "full sharing";
  if (degree == std::min(params.slices, params.clusters)) return "full replication";
  return std::to_string(degree) + " copies";
}

void add(TextTable& table, const std::string& name, const std::string& replacement,
         const HeadroomResult& result) {
  table.add(
      {name, replacement, percent(result.hit_rate()), rounded(result.lsp, 3), rounded(result.bandwidth, 4)});
}

std::string clusters_text(const std::vector<LlcLookup>& stream, const HeadroomParams& params) {
  SharingWindows windows({params.window, params.clusters});
  for (const LlcLookup& lookup : stream) windows.observe(lookup.number, lookup.cluster, lookup.cycle);
  windows.finish();
  if (windows.lines() == 0) return "";
  const auto share = [&](int from, int to) {
    return percent(static_cast<double>(windows.lines(from, to)) / static_cast<double>(windows.lines()));
  };
  TextTable table;
  table.add({"clusters that touch a line", "1", "2", "3-4", "5-8", "9 or more"});
  table.add(
      {"share of lines", share(1, 1), share(2, 2), share(3, 4), share(5, 8), share(9, params.clusters)});
  return table.text();
}

std::string sms_text(const std::vector<LlcLookup>& stream, const HeadroomParams& params) {
  int sms = 1;
  for (const LlcLookup& lookup : stream) sms = std::max(sms, lookup.sm + 1);
  SharingWindows windows({params.window, sms});
  for (const LlcLookup& lookup : stream)
    if (lookup.access_class == AccessClass::read_only_load)
      windows.observe(lookup.number, lookup.sm, lookup.cycle);
  windows.finish();
  if (windows.lines() == 0) return "";
  TextTable table;
  table.add({"SMs that touch a read-only line", "2 or more", "10 or more"});
  table.add({"share of lines", percent(windows.share_from(2)), percent(windows.share_from(10))});
  return table.text();
}

}  // namespace

std::string headroom_report(const std::vector<LlcLookup>& stream, const HeadroomParams& params) {
  TextTable table;
  table.add({"LLC", "replacement", "hit rate", "LSP", "bytes per cycle"});
  for (int degree = 1; degree <= params.slices; degree *= 2) {
    if (!ReplicationShape::allows(params.clusters, params.slices, degree)) continue;
    const std::string name = name_of(degree, params);
    add(table, name, "LRU", replay_degree(stream, params, degree));
    add(table, name, "OPT", replay_opt(stream, params, degree));
    add(table, name, "infinite", replay_infinite(stream, params, degree));
  }
  std::string text = std::to_string(stream.size()) +
                     " lookups of the LLC, replayed in the order of the run\n" + table.text();
  const std::string window = std::to_string(params.window);
  const std::string clusters = clusters_text(stream, params);
  if (!clusters.empty()) text += "Lines in windows of " + window + " cycles\n" + clusters;
  return text + sms_text(stream, params);
}

}  // namespace strata::platforms
