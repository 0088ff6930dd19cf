#include <algorithm>
#include <cstdio>
#include <functional>
#include <nlohmann/json.hpp>

#include "platforms/report/json_text.h"
#include "platforms/report/text_table.h"
#include "platforms/studies/energy/energy_report.h"

namespace strata::platforms {
namespace {

using power::Interval;
using Json = nlohmann::ordered_json;

struct Split {
  Interval dynamic, leakage, clock;
  Interval total() const { return dynamic + leakage + clock; }
};

Split split_of(const EnergyReport& report, const EnergyGroup* only) {
  Split split;
  for (const PartEnergy& part : report.parts) {
    if (only != nullptr && part.group != *only) continue;
    split.dynamic += part.dynamic;
    split.leakage += part.leakage;
    split.clock += part.clock;
  }
  return split;
}

double per(double value, double divisor) {
  return divisor == 0 ? 0 : value / divisor;
}

std::string millijoules(double joules) {
  return rounded(1e3 * joules);
}

void add_row(TextTable& table, const std::string& name, const Split& split, const EnergyReport& report) {
  const Interval total = split.total();
  table.add({name, millijoules(split.dynamic.nominal), millijoules(split.leakage.nominal),
             millijoules(split.clock.nominal), millijoules(total.nominal),
             millijoules(total.low) + " - " + millijoules(total.high),
             rounded(per(total.nominal, report.seconds)),
             percent(per(total.nominal, report.total().nominal))});
}

Json interval(const Interval& value) {
  return Json::array({value.low, value.nominal, value.high});
}

Json json_of(const EnergyReport& report) {
  Json json;
  json["result"] = report.title;
  json["seconds"] = report.seconds;
  json["joules"] = interval(report.total());
  json["watts"] = per(report.total().nominal, report.seconds);
  json["pj_per_thread_instruction"] = per(1e12 * report.total().nominal, report.thread_instructions);
  json["pj_per_byte"] = per(1e12 * report.total().nominal, report.bytes);
  json["joule_seconds"] = report.total().nominal * report.seconds;
  json["ipc"] = report.ipc;
  for (const EnergyGroupRow& row : energy_groups)
    json["groups"][std::string(row.name)] = interval(report.of(row.value));
  json["parts"] = Json::array();
  for (const PartEnergy& part : report.parts)
    json["parts"].push_back({{"instance", part.instance},
                             {"module", part.module},
                             {"part", part.part},
                             {"group", to_text(part.group)},
                             {"dynamic", interval(part.dynamic)},
                             {"leakage", interval(part.leakage)},
                             {"clock", interval(part.clock)}});
  json["not_counted"] = report.uncounted;
  json["notes"] = report.notes;
  return json;
}

}  // namespace

std::string energy_text(const EnergyReport& report) {
  TextTable table;
  table.add({report.title, "dynamic mJ", "leakage mJ", "clock mJ", "total mJ", "low - high", "W", "share"});
  for (const EnergyGroupRow& one : energy_groups) {
    const Split split = split_of(report, &one.value);
    if (split.total().nominal > 0) add_row(table, one.label, split, report);
  }
  add_row(table, "total", split_of(report, nullptr), report);
  const double joules = report.total().nominal;
  std::string text = table.text("") + "\n" + rounded(per(1e12 * joules, report.thread_instructions)) +
                     " pJ for a thread instruction, " + rounded(per(1e12 * joules, report.bytes)) +
                     " pJ per byte requested by the SMs; " + "energy x delay " +
                     rounded(1e9 * joules * report.seconds) + " nJ s, " +
                     rounded(per(report.ipc, per(joules, report.seconds))) + " IPC/W\n";
  for (const std::string& name : report.uncounted) text += "not counted: " + name + "\n";
  for (const std::string& note : report.notes) text += "beyond: " + note + "\n";
  return text;
}

std::string energy_comparison(const std::vector<EnergyReport>& reports) {
  TextTable table;
  std::vector<std::string> head{"energy"};
  for (const EnergyReport& report : reports) head.push_back(report.title);
  table.add(head);
  const auto row = [&](const std::string& name, const std::function<double(const EnergyReport&)>& value) {
    std::vector<std::string> cells{name};
    const double first = value(reports.front());
    for (const EnergyReport& report : reports)
      cells.push_back(rounded(value(report)) + (&report == &reports.front() || first == 0
                                                    ? ""
                                                    : " (" + std::string(value(report) < first ? "" : "+") +
                                                          percent(value(report) / first - 1) + ")"));
    table.add(cells);
  };
  const auto any = [&reports](EnergyGroup group) {
    return std::any_of(reports.begin(), reports.end(),
                       [group](const EnergyReport& r) { return r.of(group).nominal > 0; });
  };
  for (const EnergyGroupRow& one : energy_groups)
    if (any(one.value))
      row(std::string(one.label) + ", mJ",
          [&one](const EnergyReport& r) { return 1e3 * r.of(one.value).nominal; });
  row("total, mJ", [](const EnergyReport& r) { return 1e3 * r.total().nominal; });
  row("power, W", [](const EnergyReport& r) { return per(r.total().nominal, r.seconds); });
  row("pJ for a thread instruction",
      [](const EnergyReport& r) { return per(1e12 * r.total().nominal, r.thread_instructions); });
  row("energy x delay, nJ s", [](const EnergyReport& r) { return 1e9 * r.total().nominal * r.seconds; });
  row("IPC/W", [](const EnergyReport& r) { return per(r.ipc, per(r.total().nominal, r.seconds)); });
  return table.text("");
}

std::string energy_summary(const EnergyReport& report) {
  std::string text;
  for (const EnergyGroupRow& one : energy_groups) {
    const Interval joules = report.of(one.value);
    if (joules.nominal <= 0) continue;
    std::string name = std::string("energy ") + one.label;
    name.resize(16, ' ');
    text += name + millijoules(joules.nominal) + " mJ (" + millijoules(joules.low) + " - " +
            millijoules(joules.high) + "), " + rounded(per(joules.nominal, report.seconds)) + " W, " +
            percent(per(joules.nominal, report.total().nominal)) + "\n";
  }
  return text;
}

std::string energy_json(const std::vector<EnergyReport>& reports) {
  Json json = Json::array();
  for (const EnergyReport& report : reports) json.push_back(json_of(report));
  return json_text(json) + "\n";
}

std::string energy_csv(const std::vector<EnergyReport>& reports) {
  std::string text = "result,instance,module,part,group,kind,joule_low,joule,joule_high\n";
  const auto row = [&text](const EnergyReport& report, const PartEnergy& part, const char* kind,
                           const Interval& joules) {
    char numbers[80];
    std::snprintf(numbers, sizeof numbers, ",%.9g,%.9g,%.9g\n", joules.low, joules.nominal, joules.high);
    text += report.title + "," + part.instance + "," + part.module + "," + part.part + "," +
            to_text(part.group) + "," + kind + numbers;
  };
  for (const EnergyReport& report : reports)
    for (const PartEnergy& part : report.parts) {
      row(report, part, "dynamic", part.dynamic);
      row(report, part, "leakage", part.leakage);
      row(report, part, "clock", part.clock);
    }
  return text;
}

}  // namespace strata::platforms
