#include <algorithm>

#include "models/cache/llc_set_index.h"
#include "models/cache/set_index.h"
#include "models/llc_control/adaptive_base.h"
#include "models/llc_control/organization.h"
#include "models/llc_predictors/bandwidth_model.h"
#include "models/llc_predictors/lsp_counters.h"
#include "models/llc_predictors/replica_tags.h"

namespace strata {

/// Watches the shared LLC and says whether the private one is worth a trial (a rule of Strata): when the
/// shared mode's network is busy and the least of slices, network and memory lets more through in private
/// mode; or, when nothing is busy and the private mode asks no more of memory, in two profiles in a row.
///
/// True tags of the private slices of one memory controller, in whose router they can sit, since all clusters
/// pass it; slice parallelism of both modes over short windows, of all requests; ceilings of the network from
/// the parameters of its routers.
class BottleneckProfile {
 public:
  BottleneckProfile(const LlcControlParams& params, const AddressMap& map, const LlcMachine& machine);

  /// A request to slice `slice` of the shared LLC, which would be `private_slice` of the private one.
  void observe(const Access& access, int slice, int private_slice, Cycle now) {
    const bool store = access.access_class == AccessClass::store;
    if (slice < slices_per_channel_ && !store) sample(access);  // memory controller 0
    if (!open_) return;
    shared_.count(slice, now);
    private_.count(private_slice, now);
    if (store) ++stores_;
  }
  /// A profile begins; earlier requests only warmed the tags.
  void begin(Cycle now, const SliceTotals& totals);
  void stop() { open_ = false; }
  /// Mode private_ = try it. `at` and all that was compared included.
  LlcChoice decide(Cycle now, const SliceTotals& totals);
  /// The LLC was flushed: a private one would be empty, too.
  void clear() {
    tags_.clear();
    free_before_ = false;
  }
  StorageFields storage() const;

 private:
  void sample(const Access& access) {
    tags_.observe(set_of_(access.line), access.line >> line_bits_, 0,
                  access.cluster % tags_.params().clusters);
  }

  bool memory_queues(const SliceTotals& totals, double misses_per_cycle) const;

  LlcControlParams params_;
  int slices_per_channel_;
  int line_bits_;
  double line_bytes_;
  double shared_ceiling_;   // replies per cycle
  double private_ceiling_;  // replies per cycle
  LlcSetIndex set_of_;
  ReplicaTags tags_;     // of the private slices
  LspCounters shared_;   // all requests by slice
  LspCounters private_;  // all requests by slice, were they private
  std::uint64_t stores_ = 0;
  bool open_ = false;
  bool free_before_ = false;  // the last profile found that nothing is busy and private costs memory nothing
  Cycle began_ = 0;
  SliceTotals before_;
};

namespace {

// A private LLC uses as many slices of a controller as there are clusters, at most all; each is a copy.
ReplicaTagsParams tags_params(const LlcControlParams& params, const AddressMap& map,
                              const LlcMachine& machine) {
  ReplicaTagsParams tags;
  tags.clusters = tags.slices = std::min(params.clusters, map.slices_per_channel());
  tags.degrees = {tags.clusters};
  tags.slice_sets = static_cast<int>(machine.slice.sets);
  tags.sampled_sets = std::min(params.atd_sets, tags.slice_sets);
  tags.ways = machine.slice.ways;
  tags.tag_bits = 19;  // as the paper's directory
  tags.counter_bits = params.counter_bits;
  return tags;
}

LspParams counters(const LlcControlParams& params) {
  return {params.slices, params.counter_bits, static_cast<std::uint64_t>(params.window)};
}

std::uint64_t sum_since(const std::vector<std::uint64_t>& now, const std::vector<std::uint64_t>& before) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < now.size(); ++i) sum += counted_since(now[i], before[i]);
  return sum;
}

}  // namespace

