#include "platforms/studies/sweep/sweep_plan.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "models/common/faults.h"
#include "models/common/text.h"
#include "platforms/engine/netlist/data_folders.h"
#include "platforms/engine/netlist/launch_jitter.h"
#include "platforms/engine/netlist/netlist.h"
#include "platforms/report/digest.h"
#include "platforms/report/text_table.h"
#include "platforms/studies/sweep/sweep_file.h"
#include "platforms/studies/sweep/sweep_store.h"
#include "platforms/studies/sweep/sweep_text.h"
#include "traces/synthetic/synthetic_params.h"

namespace strata::platforms {
namespace {

using Words = std::vector<std::string>;

constexpr std::size_t longest_name = 160;  // file systems allow 255; key and `.log` are appended
constexpr std::size_t most_faults = 20;

/// A value as a part of a file name.
std::string part(const std::string& value) {
  std::string text;
  for (const char c : value) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0 || std::string("+_=.@").find(c) != std::string::npos)
      text += c;
    else if (c != ' ')
      text += '-';
  }
  return text;
}

constexpr const char synthetic[] = "synthetic:";

/// True for streams generated from the run's seed: their runs differ anyway.
bool is_drawn(const Words& program) {
  for (const std::string& word : program) {
    if (word.rfind(synthetic, 0) != 0) continue;
    try {
      if (traces::parse_synthetic(word.substr(sizeof synthetic - 1)).is_of_run_seed()) return true;
    } catch (const ConfigError&) {  // it is reported with all others
    }
  }
  return program.empty();  // traffic of the platform's generators
}

/// True if the part of a setting after the last dot is this: `cta.launch_jitter=0`.
bool sets_jitter(const std::string& setting) {
  const std::string key = setting.substr(0, setting.find('='));
  return key.substr(key.rfind('.') + 1) == launch_jitter;
}

class Planner {
 public:
  Planner(SweepFile file, const std::string& program, std::size_t most)
      : file_(std::move(file)), identities_(program), most_(most) {
    plan_.name = file_.name;
    plan_.file = file_.path;
    plan_.text = file_.text;
    plan_.keys = file_.keys();
    plan_.figures = file_.figures;
  }
  SweepPlan plan();

 private:
  void check_size() const;
  std::vector<std::size_t> sizes() const;
  void add(const std::vector<std::size_t>& at);
  std::string name_of(const SweepPoint& point) const;
  std::string by_template(const SweepPoint& point) const;
  std::string settings_of(const SweepPoint& point) const;
  void identify(SweepPoint& point);
  bool move_by_seed(SweepPoint& point, const Words& program);
  SeedUse seed_use_of(const Words& arguments);
  void note();
  void fault(const Fault& fault, const SweepPoint& point);

  SweepFile file_;
  RunIdentities identities_;
  std::size_t most_;
  SweepPlan plan_;
  std::map<std::string, std::size_t> names_;
  Faults faults_;
  std::set<std::string> told_;
  std::map<std::string, SeedUse> uses_;      // by arguments
  std::set<std::string> once_;               // arguments of points that do not depend on the seed
  std::size_t jittered_ = 0, left_out_ = 0;  // points
  std::set<std::string> jitters_;            // settings that were added
};

/// Number of values of each key, in the order of the keys.
std::vector<std::size_t> Planner::sizes() const {
  std::vector<std::size_t> sizes = {file_.platforms.size(), file_.variants.size(), file_.programs.size(),
                                    file_.seeds.size()};
  for (const SweepFile::Axis& axis : file_.axes) sizes.push_back(axis.values.size());
  return sizes;
}

void Planner::check_size() const {
  double product = 1;  // in double: it may exceed every whole number
  std::string factors;
  const std::vector<std::size_t> all = sizes();
  for (std::size_t k = 0; k < all.size(); ++k) {
    product *= static_cast<double>(all[k]);
    if (all[k] > 1)
      factors += (factors.empty() ? "" : " x ") + std::to_string(all[k]) + " of " + plan_.keys[k];
  }
  if (product > static_cast<double>(most_combinations))
    throw ConfigError(file_.path + ": " + rounded(product, 3) + " combinations (" + factors + "); at most " +
                      std::to_string(most_combinations) + " are looked at: take values away");
}

/// The values of a point that distinguish it from others.
std::string Planner::settings_of(const SweepPoint& point) const {
  Words words;
  const std::vector<std::size_t> all = sizes();
  for (std::size_t k = 0; k < all.size(); ++k)
    if (all[k] > 1) words.push_back(plan_.keys[k] + "=" + point.values[k]);
  return comma_list(words);
}

std::string Planner::by_template(const SweepPoint& point) const {
  std::string text;
  for (std::size_t i = 0; i < file_.point.size(); ++i) {
    const std::size_t end = file_.point[i] == '{' ? file_.point.find('}', i) : std::string::npos;
    if (end == std::string::npos) {
      text += part(std::string(1, file_.point[i]));
      continue;
    }
    const std::string key = file_.point.substr(i + 1, end - i - 1);
    const auto at = std::find(plan_.keys.begin(), plan_.keys.end(), key);
    if (at == plan_.keys.end())
      throw ConfigError(file_.path + ": point: nothing varies by the name '" + key + "'" +
                        suggestion(key, plan_.keys) + "; there are " + comma_list(plan_.keys));
    text += part(point.values[static_cast<std::size_t>(at - plan_.keys.begin())]);
    i = end;
  }
  return text;
}

