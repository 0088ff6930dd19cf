#include "platforms/report/console_summary.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "models/common/text.h"
#include "platforms/report/digest.h"
#include "platforms/report/text_table.h"

namespace strata::platforms {
namespace {

constexpr int bar_width = 30;
constexpr std::size_t most_columns = 100, word_width = 10;  // of the verdict

std::string count(const Summary& s, const char* name) {
  const SummaryRow& row = *s.find(name);
  return row.absent.empty() ? grouped(row.count) : "-";
}

std::string share(const Summary& s, const char* name) {
  const SummaryRow& row = *s.find(name);
  return row.real ? percent(*row.real) : "-";
}

std::string figure(const Summary& s, const char* name) {
  const SummaryRow& row = *s.find(name);
  return row.real ? rounded(*row.real) : "-";
}

std::string main_table(const Summary& s) {
  TextTable table;
  table.add({"cycles", count(s, "cycles")});
  if (s.find("thread_instructions")->count != 0 || s.find("line_accesses")->count == 0) {
    table.add({"thread instructions", count(s, "thread_instructions")});
    table.add({"warp instructions", count(s, "warp_instructions")});
    table.add({"IPC (thread instructions per cycle)", figure(s, "ipc")});
  } else {  // traffic generators alone
    table.add({"line accesses", count(s, "line_accesses")});
    table.add({"line accesses per cycle", figure(s, "line_access_rate")});
  }
  table.add({"LLC response rate (replies per cycle)", figure(s, "llc_response_rate")});
  table.add({"mean latency of a line access (cycles)", figure(s, "mean_latency")});
  table.add({"mean latency of a load (cycles)", figure(s, "mean_load_latency")});
  return table.text();
}

/// Loads that bypass the L1's tags get a column if there are any: without it the row would not add up.
std::string cache_table(const Summary& s) {
  const SummaryRow& bypasses = *s.find("l1_bypasses");
  const bool past = bypasses.absent.empty() && bypasses.count != 0;
  TextTable table;
  const auto add = [&](std::vector<std::string> cells, std::string bypassed) {
    if (past) cells.insert(cells.end() - 1, std::move(bypassed));
    table.add(std::move(cells));
  };
  add({"cache", "accesses", "hits", "merges", "misses", "hit rate"}, "bypasses");
  add({"L1 (loads)", count(s, "l1_accesses"), count(s, "l1_hits"), count(s, "l1_merges"),
       count(s, "l1_misses"), share(s, "l1_hit_rate")},
      grouped(bypasses.count));
  add({"LLC (requests)", count(s, "llc_accesses"), count(s, "llc_hits"), count(s, "llc_merges"),
       count(s, "llc_misses"), share(s, "llc_hit_rate")},
      "");
  // In sectors, like simulators of sectored caches.
  for (const auto& [name, asked, missed] : {std::array{"L1 (sectors)", "l1_sectors", "l1_missed_sectors"},
                                            std::array{"LLC (sectors)", "llc_sectors", "llc_missed_sectors"}})
    if (s.find(asked) != nullptr) add({name, count(s, asked), "", "", count(s, missed), ""}, "");
  return table.text();
}

std::string network_table(const Summary& s) {
  TextTable table;
  table.add({"NoC utilization, requests", share(s, "noc_request_utilization")});
  table.add({"NoC utilization, replies", share(s, "noc_reply_utilization")});
  table.add({"DRAM utilization", share(s, "dram_utilization")});
  table.add({"DRAM row-hit rate", share(s, "row_hit_rate")});
  table.add({"DRAM reads", count(s, "dram_reads")});
  table.add({"DRAM writes", count(s, "dram_writes")});
  table.add({"DRAM bursts read", count(s, "dram_read_bursts")});
  table.add({"DRAM bursts written", count(s, "dram_write_bursts")});
  return table.text();
}

/// Places in the order of a request's path; places without cycles are left out.
std::string latency_table(const LedgerTotals::Sums& sums, const LedgerPlaces& places) {
  if (sums.count == 0 || sums.latency == 0) return {};
  TextTable table;
  std::vector<std::string> bars;
  std::uint64_t most = 1;
  const std::vector<Place> way = places.on_the_way();
  for (const Place place : way) most = std::max(most, sums.cycles[place]);
  for (const Place place : way) {
    const std::uint64_t cycles = sums.cycles[place];
    if (cycles == 0) continue;
    const double part = static_cast<double>(cycles) / static_cast<double>(sums.latency);
    table.add({places.name(place), rounded(static_cast<double>(cycles) / static_cast<double>(sums.count)),
               percent(part)});
    bars.push_back(bar(static_cast<double>(cycles) / static_cast<double>(most), bar_width));
  }
  std::string out;
  const std::string text = table.text();
  std::size_t begin = 0;
  for (const std::string& line_bar : bars) {
    const std::size_t end = text.find('\n', begin);
    out += text.substr(begin, end - begin) + "  " + line_bar + "\n";
    begin = end + 1;
  }
  return out;
}

}  // namespace

std::string console_summary(const RunRecord& record) {
  std::string out = "platform  " + printable(record.platform) + "\n";
  for (const std::string& with : record.withs) out += "with      " + printable(with) + "\n";
  out += "trace     " + printable(record.trace) + "\n";
  if (record.partial) out += "PARTIAL   " + record.reason + ": the figures cover the simulation until then\n";
  if (!record.applications.empty()) out += "\n" + applications_text(record.applications);
  out += "\n" + main_table(record.summary) + "\n" + cache_table(record.summary) + "\n" +
         network_table(record.summary);
  for (const std::string& gap : gaps(record.summary)) out += "\nnot in these figures: " + gap;
  if (!gaps(record.summary).empty()) out += "\n";
  for (int g = 0; g < LedgerTotals::group_count; ++g) {
    const LedgerTotals::Sums& sums = record.ledger.groups[static_cast<std::size_t>(g)];
    const std::string table = latency_table(sums, record.places);
    if (table.empty()) continue;
    out += "\nwhere the cycles of " + grouped(sums.count) + " " + std::string(group_name(g)) +
           " went (cycles per access, mean " +
           rounded(static_cast<double>(sums.latency) / static_cast<double>(sums.count)) + ")\n" + table;
  }
  out += "\n  " + rounded(record.summary.find("cpu_seconds")->value(), 3) + " s of processor time, " +
         grouped(record.summary.find("peak_rss_bytes")->count / (1024 * 1024)) + " MiB of memory\n";
  out += "\n" + wrapped(verdict_text(record.verdict), most_columns, word_width);
  return out + "digest: " + digest_text(record.digest) + "\n";
}

}  // namespace strata::platforms