BottleneckProfile::BottleneckProfile(const LlcControlParams& params, const AddressMap& map,
                                     const LlcMachine& machine)
    : params_(params),
      slices_per_channel_(map.slices_per_channel()),
      line_bits_(__builtin_ctzll(map.line_bytes())),
      line_bytes_(static_cast<double>(map.line_bytes())),
      shared_ceiling_(response_ceiling(machine.shared_replies)),
      private_ceiling_(response_ceiling(machine.private_replies)),
      set_of_(machine.slice, map),
      tags_(tags_params(params, map, machine)),
      shared_(counters(params)),
      private_(counters(params)) {}

void BottleneckProfile::begin(Cycle now, const SliceTotals& totals) {
  open_ = true;
  began_ = now;
  before_ = totals;
  tags_.reset_counts();
  shared_.reset(now);
  private_.reset(now);
  stores_ = 0;
}

// Little's law: fetches in flight = fetches per cycle x time of a fetch.
bool BottleneckProfile::memory_queues(const SliceTotals& totals, double misses_per_cycle) const {
  const double fetches = (before_.fetches + totals.fetches) / 2.0;
  return fetches > 2 * params_.memory_latency * misses_per_cycle;
}

LlcChoice BottleneckProfile::decide(Cycle now, const SliceTotals& totals) {
  open_ = false;
  LlcChoice choice;
  choice.at = now;
  choice.why = "no data";
  const std::uint64_t accesses = sum_since(totals.accesses, before_.accesses);
  if (accesses == 0 || tags_.accesses(0) == 0 || shared_.accesses() == 0) return choice;

  const double per_cycle = rate(accesses, now - began_);
  const double stores = rate(stores_, shared_.accesses());
  const double loads = 1 - stores;
  choice.degrees = {1, params_.clusters};
  choice.miss_rates = {rate(sum_since(totals.misses, before_.misses), accesses), 1 - tags_.hit_rate(0)};
  choice.lsps = {shared_.lsp(), private_.lsp()};
  // Lines to and from memory for an access. The private LLC writes through.
  const double traffic[] = {choice.miss_rates[0], choice.miss_rates[1] * loads + stores};
  // Requests per cycle that network and slices let through. Only the answers of loads carry lines.
  const double ceilings[] = {shared_ceiling_, private_ceiling_};
  double network[2];
  double memory[2];
  for (std::size_t i = 0; i < 2; ++i) {
    network[i] =
        std::min(choice.lsps[i] * params_.slice_bandwidth / line_bytes_, ceilings[i] / std::max(loads, 1e-3));
    memory[i] = params_.memory_bandwidth / line_bytes_ / std::max(traffic[i], 1e-9);
    choice.bandwidths.push_back(std::min(network[i], memory[i]) * line_bytes_);
  }
  const double margin = 1 + params_.margin / 100;
  const bool idle = per_cycle * 2 < network[0];
  const bool free = idle && traffic[1] <= traffic[0] * margin &&
                    per_cycle * traffic[0] * line_bytes_ * 2 < params_.memory_bandwidth;
  const bool in_a_row = free && free_before_;
  free_before_ = free;
  const bool memory_limits = !idle && memory[0] < network[0];
  if (memory_limits || memory_queues(totals, per_cycle * choice.miss_rates[0])) {
    choice.why = "memory";
  } else if (free && !in_a_row) {
    choice.why = "no hurry";
  } else if (idle && !free) {
    choice.why = "network idle";
  } else if (!free && choice.bandwidths[1] <= per_cycle * line_bytes_ * margin) {
    choice.why = "bandwidth";
  } else {
    choice.why = "trial";
    choice.mode = LlcMode::private_;
    choice.degree = params_.clusters;
  }
  return choice;
}

StorageFields BottleneckProfile::storage() const {
  const auto sets = static_cast<std::uint64_t>(tags_.params().sampled_sets);
  return {{"tags of private slices", sets, tags_.storage_bits() / sets},
          {"counters of hits and accesses", 1, tags_.counter_bits()},
          {"counters of slices, both modes", 1, shared_.storage_bits() + private_.storage_bits()}};
}