std::string Planner::name_of(const SweepPoint& point) const {
  std::string name = file_.point.empty() ? "" : by_template(point);
  if (file_.point.empty()) {
    const std::vector<std::size_t> all = sizes();
    for (std::size_t k = 0; k < all.size(); ++k) {
      if (all[k] < 2) continue;
      if (!name.empty()) name += '-';
      if (k == 3) name += 's';
      if (k > 3) name += part(plan_.keys[k]) + "=";
      name += part(point.values[k]);
    }
  }
  if (name.empty()) name = "point";
  if (name.front() == '.') name.insert(0, "_");  // no hidden folders
  if (name.size() > longest_name)
    name = name.substr(0, longest_name) + "-" + digest_text(text_digest(name)).substr(0, 8);
  return name;
}

void Planner::fault(const Fault& fault, const SweepPoint& point) {
  if (faults_.size() >= most_faults || !told_.insert(to_text(fault)).second) return;
  faults_.push_back(fault);
  faults_.back().message += " (needed for point '" + point.name + "')";
}

void Planner::identify(SweepPoint& point) {
  try {
    point.identity = identities_.of(point.arguments);
  } catch (const ConfigError& error) {
    for (const Fault& one : error.faults()) fault(one, point);
  } catch (const TraceError& error) {
    fault(error.fault(), point);
  }
}

/// Use of the seed by the machine of these arguments; empty if they are wrong, which identify() reports.
SeedUse Planner::seed_use_of(const Words& arguments) {
  std::string id;
  for (const std::string& word : arguments) id += word + "\n";
  const auto [at, is_new] = uses_.try_emplace(id);
  if (!is_new) return at->second;
  try {
    Words files = {find_platform(arguments.front())}, sets;
    for (std::size_t i = 1; i + 1 < arguments.size(); ++i) {
      if (arguments[i] == "--with") files.push_back(find_platform(arguments[i + 1]));
      if (arguments[i] == "--set") sets.push_back(arguments[i + 1]);
    }
    const Netlist netlist = Netlist::load(files, sets);
    at->second = seed_use(netlist.resolve(), !netlist.plugins().empty());
  } catch (const ConfigError&) {
    at->second.choices = true;
  }
  return at->second;
}

/// Several seeds are meant to give different runs: if a point does not depend on the seed, its CTAs start up
/// to 2 cycles apart. Returns false if the jitter is set to 0 and the point exists already with another seed.
bool Planner::move_by_seed(SweepPoint& point, const Words& program) {
  if (file_.seeds.size() < 2 || is_drawn(program)) return true;
  const SeedUse use = seed_use_of(point.arguments);
  if (use.starts || use.sets.empty()) return true;
  if (std::any_of(point.arguments.begin(), point.arguments.end(), sets_jitter)) {
    std::string id;
    for (const std::string& word : point.arguments) id += word + "\n";
    if (use.choices || once_.insert(id).second) return true;
    ++left_out_;
    return false;
  }
  for (const std::string& set : use.sets) {
    point.arguments.insert(point.arguments.end(), {"--set", set});
    jitters_.insert(set);
  }
  ++jittered_;
  return true;
}

void Planner::note() {
  const std::string all = std::to_string(plan_.points.size());
  if (jittered_ != 0)
    plan_.notes.push_back("seeds: CTAs start up to 2 cycles apart, drawn from the seed (" +
                          comma_list({jitters_.begin(), jitters_.end()}) + "), in " +
                          std::to_string(jittered_) + " of " + all +
                          " points: without it their runs would not differ");
  if (left_out_ != 0)
    plan_.notes.push_back(
        "seeds: with launch_jitter 0, as the file says, nothing depends on the seed: such "
        "points run once, and " +
        std::to_string(left_out_) + " are left out");
}

void Planner::add(const std::vector<std::size_t>& at) {
  SweepPoint point;
  const std::string seed = std::to_string(file_.seeds[at[3]]);
  point.values = {file_.platforms[at[0]], file_.variants[at[1]].name, file_.programs[at[2]].name, seed};
  for (std::size_t a = 0; a < file_.axes.size(); ++a) point.values.push_back(file_.axes[a].values[at[a + 4]]);
  for (const Constraint& only : file_.only)
    if (!only.holds(point.values)) return;
  point.name = name_of(point);
  const auto [other, is_new] = names_.emplace(point.name, plan_.points.size());
  if (!is_new)
    throw ConfigError(file_.path + ": two points are named '" + point.name +
                      "': " + settings_of(plan_.points[other->second]) + " and " + settings_of(point) +
                      (file_.point.empty() ? "; does a value stand twice?"
                                           : "; 'point' must name the values that distinguish them"));
  point.arguments = {point.platform()};
  for (const Words* words :
       {&file_.programs[at[2]].arguments, &file_.variants[at[1]].arguments, &file_.options})
    point.arguments.insert(point.arguments.end(), words->begin(), words->end());
  for (std::size_t a = 0; a < file_.axes.size(); ++a)
    point.arguments.insert(point.arguments.end(), {"--set", file_.axes[a].key + "=" + point.values[a + 4]});
  if (!move_by_seed(point, file_.programs[at[2]].arguments)) return;
  if (plan_.points.size() == most_)
    throw ConfigError(file_.path + ": more than " + std::to_string(most_) +
                      " points; take values away, or allow more with --most N");
  point.arguments.insert(point.arguments.end(), {"--seed", seed});
  plan_.points.push_back(std::move(point));
}

