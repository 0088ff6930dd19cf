#include <algorithm>
#include <filesystem>
#include <iostream>
#include <sstream>

#include "models/common/input_file.h"
#include "models/common/text.h"
#include "models/common/units.h"
#include "models/io/draft.h"
#include "models/io/file_guard.h"
#include "models/memory_controller/replay.h"
#include "platforms/cli/arguments.h"
#include "platforms/engine/netlist/data_folders.h"
#include "platforms/engine/netlist/netlist.h"
#include "platforms/engine/netlist/param_table.h"
#include "platforms/engine/timing_sets.h"

namespace strata::cli {
namespace {

constexpr std::uint64_t most_list_bytes = std::uint64_t{1} << 30;  // fifty million requests

Arguments dram_arguments() {
  Arguments a(
      "dram REQUESTS.csv --timing-set S [--commands OUT.csv] [--replies OUT.csv] [--set KEY=VALUE]...",
      "Replays a list of DRAM requests through the memory controller and one DRAM channel.\n"
      "REQUESTS.csv begins with the line id,arrive,type,bg,bank,row,col; type is R or W, col counts column\n"
      "commands, and each request is one of them. One port, in order: a request is accepted when it has\n"
      "arrived and its queue has room, at most one a cycle.",
      "  strata dram requests.csv --timing-set hbm_bl4 --commands commands.csv --replies replies.csv\n"
      "  strata dram requests.csv --timing-set gddr6 --set refresh=all_bank --set page_policy=adaptive\n"
      "  strata dram requests.csv --timing-set mine/lab.yaml --set read_queue=64\n");
  a.options().add_options()("timing-set", po::value<std::string>(),
                            "a shipped timing set, or a file of your own")(
      "commands", po::value<std::string>(), "write every command: cycle,cmd,bg,bank,row,col,req")(
      "replies", po::value<std::string>(),
      "write every request: id,arrive,accept,cas_issue,data_end,latency")(
      "controller", po::value<std::string>(),
      "of a list that `strata run --dram-requests` wrote: which controller's requests; default the first one "
      "in it")("set", po::value<std::vector<std::string>>(), "set a parameter of the memory controller");
  return a;
}

// True for parameters that the list fixes.
bool fixed_by_list(const std::string& key) {
  return key == "slices" || key == "line" || key == "interleave" || key == "bank_xor" || key == "timing_set";
}

std::optional<std::int64_t> plain_integer(const std::string& text, std::string& problem) {
  const auto value = parse_integer(text);
  if (!value) problem = "is not a whole number";
  return value;
}

void apply_settings(MemoryControllerParams& params, const std::vector<std::string>& settings) {
  platforms::NetlistSection section;
  section.name = "--set";
  for (const std::string& setting : settings) {
    const std::size_t equals = setting.find('=');
    if (equals == std::string::npos)
      throw ConfigError("--set " + setting + ": expected KEY=VALUE, such as refresh=all_bank");
    platforms::NetlistEntry entry;
    entry.key = setting.substr(0, equals);
    entry.text = setting.substr(equals + 1);
    entry.key_where.file = entry.where.file = "--set " + setting;
    if (fixed_by_list(entry.key))
      throw ConfigError("--set " + setting + ": " + entry.key +
                        (entry.key == "timing_set" ? " is chosen with --timing-set"
                                                   : " has no effect: the list names places in the channel"));
    section.set(entry);
  }
  Faults faults;
  platforms::read_params(params, section, {}, plain_integer, faults);
  if (faults.empty()) platforms::check_params(params.validate(), "", section, nullptr, faults);
  if (!faults.empty()) throw ConfigError(std::move(faults));
}

MemoryControllerParams params_of(const Arguments& a) {
  if (!a.has("timing-set")) throw ConfigError("--timing-set is missing: which DRAM is it?");
  MemoryControllerParams params;
  const std::string name = a.get<std::string>("timing-set");
  const bool is_file =
      name.find('/') != std::string::npos || std::filesystem::path(name).extension() == ".yaml";
  params.timing = is_file ? platforms::load_timing_set_file(name)
                          : platforms::load_timing_set(name, platforms::data_folders("timing_sets", ""));
  params.timing_set = params.timing.name;
  params.line = Bytes(static_cast<std::uint64_t>(params.timing.bytes_per_CAS));
  apply_settings(params, a.has("set") ? a.get<std::vector<std::string>>("set") : std::vector<std::string>{});
  return params;
}

RequestList requests_of(const Arguments& a, const TimingSet& set) {
  const std::string& path = a.words().front();
  int controller = -1;
  if (a.has("controller"))
    controller = static_cast<int>(
        std::min<std::uint64_t>(whole_number("controller", a.get<std::string>("controller"), 0), INT32_MAX));
  std::istringstream in;
  try {
    in.str(read_input(path, most_list_bytes));
  } catch (const InputError& error) {
    throw TraceError(Fault{{path, 0, 0}, std::string("cannot read the request list: ") + error.what()});
  }
  return read_controller_list(in, path, set, controller);
}

template <class Writer, class Rows>
void write_csv(const Arguments& a, const char* option, Writer&& write, const Rows& rows) {
  if (!a.has(option)) return;
  std::ostringstream text;
  write(text, rows);
  write_file(a.get<std::string>(option), text.str());
}

std::string share(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? "-" : fixed(100.0 * static_cast<double>(part) / static_cast<double>(whole), 1) + " %";
}

// Latency of the reads of the list, from acceptance to the last data.
std::string read_latency(const std::vector<ReplayRequest>& requests, const ReplayResult& result) {
  Cycle least = never;
  Cycle most = 0;
  Cycle total = 0;
  std::uint64_t reads = 0;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (requests[i].write) continue;
    const Cycle latency = result.replies[i].latency();
    least = std::min(least, latency);
    most = std::max(most, latency);
    total += latency;
    ++reads;
  }
  if (reads == 0) return "-";
  return "least " + std::to_string(least) + ", mean " +
         fixed(static_cast<double>(total) / static_cast<double>(reads), 1) + ", most " + std::to_string(most);
}

void print_summary(const TimingSet& set, const std::vector<ReplayRequest>& requests,
                   const ReplayResult& result) {
  const MemoryControllerStats& s = result.stats;
  std::uint64_t of_kind[dram_command_count] = {};
  for (const ReplayCommand& command : result.commands) ++of_kind[static_cast<int>(command.command)];
  std::cout << "timing set    " << set.name << "\n"
            << "requests      " << requests.size() << ": " << s.reads << " reads, " << s.writes << " writes, "
            << s.forwarded_reads << " reads served by the write queue\n"
            << "cycles        " << result.total_cycles << ", first arrival to last data\n"
            << "commands     ";
  for (int kind = 0; kind < dram_command_count; ++kind)
    if (kind < 4 || of_kind[kind] != 0)
      std::cout << ' ' << to_text(static_cast<DramCommand>(kind)) << ' ' << of_kind[kind];
  std::cout << "\nrows          " << s.row_hits << " hits, " << s.row_misses << " misses, " << s.row_conflicts
            << " conflicts: hit rate " << share(s.row_hits, s.started) << "\n"
            << "read latency  " << read_latency(requests, result) << " cycles\n"
            << "data bus      " << share(s.bursts * static_cast<std::uint64_t>(set.nBL), result.total_cycles)
            << " busy\n";
}

}  // namespace

int run_dram(const std::vector<std::string>& arguments) {
  Arguments a = dram_arguments();
  if (!a.read(arguments, 1, 1)) return 0;
  const MemoryControllerParams params = params_of(a);
  FileGuard files;
  files.reads(a.words().front());
  files.reads(a.get<std::string>("timing-set"));
  for (const char* option : {"commands", "replies"})
    if (a.has(option)) files.writes(std::string("--") + option, a.get<std::string>(option));
  const RequestList list = requests_of(a, params.timing);
  const std::vector<ReplayRequest>& requests = list.requests;
  const ReplayResult result = replay_through_modules(params, requests);
  write_csv(a, "commands", write_commands, result.commands);
  write_csv(a, "replies", write_replies, result.replies);
  if (list.controller >= 0)
    std::cout << "controller    " << list.controller
              << (list.others != 0 ? "; the list has " + std::to_string(list.others) +
                                         " others: --controller N chooses one"
                                   : std::string())
              << "\n";
  print_summary(params.timing, requests, result);
  return 0;
}

}  // namespace strata::cli
