#include "platforms/cli/application_list.h"

#include <algorithm>

#include "models/common/faults.h"
#include "models/common/text.h"
#include "platforms/engine/netlist/param_table.h"
#include "traces/application_source.h"
#include "traces/read_ahead.h"

namespace strata::cli {
namespace {

/// The option's value if `words[i]` is that option, which the parser has accepted.
bool is_option(const std::vector<std::string>& words, std::size_t i, const std::string& option,
               std::string& value) {
  const std::string name = "--" + option;
  if (words[i] == name && i + 1 < words.size()) {
    value = words[i + 1];
    return true;
  }
  if (words[i].rfind(name + "=", 0) != 0) return false;
  value = words[i].substr(name.size() + 1);
  return true;
}

template <class T>
std::string joined(const std::vector<T>& values) {
  std::string text;
  for (const T& value : values) text += (text.empty() ? "" : ":") + std::to_string(value);
  return text;
}

}  // namespace

void add_application_options(Arguments& arguments) {
  arguments.options().add_options()("trace", po::value<std::vector<std::string>>(),
                                    "trace to simulate; several traces are applications side by side")(
      "workload", po::value<std::vector<std::string>>(),
      "kernels to interpret and simulate: NAME, NAME@SCALE, FILE.yaml; may be repeated, like --trace")(
      "share", po::value<std::string>(),
      "SMs of each cluster for each application, as in 6:4; default: equal shares")(
      "max-instructions", po::value<std::string>(),
      "end after this many thread instructions; each application's budget, one for all or as in "
      "50000000:20000000")("no-repeat",
                           "several applications: one that has ended idles instead of beginning again");
}

ApplicationList application_list(const Arguments& arguments, const std::vector<std::string>& words) {
  ApplicationList list;
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::string value;
    const bool trace = is_option(words, i, "trace", value);
    if (!trace && !is_option(words, i, "workload", value)) continue;
    if (value.empty())
      throw ConfigError(trace ? "--trace: the name of the trace is empty"
                              : "--workload: the name of the workload is empty");
    list.traces.push_back(trace ? value : "workload:" + value);
  }
  if (list.traces.size() > static_cast<std::size_t>(max_applications))
    throw ConfigError(std::to_string(list.traces.size()) + " applications; allowed: at most " +
                      std::to_string(max_applications));
  const std::string count =
      std::to_string(list.traces.size()) + (list.traces.size() == 1 ? " application" : " applications");
  if (arguments.has("share")) {
    for (const std::string& part : split(arguments.get<std::string>("share"), ':'))
      list.shares.push_back(
          static_cast<int>(std::min<std::uint64_t>(whole_number("share", part, 1), 1 << 20)));
    if (list.shares.size() != list.traces.size() || list.traces.size() < 2)
      throw ConfigError("--share " + joined(list.shares) + " has " + std::to_string(list.shares.size()) +
                        (list.shares.size() == 1 ? " share" : " shares") + " for " + count +
                        "; allowed: SMs of each cluster for each of several, as in 6:4");
  }
  if (arguments.has("max-instructions")) {
    for (const std::string& part : split(arguments.get<std::string>("max-instructions"), ':'))
      list.budgets.push_back(whole_number("max-instructions", part, 1));
    if (list.budgets.size() > 1 && list.budgets.size() != list.traces.size())
      throw ConfigError("--max-instructions names " + std::to_string(list.budgets.size()) + " budgets for " +
                        count + "; allowed: one for all, or one for each");
  }
  if (arguments.has("no-repeat") && list.traces.size() < 2)
    throw ConfigError("--no-repeat: one program never begins again; it is for several applications");
  return list;
}

int sms_of_a_cluster(const platforms::ResolvedNetlist& netlist) {
  int sms = 0;
  for (const platforms::ResolvedGroup& group : netlist.groups)
    for (const platforms::ResolvedMember& member : group.members) {
      if (group.kind->role != Role::sm) continue;
      const int own = static_cast<int>(platforms::ParamValues(*member.params).number("sms", 1));
      if (sms != 0 && own != sms) return 0;
      sms = own;
    }
  return sms;
}

std::vector<int> share_out(const std::vector<int>& shares, std::size_t count, int sms) {
  if (sms == 0)
    throw ConfigError(
        "several applications share the SMs of each cluster, but the clusters of the platform "
        "do not have the same number of SMs");
  if (count > static_cast<std::size_t>(sms))
    throw ConfigError(std::to_string(count) + " applications, but a cluster has " + std::to_string(sms) +
                      (sms == 1 ? " SM" : " SMs") + "; allowed: at most one application an SM of a cluster");
  if (!shares.empty()) {
    int sum = 0;
    for (const int share : shares) sum += share;
    if (sum != sms)
      throw ConfigError("--share " + joined(shares) + " adds up to " + std::to_string(sum) +
                        " SMs, but a cluster has " + std::to_string(sms));
    return shares;
  }
  std::vector<int> equal;
  const int applications = static_cast<int>(count);
  for (int a = 0; a < applications; ++a)
    equal.push_back(sms / applications + (a < sms % applications ? 1 : 0));
  return equal;
}

OpenApplications::OpenApplications(const ApplicationList& list, const SourceOptions& options, int sms,
                                   const platforms::RunDefaults& run) {
  const std::size_t count = list.traces.size();
  const std::vector<int> shares = count < 2 ? std::vector<int>(count, 0) : share_out(list.shares, count, sms);
  for (std::size_t a = 0; a < count; ++a) {
    OpenedSource opened = open_source(list.traces[a], options);
    programs_.push_back(std::move(opened.source));
    InstructionSource* source = programs_.back().get();
    for (std::string& file : opened.files) files_.push_back(std::move(file));
    origin_ += (a == 0 ? "" : " + ") + opened.origin;
    if (count > 1) {
      moved_.push_back(traces::make_application(*source, static_cast<std::uint32_t>(a)));
      source = moved_.back().get();
    }
    if (options.worker) {
      ahead_.push_back(traces::read_ahead(*source));
      source = ahead_.back().get();
    }
    const std::uint64_t budget = list.budgets.empty() ? run.max_instructions.value_or(0)
                                                      : list.budgets[list.budgets.size() == 1 ? 0 : a];
    runs_.push_back({source, shares[a], budget});
  }
}

std::vector<InstructionSource*> OpenApplications::all() const {
  std::vector<InstructionSource*> sources;
  for (const platforms::ApplicationRun& run : runs_) sources.push_back(run.source);
  return sources;
}

std::uint64_t OpenApplications::common_budget() const {
  const auto differs = [this](const platforms::ApplicationRun& run) {
    return run.max_instructions != runs_.front().max_instructions;
  };
  return runs_.empty() || std::any_of(runs_.begin(), runs_.end(), differs) ? 0
                                                                           : runs_.front().max_instructions;
}

std::string OpenApplications::description() const {
  if (runs_.empty()) return "none: traffic generators";
  std::string text;
  for (const auto& program : programs_) text += (text.empty() ? "" : " + ") + program->description();
  return text;
}

}  // namespace strata::cli