SweepPlan Planner::plan() {
  check_size();
  const std::vector<std::size_t> all = sizes();
  std::vector<std::size_t> at(all.size(), 0);
  for (bool more = true; more;) {
    add(at);
    more = false;
    for (std::size_t k = all.size(); k-- > 0 && !more;) {  // counts like the digits of a number
      more = ++at[k] < all[k];
      if (!more) at[k] = 0;
    }
  }
  note();
  if (plan_.points.empty()) throw ConfigError(file_.path + ": no point is left by 'only'");
  for (SweepPoint& point : plan_.points) identify(point);
  if (!faults_.empty()) throw ConfigError(faults_);
  return std::move(plan_);
}

}  // namespace

std::vector<std::size_t> SweepPlan::varying() const {
  std::vector<std::size_t> varying;
  for (std::size_t k = 0; k < keys.size(); ++k)
    if (std::any_of(points.begin(), points.end(),
                    [&](const SweepPoint& point) { return point.values[k] != points.front().values[k]; }))
      varying.push_back(k);
  return varying;
}

SweepPlan read_sweep(const std::string& file, const std::string& program, std::size_t most) {
  return Planner(SweepFile::load(file), program, most).plan();
}

namespace {

const std::vector<std::string> columns = {"platform", "variant", "workload", "seed"};

void add(std::vector<SweepDimension>& dimensions, const std::string& key, std::size_t point,
         const std::string& value) {
  auto one = std::find_if(dimensions.begin(), dimensions.end(),
                          [&](const SweepDimension& dimension) { return dimension.key == key; });
  if (one == dimensions.end()) one = dimensions.insert(one, {key, {}, {}});
  auto known = std::find(one->values.begin(), one->values.end(), value);
  if (known == one->values.end()) known = one->values.insert(known, value);
  one->of.resize(std::max(one->of.size(), point + 1), -1);
  one->of[point] = static_cast<int>(known - one->values.begin());
}

/// The view `overview` has a column for each key, in the order of the sweep's file.
void sort_as_in_file(const Database& file, std::vector<SweepDimension>& dimensions) {
  std::map<std::string, std::size_t> place;
  Statement overview = file.prepare("SELECT name FROM pragma_table_info('overview')");
  while (overview.step()) place.emplace(overview.text(0), place.size());
  const auto of = [&](const SweepDimension& dimension) {
    const auto at = place.find(dimension.key);
    return at == place.end() ? place.size() : at->second;
  };
  std::stable_sort(dimensions.begin(), dimensions.end(),
                   [&](const SweepDimension& a, const SweepDimension& b) { return of(a) < of(b); });
}

}  // namespace

Database open_sweep(const std::string& path) {
  const std::string name = sweep_file_of(path);
  if (const std::string damage = Database::damage_of(name); !damage.empty())
    throw ConfigError(name + ": is damaged (" + damage + "); the same sweep again mends it");
  Database file(name);
  if (const std::string fault = sweep_file_fault(file); !fault.empty())
    throw ConfigError(name + ": " + fault);
  return file;
}

SweepPoints read_points(const Database& file) {
  SweepPoints all;
  std::map<std::int64_t, std::size_t> at;
  Statement points = file.prepare(
      "SELECT id, name, state, message, arguments, results, platform, variant, workload, seed FROM points "
      "WHERE planned ORDER BY id");
  while (points.step()) {
    at[points.whole(0)] = all.points.size();
    for (std::size_t d = 0; d < columns.size(); ++d)
      add(all.dimensions, columns[d], all.points.size(), points.text(static_cast<int>(6 + d)));
    all.points.push_back(
        {points.whole(0), points.text(1), points.text(2), points.text(3), points.text(4), points.text(5)});
  }
  if (all.points.empty()) throw ConfigError(file.path() + ": no point is planned in it");
  Statement settings = file.prepare(
      "SELECT point, s.key, value FROM settings s JOIN points ON id = point WHERE planned ORDER BY id");
  while (settings.step()) add(all.dimensions, settings.text(1), at.at(settings.whole(0)), settings.text(2));
  for (SweepDimension& dimension : all.dimensions) dimension.of.resize(all.points.size(), -1);
  sort_as_in_file(file, all.dimensions);
  return all;
}

}  // namespace strata::platforms
