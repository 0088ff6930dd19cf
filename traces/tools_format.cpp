#include <cstdio>

#include "models/common/named.h"
#include "models/common/text.h"
#include "models/common/units.h"
#include "traces/tools.h"

namespace strata::traces {
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
