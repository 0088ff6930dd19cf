#include "platforms/reproduce/run_plan.h"

#include <algorithm>
#include <filesystem>

#include "models/common/input_file.h"
#include "models/common/words.h"
#include "models/common/yaml_file.h"
#include "platforms/netlist/data_folders.h"
#include "platforms/netlist/netlist.h"
#include "platforms/report/digest.h"
#include "traces/workloads/workload.h"

namespace strata::platforms {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

constexpr std::uint64_t most_program_bytes = std::uint64_t{4} << 30;  // a build with debug information

std::string read_all(const std::string& path) {
  try {
    return read_input(path, most_program_bytes);
  } catch (const InputError& error) {
    throw ConfigError(path + ": cannot be read: " + error.what());
  }
}

/// Tells texts apart, for names of folders.
std::string hash_of(const std::string& text) {
  return digest_text(text_digest(text));
}

/// The file of a workload and the PTX that it names.
std::string workload_text(const std::string& spec) {
  const std::string file = traces::find_workload(spec.substr(0, spec.find('@')));
  std::string text = read_all(file);
  const YAML::Node modules = load_yaml(text).at(0)["module"];
  const auto append = [&](const YAML::Node& one) {
    text += read_all((fs::path(file).parent_path() / one.Scalar()).string());
  };
  if (modules && modules.IsScalar()) append(modules);
  if (modules && modules.IsSequence())
    for (const YAML::Node& one : modules) append(one);
  return text;
}

std::string for_a_path(std::string text) {
  for (char& c : text)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '+' && c != '_') c = '-';
  return text;
}

void append_pairs(Words& to, const std::string& option, const Words& values) {
  for (const std::string& value : values) to.insert(to.end(), {option, value});
}

}  // namespace

std::string RunSpec::folder() const {
  if (!name.empty()) return name;
  return for_a_path(configuration + "-" + workload) + "-s" + std::to_string(seed) + "-" + key;
}

std::string RunSpec::text() const {
  return configuration + " " + workload + " seed " + std::to_string(seed);
}

std::string program_identity(const std::string& path) {
  return hash_of(read_all(path));
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
      program_(program),
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

// What programs side by side are compared with.
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
    run.key = hash_of(program_ + identity_of(run.arguments));
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
    const Portion& portion = paper_.workload(program)->portions[static_cast<int>(selection_.effort)];
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

/// Everything that the result of `strata run` with these arguments depends on, but the program.
std::string RunPlan::identity_of(const Words& arguments) {
  Words files = {find_platform(arguments.front())};
  Words sets;
  Words workloads;
  std::string text;
  for (std::size_t i = 1; i + 1 < arguments.size(); i += 2) {
    if (arguments[i] == "--with")
      files.push_back(find_platform(arguments[i + 1]));
    else if (arguments[i] == "--set")
      sets.push_back(arguments[i + 1]);
    else if (arguments[i] == "--workload")
      workloads.push_back(arguments[i + 1]);
    text += arguments[i] + "=" + arguments[i + 1] + "\n";
  }
  std::string machine;
  for (const Words& some : {files, sets})
    for (const std::string& one : some) machine += one + "\n";
  if (identities_.count(machine) == 0)
    identities_[machine] = hash_of(effective_configuration(Netlist::load(files, sets).resolve()));
  text += identities_[machine];
  for (const std::string& workload : workloads) {
    if (identities_.count(workload) == 0) {
      traces::Workload::load(workload);  // its faults, before anything runs
      identities_[workload] = hash_of(workload_text(workload));
    }
    text += identities_[workload];
  }
  return text;
}

const RunSpec* RunPlan::find(const std::string& configuration, const std::string& workload,
                             std::uint64_t seed) const {
  const auto at = index_.find(configuration + " " + workload + " " + std::to_string(seed));
  return at == index_.end() ? nullptr : &runs_[at->second];
}

}  // namespace strata::platforms
