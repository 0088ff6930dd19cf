// `strata platforms`: the shipped platforms, and how large they are.
#include <algorithm>
#include <cmath>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>

#include "models/common/faults.h"
#include "models/common/input_file.h"
#include "models/common/text.h"
#include "platforms/cli/arguments.h"
#include "platforms/engine/netlist/data_folders.h"
#include "platforms/engine/netlist/netlist.h"
#include "platforms/engine/netlist/param_table.h"
#include "platforms/report/headroom_machine.h"
#include "platforms/report/json_text.h"
#include "platforms/report/text_table.h"

namespace strata::cli {
namespace {

using Json = nlohmann::ordered_json;
using platforms::ResolvedGroup;
using platforms::ResolvedMember;
using platforms::ResolvedNetlist;

constexpr std::size_t most_columns = 100;

/// The first sentence of the comment at the top of a netlist.
std::string sentence_of(const std::string& name) {
  std::istringstream lines(read_input(platforms::find_platform(name)));
  std::string text;
  for (std::string line; std::getline(lines, line) && !line.empty() && line.front() == '#';) {
    const std::size_t begin = line.find_first_not_of("# ");
    if (begin == std::string::npos) break;
    text += (text.empty() ? "" : " ") + line.substr(begin);
    if (const std::size_t end = (text + " ").find(". "); end != std::string::npos)
      return text.substr(0, end + 1);
  }
  return text;
}

struct Machine {
  std::string name, sentence;
  int sms = 0;
  std::uint64_t l1 = 0, llc = 0;                        ///< bytes in total
  std::optional<double> llc_bandwidth, dram_bandwidth;  ///< bytes per second
};

void add_bandwidths(Machine& machine, const ResolvedNetlist& netlist) {
  double hertz = 0;
  for (const platforms::ResolvedClock& clock : netlist.clocks)
    if (clock.name == "core") hertz = static_cast<double>(clock.frequency.count);
  try {
    const auto params = platforms::headroom_machine(netlist).params;
    machine.llc_bandwidth = hertz * params.bandwidth.slice * params.channels * params.slices;
    if (std::isfinite(params.bandwidth.memory)) machine.dram_bandwidth = hertz * params.bandwidth.memory;
  } catch (const ConfigError&) {  // no LLC
  }
}

Machine machine_of(const std::string& name) {
  Machine machine{name, sentence_of(name), 0, 0, 0, {}, {}};
  const ResolvedNetlist netlist = platforms::Netlist::load({platforms::find_platform(name)}, {}).resolve();
  for (const ResolvedGroup& group : netlist.groups)
    for (const ResolvedMember& member : group.members) {
      const platforms::ParamValues values(*member.params);
      const auto shape = platforms::cache_shape(values, static_cast<std::uint64_t>(netlist.address_map.line));
      const std::uint64_t bytes =
          shape ? shape->line * shape->sets * static_cast<std::uint64_t>(shape->ways) : 0;
      if (group.kind->role == Role::sm) machine.sms += static_cast<int>(values.number("sms", 1));
      if (group.kind->role == Role::l1) machine.l1 += bytes;
      if (group.kind->role == Role::llc) machine.llc += bytes;
    }
  add_bandwidths(machine, netlist);
  return machine;
}

std::string size_text(std::uint64_t bytes) {
  if (bytes == 0) return "-";
  const double kib = static_cast<double>(bytes) / 1024;
  return kib < 1024 ? formatted("%.4g KiB", kib) : formatted("%.4g MiB", kib / 1024);
}

std::string bandwidth_text(const std::optional<double>& bytes) {
  return bytes ? platforms::grouped(static_cast<std::uint64_t>(std::llround(*bytes / 1e9))) : "-";
}

/// Lines of at most `most_columns` characters, indented.
std::string wrapped(const std::string& text) {
  std::istringstream words(text);
  std::string all, line;
  for (std::string word; words >> word;) {
    if (!line.empty() && line.size() + word.size() + 3 > most_columns) {
      all += "  " + line + "\n";
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
  }
  return all + "  " + line + "\n";
}

/// One line of figures for each machine, and its description below.
std::string text_of(const std::vector<Machine>& machines) {
  platforms::TextTable table;
  table.add({"platform", "SMs", "L1 in all", "LLC", "LLC GB/s", "DRAM GB/s"});
  for (const Machine& one : machines)
    table.add({one.name, one.sms == 0 ? "-" : std::to_string(one.sms), size_text(one.l1), size_text(one.llc),
               bandwidth_text(one.llc_bandwidth), bandwidth_text(one.dram_bandwidth)});
  std::istringstream lines(table.text(""));
  std::string text, line;
  std::getline(lines, line);
  text = line + "\n";
  for (const Machine& one : machines) {
    std::getline(lines, line);
    text += line + "\n" + wrapped(one.sentence);
  }
  return text;
}

std::string json_of(const std::vector<Machine>& machines) {
  Json json = Json::array();
  const auto known = [](const std::optional<double>& value) { return value ? Json(*value) : Json(nullptr); };
  for (const Machine& one : machines)
    json.push_back({{"name", one.name},
                    {"sentence", one.sentence},
                    {"sms", one.sms},
                    {"l1_bytes", one.l1},
                    {"llc_bytes", one.llc},
                    {"llc_bytes_per_second", known(one.llc_bandwidth)},
                    {"dram_bytes_per_second", known(one.dram_bandwidth)}});
  return platforms::json_text(json);
}

/// The names that contain one of the words; without words, all names.
std::vector<std::string> chosen(const std::vector<std::string>& names,
                                const std::vector<std::string>& words) {
  std::vector<std::string> some;
  for (const std::string& name : names)
    for (std::size_t i = 0; i < std::max<std::size_t>(words.size(), 1); ++i)
      if (words.empty() || name.find(words[i]) != std::string::npos) {
        some.push_back(name);
        break;
      }
  if (some.empty() && !words.empty())
    throw ConfigError("no platform has '" + words.front() + "' in its name" +
                      suggestion(words.front(), names) + "; strata platforms lists all");
  return some;
}

}  // namespace

int run_platforms(const std::vector<std::string>& arguments) {
  Arguments a(
      "platforms [TEXT]... [--variants] [--json]",
      "Lists the shipped platforms, or those with TEXT in their names: SMs, capacities of L1s and LLC,\n"
      "bandwidth of all LLC slice links and of DRAM, and a sentence from the netlist.\n"
      "--variants lists the files for --with, which change platforms.",
      "  strata platforms\n  strata platforms isca19\n  strata platforms --variants\n");
  a.options().add_options()("variants", "list the files for --with instead of platforms")(
      "json", "print a JSON array: bytes, and bytes per second");
  if (!a.read(arguments, 0, any_number)) return 0;
  if (a.has("variants")) {
    if (a.has("json")) throw ConfigError("--variants and --json exclude each other");
    for (const std::string& name : chosen(platforms::variant_names(), a.words()))
      std::cout << name << "\n" << wrapped(sentence_of(name));
    return 0;
  }
  std::vector<Machine> machines;
  for (const std::string& name : chosen(platforms::platform_names(), a.words()))
    machines.push_back(machine_of(name));
  std::cout << (a.has("json") ? json_of(machines) : text_of(machines));
  return 0;
}

}  // namespace strata::cli
