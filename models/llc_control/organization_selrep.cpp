#include <algorithm>

#include "models/cache/llc_set_index.h"
#include "models/llc_control/organization_kind.h"
#include "models/llc_predictors/bandwidth_model.h"
#include "models/llc_predictors/replica_tags.h"
#include "models/llc_predictors/replication_degree_directory.h"
#include "models/llc_predictors/replication_shape.h"

namespace strata {
namespace {

// Powers of two that divide both.
std::vector<int> possible_degrees(int clusters, int slices) {
  std::vector<int> degrees;
  for (int degree = 1; ReplicationShape::allows(clusters, slices, degree); degree *= 2)
    degrees.push_back(degree);
  return degrees;
}

RddParams directory_params(const LlcControlParams& params, int slices, const LlcMachine& machine) {
  RddParams rdd;
  rdd.clusters = params.clusters;
  rdd.slices = slices;
  rdd.slice_sets = static_cast<int>(machine.slice.sets);
  rdd.degrees = possible_degrees(params.clusters, slices);
  rdd.sampled_sets = std::min(params.rdd_sets, rdd.slice_sets);
  rdd.ways = machine.slice.ways;
  rdd.counter_bits = params.counter_bits;
  return rdd;
}

ReplicaTagsParams tags_params(const LlcControlParams& params, int slices, const LlcMachine& machine) {
  ReplicaTagsParams tags;
  tags.clusters = params.clusters;
  tags.slices = slices;
  tags.slice_sets = static_cast<int>(machine.slice.sets);
  tags.degrees = possible_degrees(params.clusters, slices);
  tags.sampled_sets = std::min(params.rdd_sets, tags.slice_sets);
  tags.ways = machine.slice.ways;
  tags.counter_bits = params.counter_bits;
  return tags;
}

/// Replies per cycle that the network lets through, by degree: copies part the routers next to the slices.
std::vector<double> reply_ceilings(const ReplicationShape& shape, const LlcMachine& machine) {
  std::vector<double> ceilings;
  for (int i = 0; i < shape.degrees(); ++i) {
    std::vector<ReplyStage> stages = machine.shared_replies;
    if (stages.size() > 1) stages.front() = with_copies(stages.front(), shape.degree(i));
    ceilings.push_back(response_ceiling(stages));
  }
  return ceilings;
}

/// Selective replication (SelRep, section III): read-only loads of a group of clusters share a copy; at the
/// end of each epoch the degree with the largest predicted bandwidth is set for the next one. Nothing is
/// drained: unreachable copies are evicted in time. The predictors sit in the MC-router of controller 0. D:
/// epochs go on over kernel boundaries, and the degree stays; the change takes no time.
class OrganizationSelRep final : public Organization {
 public:
  OrganizationSelRep(const LlcControlParams& params, const AddressMap& map)
      : params_(params),
        map_(map),
        slices_(map.slices_per_channel()),
        line_bits_(__builtin_ctzll(map.line_bytes())),
        epoch_(static_cast<Cycle>(params.epoch_cycles())),
        shape_(params.clusters, slices_, possible_degrees(params.clusters, slices_)) {}

  void attach(const LlcMachine& machine) override {
    const bool as_printed = params_.model == LlcControlParams::Model::paper;
    set_of_ = std::make_unique<LlcSetIndex>(machine.slice, map_);
    if (as_printed)
      directory_ = std::make_unique<ReplicationDegreeDirectory>(directory_params(params_, slices_, machine));
    else
      tags_ = std::make_unique<ReplicaTags>(tags_params(params_, slices_, machine));
    loads_ = std::make_unique<DegreeLoads>(shape_, params_.counter_bits,
                                           as_printed ? 0 : static_cast<std::uint64_t>(params_.window));
    ceilings_ = reply_ceilings(shape_, machine);
  }

  int slice_of(const Access& access) const override { return slice_at(access, map_.locate(access.line)); }
  int learn(const Access& access, Cycle now) override {
    const Location where = map_.locate(access.line);
    if (where.channel == watched_channel) observe(access, where.slice, now);
    return slice_at(access, where);
  }
  bool watches() const override { return running_; }

  int degree() const override { return shape_.degree(index_); }
  KernelEndFlush at_kernel_end() const override {
    return replicated_ ? KernelEndFlush::replicas : KernelEndFlush::nothing;
  }

