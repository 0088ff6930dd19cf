#include "platforms/studies/reproduce/run_plan.h"

#include <algorithm>

#include "models/common/faults.h"
#include "models/common/text.h"
#include "platforms/engine/netlist/data_folders.h"
#include "platforms/engine/netlist/netlist.h"

namespace strata::platforms {
namespace {

using Words = std::vector<std::string>;

void append_pairs(Words& to, const std::string& option, const Words& values) {
  for (const std::string& value : values) to.insert(to.end(), {option, value});
}

}  // namespace

std::string RunSpec::folder() const {
  return for_a_path(configuration + "-" + workload) + "-s" + std::to_string(seed) + "-" + key;
}

std::string RunSpec::text() const {
  return configuration + " " + workload + " seed " + std::to_string(seed);
}

std::string awaited_by(const Paper& paper, const std::string& configuration) {
  const ConfigurationName name = configuration_name(configuration);
  const Organization* organization = paper.organization(name.organization);
  if (organization != nullptr) {
    if (!organization->awaits.empty()) return organization->awaits;
    for (const std::string& member : organization->best_of)
      if (const std::string awaits = awaited_by(paper, member); !awaits.empty()) return awaits;
  }
  const Variant* variant = paper.variant(name.variant);
  return variant != nullptr ? variant->awaits : "";
}

RunPlan::RunPlan(const Paper& paper, const Selection& selection, const std::string& program)
    : paper_(paper),
      selection_(selection),
      identities_(program),
      seeds_(paper.seeds[static_cast<int>(selection.effort)]),
      first_seed_(1, seeds_.front()) {
  const Words known = paper.figures();
  for (const std::string& figure : selection.figures) {
    if (std::find(known.begin(), known.end(), figure) != known.end()) continue;
    throw ConfigError("no figure '" + figure + "' of " + paper.name + suggestion(figure, known) +
                      "; there are " + comma_list(known));
  }
  for (const Claim& claim : paper.claims)
    if (shows(claim.figures)) add_claim(claim);
  for (const Chart& chart : paper.charts) {
    if (!shows(chart.figures)) continue;
    for (const std::string& metric : chart.metrics)
      for (const WorkloadGroup& group : paper.groups)
        if (std::find(chart.on.begin(), chart.on.end(), group.name) != chart.on.end())
          add_alone(*paper.metric(metric), group.workloads, seeds_of(chart.figures));
    for (const std::string& configuration : chart.configurations)
      for (const WorkloadGroup& group : paper.groups)
        if (std::find(chart.on.begin(), chart.on.end(), group.name) != chart.on.end())
          add(configuration, group.workloads, seeds_of(chart.figures));
    for (const std::string& claim : chart.claims) add_claim(*paper.claim(claim));
  }
  for (const Order& order : paper.orders) {
    if (!shows(order.figures)) continue;
    for (const std::string& claim : order.claims) add_claim(*paper.claim(claim));
    for (const WorkloadGroup& step : order.steps) add(order.of, step.workloads, seeds_);
  }
  for (const Decision& decision : paper.decisions) {
    if (!shows(decision.figures)) continue;
    add(decision.of, decision.on, seeds_);
    for (const std::string& configuration : decision.between) add(configuration, decision.on, seeds_);
  }
  if (shows_sheet())
    for (const std::string& variant : paper.sheet.variants)
      for (const std::string& organization : {paper.sheet.to, paper.sheet.of})
        add(configuration_of(organization, variant), paper.sheet.on, first_seed_);
  if (!faults_.empty()) throw ConfigError(faults_);
}

bool RunPlan::shows(const Words& figures) const {
  if (selection_.only_sensitivity) return false;
  if (selection_.figures.empty()) return true;
  return std::any_of(figures.begin(), figures.end(), [&](const std::string& figure) {
    return std::find(selection_.figures.begin(), selection_.figures.end(), figure) !=
           selection_.figures.end();
  });
}

void RunPlan::add_claim(const Claim& claim) {
  if (!claim.awaits.empty() || !paper_.metric(claim.metric)->awaits.empty()) return;
  if (!awaited_by(paper_, claim.of).empty()) return;
  if (claim.compares() && !awaited_by(paper_, claim.to).empty()) return;
  if (paper_.metric(claim.metric)->of_machine) {
    check_machine(claim.of);
    if (claim.compares()) check_machine(claim.to);
    return;
  }
  const auto& seeds = seeds_of(claim.figures);
  add_alone(*paper_.metric(claim.metric), claim.on, seeds);
  add(claim.of, claim.on, seeds);
  if (claim.compares()) add(claim.to, claim.on, seeds);
}

const std::vector<std::uint64_t>& RunPlan::seeds_of(const Words& figures) const {
  const auto single = [&](const std::string& figure) {
    return std::find(paper_.single_seed.begin(), paper_.single_seed.end(), figure) !=
           paper_.single_seed.end();
  };
  return std::all_of(figures.begin(), figures.end(), single) ? first_seed_ : seeds_;
}

// Adds the solo runs with which programs side by side are compared.
void RunPlan::add_alone(const Metric& metric, const Words& workloads,
                        const std::vector<std::uint64_t>& seeds) {
  if (metric.alone.empty()) return;
  for (const std::string& workload : workloads) add(metric.alone, paper_.workload(workload)->programs, seeds);
}

void RunPlan::add(const std::string& configuration, const Words& workloads,
                  const std::vector<std::uint64_t>& seeds) {
  if (!awaited_by(paper_, configuration).empty()) return;
  for (const std::string& workload : workloads)
    for (const std::uint64_t seed : seeds)
      for (const std::string& member : members_of(paper_, configuration))
        add(member, *paper_.workload(workload), seed);
}

void RunPlan::add(const std::string& configuration, const PaperWorkload& workload, std::uint64_t seed) {
  const std::string id = configuration + " " + workload.name + " " + std::to_string(seed);
  if (index_.count(id) != 0) return;
  RunSpec run{configuration, workload.name, seed, arguments_of(configuration, workload, seed), ""};
  try {
    run.key = identities_.of(run.arguments).key;
  } catch (const ConfigError& error) {
    for (Fault fault : error.faults()) {
      if (!told_.insert(to_text(fault)).second) continue;  // one machine serves many runs
      fault.message += " (needed for " + configuration + ", " + workload.name + ")";
      faults_.push_back(std::move(fault));
    }
  }
  index_[id] = runs_.size();
  runs_.push_back(std::move(run));
}

void RunPlan::check_machine(const std::string& configuration) {
  const MachineFiles of = machine(configuration);
  std::vector<std::string> files;
  for (const std::string& file : of.files) files.push_back(find_platform(file));
  try {
    Netlist::load(files, of.sets).resolve();
  } catch (const ConfigError& error) {
    for (Fault fault : error.faults()) {
      if (!told_.insert(to_text(fault)).second) continue;
      fault.message += " (needed for " + configuration + ")";
      faults_.push_back(std::move(fault));
    }
  }
}

MachineFiles RunPlan::machine(const std::string& configuration) const {
  const ConfigurationName name = configuration_name(configuration);
  const Organization& organization = *paper_.organization(name.organization);
  const Variant* variant = paper_.variant(name.variant);
  MachineFiles machine{{organization.platform}, selection_.sets};
  if (variant != nullptr)
    for (const auto& [of, platform] : variant->platforms)
      if (of == organization.name) machine.files[0] = platform;
  machine.files.insert(machine.files.end(), selection_.with.begin(), selection_.with.end());
  if (variant != nullptr)
    machine.files.insert(machine.files.end(), variant->with.begin(), variant->with.end());
  machine.sets.insert(machine.sets.end(), organization.sets.begin(), organization.sets.end());
  if (variant != nullptr) machine.sets.insert(machine.sets.end(), variant->sets.begin(), variant->sets.end());
  return machine;
}

Words RunPlan::arguments_of(const std::string& configuration, const PaperWorkload& workload,
                            std::uint64_t seed) const {
  const ConfigurationName name = configuration_name(configuration);
  const Organization& organization = *paper_.organization(name.organization);
  const Variant* variant = paper_.variant(name.variant);
  Words words = {organization.platform};
  if (variant != nullptr)
    for (const auto& [of, platform] : variant->platforms)
      if (of == organization.name) words[0] = platform;
  std::string budgets;
  const Words alone = {workload.name};
  for (const std::string& program : workload.programs.empty() ? alone : workload.programs) {
    const Subset& portion = paper_.workload(program)->portions[static_cast<int>(selection_.effort)];
    words.insert(words.end(), {"--workload", portion.workload});
    if (portion.instructions != 0)
      budgets += (budgets.empty() ? "" : ":") + std::to_string(portion.instructions);
  }
  if (!budgets.empty()) words.insert(words.end(), {"--max-instructions", budgets});
  words.insert(words.end(), {"--seed", std::to_string(seed)});
  words.insert(words.end(), paper_.options.begin(), paper_.options.end());
  append_pairs(words, "--with", selection_.with);
  if (variant != nullptr) append_pairs(words, "--with", variant->with);
  append_pairs(words, "--set", selection_.sets);
  append_pairs(words, "--set", paper_.jitter);
  append_pairs(words, "--set", organization.sets);
  append_pairs(words, "--set", workload.sets);
  if (variant != nullptr) {
    append_pairs(words, "--set", variant->sets);
    words.insert(words.end(), variant->options.begin(), variant->options.end());
  }
  return words;
}

std::vector<RunJob> RunPlan::jobs() const {
  std::vector<RunJob> jobs;
  jobs.reserve(runs_.size());
  for (const RunSpec& run : runs_) jobs.push_back(run.job());
  return jobs;
}

const RunSpec* RunPlan::find(const std::string& configuration, const std::string& workload,
                             std::uint64_t seed) const {
  const auto at = index_.find(configuration + " " + workload + " " + std::to_string(seed));
  return at == index_.end() ? nullptr : &runs_[at->second];
}

}  // namespace strata::platforms