namespace {

/// Throughput of the program. Programs have phases: an organization is worse only when both figures fall.
struct Pace {
  double instructions = 0;  // per cycle; 0 = not counted
  double requests = 0;      // to the LLC, per cycle
};

/// Shared or private by a rule of Strata: a profile of the shared LLC excludes the private one where it
/// cannot help; otherwise it is tried. When it seems worse, the shared one is measured a second time, so that
/// a program that gets slower by itself does not reject it. The LLC is shared again at each epoch and at each
/// kernel start, as in the paper. After a rejected trial, the next one waits for the end of the epoch or
/// kernel, and until trials have cost only a small share of the time.
class OrganizationWindowed final : public AdaptiveBase {
 public:
  OrganizationWindowed(const LlcControlParams& params, const AddressMap& map)
      : AdaptiveBase(params, map), trial_(static_cast<Cycle>(params.trial)) {}

  void attach(const LlcMachine& machine) override {
    profile_ = std::make_unique<BottleneckProfile>(params_, map_, machine);
  }
  int learn(const Access& access, Cycle now) override {
    const Location where = map_.locate(access.line);
    const int slice = where.channel * map_.slices_per_channel() + where.slice;
    profile_->observe(access, slice, private_slice(access, where), now);
    return slice;
  }
  bool watches() const override {
    return running_ && mode_ == LlcMode::shared && (step_ == Step::warming || step_ == Step::watching);
  }

  Cycle next_look() const override { return running_ ? std::min(step_end_, epoch_end_) : never; }
  LlcMode look(Cycle now, const SliceTotals& totals) override;
  void changed(LlcMode mode, Cycle now, const SliceTotals& totals) override;
  void kernel_began(Cycle now, const SliceTotals& totals) override;
  void kernel_ended(Cycle now) override;
  LlcMode atomics_found(Cycle now) override;
  bool set_epoch(int epoch, int profile) override;
  StorageFields predictors() const override {
    return profile_ == nullptr ? StorageFields{} : profile_->storage();
  }

 private:
  // Halves of the profile, of the trial and of the second measurement of the shared LLC; the first half of
  // each is for caches to warm.
  enum class Step : std::uint8_t {
    resting,
    warming,
    watching,
    settling,
    trying,
    returning,
    measuring,
    decided
  };
  // Failed trials may cost one part in 32 of the time, then 64, 128, ...
  static constexpr int share_of_failures = 5;
  static constexpr int most_patience = 16;
  // Longest trial: what a memory half as fast as its pins needs to fill the LLC twice.
  static constexpr int most_halves = 8;

  void enter(Step step, Cycle until) {
    step_ = step;
    step_end_ = until;
  }
  Cycle half(Cycle now) const { return now + trial_ / 2; }
  void start_over(Cycle now);
  LlcMode step(Cycle now, const SliceTotals& totals);
  LlcMode end_profile(Cycle now, const SliceTotals& totals);
  LlcMode end_trial(Cycle now, const SliceTotals& totals);
  LlcMode end_second_measurement(Cycle now, const SliceTotals& totals);
  void give_up(Cycle now);
  void note_paces(Cycle now, const char* why, LlcMode mode, const Pace& shared);
  void measure(Cycle now, const SliceTotals& totals) {
    since_ = now;
    before_ = totals;
  }
  Pace measured(Cycle now, const SliceTotals& totals) const;
  bool worse(const Pace& pace, const Pace& than) const;