  Cycle next_look() const override { return running_ ? next_ : never; }
  LlcMode look(Cycle now, const SliceTotals& totals) override;
  void kernel_began(Cycle now, const SliceTotals& totals) override;
  void kernel_ended(Cycle) override;
  bool force_degree(int degree) override;
  bool set_epoch(int epoch, int profile) override;
  StorageFields predictors() const override;

 private:
  static constexpr int watched_channel = 0;

  int slice_at(const Access& access, Location where) const {
    const bool replicated = access.access_class == AccessClass::read_only_load;
    return where.channel * slices_ +
           (replicated ? shape_.slice(index_, access.cluster, where.slice) : where.slice);
  }
  void observe(const Access& access, int slice, Cycle now);
  double hit_rate(int index) const {
    return directory_ != nullptr ? directory_->hit_rate(index) : tags_->hit_rate(index);
  }
  std::uint64_t watched() const {
    return directory_ != nullptr ? directory_->accesses(0) : tags_->accesses(0);
  }
  Cycle epoch_end(Cycle now) const { return (now / epoch_ + 1) * epoch_; }
  // Model `copies`: the observed part of a kernel doubles from look to look until epochs take over.
  void look_after(Cycle span, Cycle now) {
    next_ = std::min(epoch_end(now), now + span);
    span_ = 2 * span;
  }
  int best_affordable(const LlcChoice& choice, Cycle now, const SliceTotals& totals) const;
  void set_degree(int index);

