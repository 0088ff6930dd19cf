#include "models/llc_control/llc_control_params.h"

#include <algorithm>

namespace strata {
namespace {

const std::vector<std::string>& organization_names() {
  static const std::vector<std::string> names = {"shared", "private", "static", "adaptive", "selrep"};
  return names;
}

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> words;
  std::size_t begin = 0;
  for (std::size_t end = 0; end != std::string::npos; begin = end + 1) {
    end = text.find(':', begin);
    words.push_back(text.substr(begin, end == std::string::npos ? end : end - begin));
  }
  return words;
}

}  // namespace

std::vector<LlcControlParams::Organization> LlcControlParams::listed() const {
  std::vector<Organization> all;
  if (organizations.empty()) return all;
  const std::vector<std::string>& names = organization_names();
  for (const std::string& word : split(organizations)) {
    const auto at = std::find(names.begin(), names.end(), word);
    if (at != names.end()) all.push_back(static_cast<Organization>(at - names.begin()));
  }
  return all;
}

LlcControlParams LlcControlParams::of_application(int application, int count) const {
  LlcControlParams params = *this;
  const std::vector<Organization> all = listed();
  if (count > 1 && static_cast<std::size_t>(application) < all.size())
    params.organization = all[static_cast<std::size_t>(application)];
  params.organizations.clear();
  return params;
}

bool LlcControlParams::has(Organization wanted) const {
  const std::vector<Organization> all = listed();
  return organization == wanted || std::find(all.begin(), all.end(), wanted) != all.end();
}

void LlcControlParams::for_each_param(ParamVisitor& v) {
  v.choice(
      {"organization", "",
       "which slice of a line's channel serves a request: the one that the address names (shared), the one "
       "of the requester's cluster (private), a fixed number of copies of read-only lines (static), shared "
       "or private as a profile advises (adaptive), or as many copies as an epoch's predictors advise "
       "(selrep)"},
      organization, organization_names());
  v.text({"organizations", "",
          "several applications: the organization of each, as in shared:private; empty = `organization` for "
          "all. A run of one application uses `organization`"},
         organizations);
  v.integer({"slices", "slices", "LLC slices under this control"}, slices, {1, 4096});
  v.integer({"routers", "routers", "router stages that may ask for the organization"}, routers, {1, 4096});
  v.integer(
      {"gates", "routers", "router stages next to the slices, bypassed and gated while the LLC is private"},
      gates, {0, 4096});
  v.integer({"clusters", "clusters", "SM clusters"}, clusters, {1, 64});
  v.integer({"degree", "copies", "static: copies that a read-only line can have; 1 is shared"}, degree,
            {1, 64});
  v.integer({"epoch", "cycles", "adaptive, selrep: length of an epoch; 0 = 1000000 or 20000, as the papers"},
            epoch, {0, 1'000'000'000});
  v.integer({"profile", "cycles", "rule paper: how long the shared LLC is watched before each decision"},
            profile, {1, 1'000'000'000});
  v.choice({"rule", "",
            "adaptive: how it decides; `paper` as printed, `windowed` by what limits each mode, and then by "
            "trying "
            "the private one"},
           rule, {"paper", "windowed"});
  v.integer(
      {"trial", "cycles",
       "windowed: how long the shared LLC is watched, and how long the private one is tried; the second "
       "halves count"},
      trial, {4, 1'000'000'000});
  v.real(
      {"margin", "percentage points",
       "adaptive: private when its predicted miss rate is at most so much above the shared one's; windowed: "
       "a tried private LLC is kept when it is at most so many percent slower"},
      margin, 0, 100);
  v.choice({"model", "",
            "selrep: how it predicts; `paper` as printed, `copies` with true tags of the copies, slice "
            "parallelism over short windows, and memory and the network's ceiling as bottlenecks"},
           model, {"paper", "copies"});
  v.integer({"window", "cycles", "windowed, copies: length of a window of slice parallelism"}, window,
            {1, 1'000'000});
  v.integer({"atd_sets", "sets", "adaptive: sets of one slice that the auxiliary tag directory samples"},
            atd_sets, {1, 65536});
  v.integer({"rdd_sets", "sets", "selrep: sets that the replication degree directory samples"}, rdd_sets,
            {1, 65536});
  v.integer({"counter_bits", "bits", "adaptive, selrep: width of the predictors' counters, which saturate"},
            counter_bits, {4, 32});
  v.real({"slice_bandwidth", "bytes/cycle", "adaptive, selrep: what a slice delivers at most"},
         slice_bandwidth, 0.001, 1e6);
  v.real({"memory_bandwidth", "bytes/cycle", "adaptive, selrep: what all of memory delivers at most"},
         memory_bandwidth, 0.001, 1e6);
  v.integer(
      {"memory_latency", "cycles",
       "windowed, copies: a fetch from idle memory; when fetches take more than twice as long, memory is the "
       "bottleneck"},
      memory_latency, {1, 100'000});
  v.integer({"gating", "cycles", "adaptive: time to gate the routers or to power them on"}, gating,
            {0, 100'000});
  v.integer(
      {"sharing_window", "cycles",
       "count lines by the clusters and SMs that touch them in such windows; 0 = do not (it costs time)"},
      sharing_window, {0, 1'000'000});
}

Faults LlcControlParams::validate() const {
  Faults faults;
  const std::vector<std::string>& names = organization_names();
  if (!organizations.empty())
    for (const std::string& word : split(organizations))
      if (std::find(names.begin(), names.end(), word) == names.end())
        faults.push_back(param_fault(
            "organizations", "names '" + word + "'" + suggestion(word, names) +
                                 "; allowed: shared, private, static, adaptive, selrep, separated by ':'"));
  if (has(Organization::static_) && clusters % degree != 0) {
    int nearest = std::min(degree, clusters);
    while (clusters % nearest != 0) --nearest;
    faults.push_back(param_fault(
        "degree", "is " + std::to_string(degree) + ", which does not divide the " + std::to_string(clusters) +
                      " clusters; the next smaller that does is " + std::to_string(nearest)));
  }
  if (changes_mode() && rule == Rule::windowed && epoch_cycles() <= 2 * trial)
    faults.push_back(param_fault("epoch", "is " + std::to_string(epoch_cycles()) +
                                              " cycles, but watching and trying alone take 2 x " +
                                              std::to_string(trial) + "; it must be longer"));
  if (changes_mode() && rule == Rule::paper && epoch_cycles() <= profile)
    faults.push_back(param_fault("epoch", "is " + std::to_string(epoch_cycles()) +
                                              " cycles, but profiling alone takes " +
                                              std::to_string(profile) + "; it must be longer"));
  if (organization == Organization::private_ && organizations.empty() && gates != 0)
    faults.push_back(param_fault(
        "gates",
        "is " + std::to_string(gates) + ", but a private LLC never changes; set bypass at the routers"));
  return faults;
}

}  // namespace strata