  std::unique_ptr<BottleneckProfile> profile_;
  Cycle trial_;
  Step step_ = Step::warming;
  Cycle step_end_ = never;
  Cycle since_ = 0;  // beginning of what is measured
  SliceTotals before_;
  Pace shared_;
  Pace private_;
  int halves_ = 0;              // of the trial that have been measured
  Cycle ordered_ = 0;           // the trial
  std::uint64_t at_order_ = 0;  // instructions until then
  double lost_ = 0;             // cycles that the trial has cost
  bool doubtful_ = false;       // the present change ends a trial that seems to fail
  Cycle began_ = 0;             // the kernel
  Cycle too_short_ = 0;         // length of the longest kernel that ended during its trial
  Cycle not_before_ = 0;        // next profile
  int patience_ = 0;            // rejected trials in a row
};

Pace OrganizationWindowed::measured(Cycle now, const SliceTotals& totals) const {
  std::uint64_t requests = 0;
  for (std::size_t s = 0; s < totals.accesses.size(); ++s)
    requests += counted_since(totals.accesses[s], before_.accesses[s]);
  return {rate(counted_since(totals.instructions, before_.instructions), now - since_),
          rate(requests, now - since_)};
}

bool OrganizationWindowed::worse(const Pace& pace, const Pace& than) const {
  const double margin = 1 - params_.margin / 100;
  return pace.requests < than.requests * margin &&
         (than.instructions == 0 || pace.instructions < than.instructions * margin);
}

void OrganizationWindowed::start_over(Cycle now) {
  doubtful_ = false;
  profile_->stop();
  profile_->clear();
  if (pinned_) return enter(Step::decided, never);
  const Cycle earliest = std::max(not_before_, began_ + 2 * too_short_);
  if (now < earliest) return enter(Step::resting, earliest);
  enter(Step::warming, half(now));
}

void OrganizationWindowed::kernel_began(Cycle now, const SliceTotals&) {
  begin_kernel(now);
  began_ = now;
  start_over(now);
}

// A trial without a result: kernels of this length are too short to be worth one.
void OrganizationWindowed::kernel_ended(Cycle now) {
  running_ = false;
  profile_->stop();
  if (step_ == Step::returning || step_ == Step::measuring) {
    give_up(now);
  } else if (step_ == Step::settling || step_ == Step::trying || doubtful_) {
    ++stats_.failed_trials;
    too_short_ = std::max(too_short_, now - began_);
  }
  doubtful_ = false;
}

LlcMode OrganizationWindowed::look(Cycle now, const SliceTotals& totals) {
  LlcMode wanted = mode_;
  if (now >= step_end_) wanted = step(now, totals);
  if (now >= epoch_end_) {
    next_epoch(now);
    wanted = LlcMode::shared;
    if (mode_ == LlcMode::shared) start_over(now);
  }
  return wanted;
}

LlcMode OrganizationWindowed::step(Cycle now, const SliceTotals& totals) {
  switch (step_) {
    case Step::resting:
      start_over(now);
      break;
    case Step::warming:
      profile_->begin(now, totals);
      measure(now, totals);
      ++stats_.profiles;
      enter(Step::watching, half(now));
      break;
    case Step::watching:
      return end_profile(now, totals);
    case Step::settling:
      private_ = measured(now, totals);
      measure(now, totals);
      enter(Step::trying, half(now));
      break;
    case Step::trying:
      return end_trial(now, totals);
    case Step::returning:
      measure(now, totals);
      enter(Step::measuring, half(now));
      break;
    case Step::measuring:
      return end_second_measurement(now, totals);
    case Step::decided:
      enter(Step::decided, never);
      break;
  }
  return mode_;
}

LlcMode OrganizationWindowed::end_profile(Cycle now, const SliceTotals& totals) {
  LlcChoice choice = profile_->decide(now, totals);
  const LlcMode wanted = choice.mode;
  shared_ = measured(now, totals);
  choice.ipcs = {shared_.instructions};
  note(std::move(choice));
  if (wanted == LlcMode::shared) {
    ++stats_.shared_choices;
    enter(Step::warming, now);  // the tags are warm: the next profile begins at once
    return step(now, totals);
  }
  ++stats_.rule2_choices;
  ordered_ = now;
  at_order_ = totals.instructions;
  enter(Step::decided, never);  // until the LLC has changed
  return wanted;
}

void OrganizationWindowed::note_paces(Cycle now, const char* why, LlcMode mode, const Pace& shared) {
  LlcChoice choice;
  choice.at = now;
  choice.why = why;
  choice.mode = mode;
  choice.degree = mode == LlcMode::private_ ? params_.clusters : 1;
  choice.degrees = {1, params_.clusters};
  const auto line = static_cast<double>(map_.line_bytes());
  choice.bandwidths = {shared.requests * line, private_.requests * line};
  choice.ipcs = {shared.instructions, private_.instructions};
  note(std::move(choice));
}

// A private LLC that gets faster from half to half is still filling.
LlcMode OrganizationWindowed::end_trial(Cycle now, const SliceTotals& totals) {
  const Pace before = private_;
  private_ = measured(now, totals);
  doubtful_ = worse(private_, shared_);
  if (doubtful_ && worse(before, private_) && ++halves_ < most_halves) {
    doubtful_ = false;
    measure(now, totals);
    enter(Step::trying, half(now));
    return LlcMode::private_;
  }
  enter(Step::decided, never);
  if (!doubtful_) patience_ = 0;
  const LlcMode wanted = doubtful_ ? LlcMode::shared : LlcMode::private_;
  note_paces(now, doubtful_ ? "slower" : "kept", wanted, shared_);
  return wanted;
}

// The private LLC was measured between the two measurements of the shared one.
LlcMode OrganizationWindowed::end_second_measurement(Cycle now, const SliceTotals& totals) {
  const Pace again = measured(now, totals);
  const Pace shared{(shared_.instructions + again.instructions) / 2, (shared_.requests + again.requests) / 2};
  const bool in_vain = worse(private_, shared);
  enter(Step::decided, never);
  note_paces(now, in_vain ? "in vain" : "second thoughts", in_vain ? LlcMode::shared : LlcMode::private_,
             shared);
  if (!in_vain) return LlcMode::private_;
  doubtful_ = false;
  give_up(now);
  return LlcMode::shared;
}

void OrganizationWindowed::give_up(Cycle now) {
  ++stats_.failed_trials;
  const int share = share_of_failures + patience_;
  if (patience_ < most_patience) ++patience_;
  not_before_ = now + (static_cast<Cycle>(std::max(lost_, 0.0)) << share);
  enter(Step::decided, never);
}

void OrganizationWindowed::changed(LlcMode mode, Cycle now, const SliceTotals& totals) {
  mode_ = mode;
  profile_->stop();
  if (mode == LlcMode::private_) {
    if (!doubtful_) {
      enter(Step::settling, half(now));
      measure(now, totals);
      halves_ = 0;
    }
    doubtful_ = false;
    return;
  }
  if (!doubtful_) {
    if (running_) start_over(now);
    return;
  }
  const auto done = static_cast<double>(counted_since(totals.instructions, at_order_));
  lost_ = static_cast<double>(now - ordered_) - done / std::max(shared_.instructions, 1e-9);
  enter(Step::returning, half(now));
}

LlcMode OrganizationWindowed::atomics_found(Cycle now) {
  if (pin(now)) {
    profile_->stop();
    enter(Step::decided, never);
  }
  return LlcMode::shared;
}

bool OrganizationWindowed::set_epoch(int epoch, int profile) {
  if (profile < 2 || epoch <= 2 * profile) return false;
  epoch_ = static_cast<Cycle>(epoch);
  trial_ = static_cast<Cycle>(profile);
  return true;
}

}  // namespace

std::unique_ptr<Organization> make_organization_windowed(const LlcControlParams& params,
                                                         const AddressMap& map) {
  return std::make_unique<OrganizationWindowed>(params, map);
}

}  // namespace strata