  LlcControlParams params_;
  const AddressMap& map_;
  int slices_;
  int line_bits_;
  Cycle epoch_;
  ReplicationShape shape_;
  std::unique_ptr<LlcSetIndex> set_of_;
  std::unique_ptr<ReplicationDegreeDirectory> directory_;  // paper
  std::unique_ptr<ReplicaTags> tags_;                      // copies
  std::unique_ptr<DegreeLoads> loads_;
  std::vector<double> ceilings_;  // of all replies
  int index_ = 0;                 // of the degree in force
  int forced_ = -1;               // index that a host wants
  bool replicated_ = false;       // since the last kernel end there may be copies
  bool running_ = false;
  Cycle next_ = never;  // look
  Cycle span_ = never;  // until the look after that, when it is shorter than an epoch
  Cycle since_ = 0;     // beginning of what has been counted
  SliceTotals before_;
};

void OrganizationSelRep::observe(const Access& access, int slice, Cycle now) {
  const bool replicated = access.access_class == AccessClass::read_only_load;
  if (replicated) loads_->count(slice, access.cluster, now);
  if (tags_ != nullptr)
    tags_->observe((*set_of_)(access.line), access.line >> line_bits_, slice, access.cluster, replicated);
  else if (replicated)
    directory_->observe((*set_of_)(access.line), access.line >> line_bits_, slice, access.cluster);
}

void OrganizationSelRep::kernel_began(Cycle now, const SliceTotals& totals) {
  running_ = true;
  if (before_.misses.empty()) {  // the first kernel; epochs go on over kernels' boundaries
    since_ = now;
    before_ = totals;
  }
  next_ = epoch_end(now);
  span_ = epoch_;
  if (tags_ != nullptr && params_.window > 0) look_after(static_cast<Cycle>(params_.window), now);
  if (index_ != 0) replicated_ = true;
}

// The copies are flushed, and so are the directories.
void OrganizationSelRep::kernel_ended(Cycle) {
  running_ = false;
  if (!replicated_) return;
  replicated_ = false;
  if (directory_ != nullptr) directory_->clear();
  if (tags_ != nullptr) tags_->clear();
}

// Copies: the largest bandwidth of the degrees whose misses memory carries at less than half its load, where
// queues are short; the present degree may stay as long as memory does not queue (Little's law: fetches in
// flight = fetches per cycle x time of a fetch). More copies among equals: they spread what windows are too
// coarse to see.
int OrganizationSelRep::best_affordable(const LlcChoice& choice, Cycle now, const SliceTotals& totals) const {
  const auto cycles = static_cast<double>(std::max<Cycle>(now - since_, 1));
  std::uint64_t missed = 0;
  for (std::size_t s = 0; s < totals.misses.size(); ++s)
    missed += counted_since(totals.misses[s], before_.misses[s]);
  const double misses = static_cast<double>(missed) / cycles;
  const double loads = static_cast<double>(loads_->degree(0).accesses()) / cycles * map_.channels();
  const bool queues = (before_.fetches + totals.fetches) / 2.0 > 2 * params_.memory_latency * misses;
  const double half = params_.memory_bandwidth / static_cast<double>(map_.line_bytes()) / 2;
  const auto at = [](int index) { return static_cast<std::size_t>(index); };
  constexpr double rounding = 1 - 1e-6;
  int best = 0;
  for (int i = 1; i < shape_.degrees(); ++i) {
    const double change = choice.miss_rates[at(i)] - choice.miss_rates[at(index_)];
    const bool affordable = i == index_ ? !queues : misses + loads * change <= half;
    if (affordable && choice.bandwidths[at(i)] >= choice.bandwidths[at(best)] * rounding) best = i;
  }
  return best;
}

LlcMode OrganizationSelRep::look(Cycle now, const SliceTotals& totals) {
  next_ = std::max(next_ + epoch_, now + 1);
  if (tags_ != nullptr && span_ < epoch_) look_after(span_, now);
  ++stats_.epochs;
  LlcChoice choice;
  choice.at = now;
  // Equation 2: B_mem is a slice's share of all of memory.
  const double share = params_.memory_bandwidth / params_.slices;
  for (int i = 0; i < shape_.degrees(); ++i) {
    const LlcPrediction predicted{hit_rate(i), loads_->degree(i).lsp()};
    choice.degrees.push_back(shape_.degree(i));
    choice.miss_rates.push_back(1 - predicted.hit_rate);
    choice.lsps.push_back(predicted.lsp);
    choice.bandwidths.push_back(
        directory_ != nullptr
            ? selrep_bandwidth(predicted, {params_.slice_bandwidth, share})
            : bottleneck_bandwidth(
                  predicted,
                  {params_.slice_bandwidth, params_.memory_bandwidth / static_cast<double>(map_.channels())},
                  ceilings_[static_cast<std::size_t>(i)] / map_.channels() *
                      static_cast<double>(map_.line_bytes())));
  }
  choice.why = forced_ >= 0 ? "forced" : watched() == 0 ? "no data" : "bandwidth";
  const int best = forced_ >= 0            ? forced_
                   : watched() == 0        ? index_
                   : directory_ != nullptr ? best_degree(choice.bandwidths)
                                           : best_affordable(choice, now, totals);
  set_degree(best);
  choice.degree = degree();
  note(std::move(choice));
  if (directory_ != nullptr) directory_->reset_counts();
  if (tags_ != nullptr) tags_->reset_counts();
  loads_->reset(now);
  since_ = now;
  before_ = totals;
  return LlcMode::shared;
}

void OrganizationSelRep::set_degree(int index) {
  if (index != index_) ++stats_.degree_changes;
  index_ = index;
  if (index_ != 0) replicated_ = true;
}

bool OrganizationSelRep::force_degree(int degree) {
  forced_ = -1;
  if (degree == 0) return true;
  for (int i = 0; i < shape_.degrees(); ++i)
    if (shape_.degree(i) == degree) forced_ = i;
  if (forced_ < 0) return false;
  set_degree(forced_);
  return true;
}

bool OrganizationSelRep::set_epoch(int epoch, int) {
  if (epoch < 1) return false;
  epoch_ = static_cast<Cycle>(epoch);
  return true;
}

StorageFields OrganizationSelRep::predictors() const {
  if (loads_ == nullptr) return {};
  const auto with = [this](const char* name, const auto& tags) {
    const auto sets = static_cast<std::uint64_t>(tags.params().sampled_sets);
    return StorageFields{{name, sets, tags.storage_bits() / sets},
                         {"counters of hits and accesses", 1, tags.counter_bits()},
                         {"counters of slices, by degree", 1, loads_->storage_bits()}};
  };
  return directory_ != nullptr ? with("replication degree directory", *directory_)
                               : with("tags of copies", *tags_);
}

}  // namespace

OrganizationKind selrep_organization() {
  const auto make = [](const LlcControlParams& params,
                       const AddressMap& map) -> std::unique_ptr<Organization> {
    return std::make_unique<OrganizationSelRep>(params, map);
  };
  OrganizationKind kind{"selrep", "as many copies as an epoch's predictors advise", make};
  kind.replicates = true;
  kind.epoch = 20'000;
  return kind;
}

}  // namespace strata
